/**
 * The digests that the operator leaves on its objects, for one sample of each kind. Where one of them changes, every cluster writes
 * that object again when its operator is updated, and replaces the pods of it. Change a digest here only for that purpose.
 */
import { expect, test } from "vitest";
import { createContext, createGroupContext, createRemoteContext, createServer } from "../testing/servers.ts";
import { buildPart, type DesiredContext, PARTS } from "./index.ts";

const POLICIES = ["permit(principal, action, resource);"];
/** Members that an MCPServer, an MCPRemoteProxy and an MCPGroup have in common. */
const SHARED = {
  oidcConfig: {
    type: "inline",
    inline: { issuer: "https://issuer.test", audience: "tools" },
    caBundle: { name: "issuer-ca" },
  },
  authzConfig: { type: "inline", inline: { policies: POLICIES } },
  audit: { enabled: true },
  telemetry: { endpoint: "https://collector.test", samplingRate: "0.5", prometheus: true },
  resources: { limits: { cpu: "500m" } },
  resourceOverrides: {
    proxyDeployment: { labels: { team: "weather" }, env: [{ name: "A", value: "1" }] },
    proxyService: { annotations: { note: "kept" } },
  },
} as const;

const STDIO = createContext({
  ...SHARED,
  proxyMode: "sse",
  port: 9090,
  tools: ["forecast"],
  args: ["--fast"],
  env: [{ name: "MODE", value: "test" }],
  secrets: [{ name: "weather", key: "token" }],
  permissionProfile: { type: "builtin", name: "network" },
  idle: { after: "10m" },
} as never);
const HTTP = createContext({
  ...SHARED,
  transport: "streamable-http",
  targetPort: 9000,
  replicas: 2,
  proxyReplicas: 3,
  groupRef: { name: "work" },
} as never);
const REMOTE = createRemoteContext({
  ...SHARED,
  transport: "sse",
  proxyPort: 9090,
  replicas: 2,
  tools: ["forecast"],
  groupRef: { name: "work" },
  headers: [
    { name: "x-team", value: "weather" },
    { name: "x-key", secretKeyRef: { name: "forecast", key: "key" } },
  ],
  auth: { type: "bearer", bearerToken: { name: "forecast", key: "token" } },
  caBundle: { name: "forecast-ca" },
} as never);
const REMOTE_WITH_ACCOUNT = createRemoteContext({ serviceAccount: "given" });
const GROUP = createGroupContext({ ...SHARED, description: "For work.", port: 9090, naming: "always" } as never, [
  createServer({}, { name: "alpha" }),
  createServer({ transport: "sse", proxyReplicas: 0 }, { name: "beta" }),
  REMOTE_WITH_ACCOUNT.server,
]);

const list = (context: DesiredContext) =>
  Object.fromEntries(
    PARTS.flatMap((part) => {
      const object = buildPart(part, context);
      return object === undefined ? [] : [[part, object.metadata.annotations["toolhive.stacklok.dev/applied"]]];
    }),
  );

test.each([
  [
    "an MCPServer on stdio",
    STDIO,
    {
      account: "1f5d656ba6a5d0a0",
      closedNetworks: "d1dc79189d47215c",
      deployment: "28179316dd0501e8",
      inlinePolicies: "e8e4afacb3a62211",
      networkPolicy: "2bb1b577904780f5",
      proxyService: "13d4a2f0733bf176",
      role: "486c8756f5429bbb",
      roleBinding: "ae40b29066270ef0",
      runnerConfig: "c18b4e8f43d72284",
      sessionKey: "3572f6fe21f28368",
      statefulSet: "a2ce9d646998216c",
    },
  ],
  [
    "an MCPServer on HTTP",
    HTTP,
    {
      account: "1f5d656ba6a5d0a0",
      deployment: "c5697796398c411b",
      headlessService: "38ec24338b7b154c",
      inlinePolicies: "e8e4afacb3a62211",
      networkPolicy: "2dabf02a11e92821",
      proxyBudget: "4c79690ae5044adc",
      proxyService: "f9122785899386d3",
      runnerConfig: "ae04221ba5a90aa1",
      serverBudget: "c2b885f294ceec44",
      sessionKey: "3572f6fe21f28368",
      statefulSet: "bc7782445a0b1809",
    },
  ],
  [
    "an MCPRemoteProxy",
    REMOTE,
    {
      account: "80bf2e6328fa6ebd",
      deployment: "f26829bafc9a18b0",
      inlinePolicies: "150e0d5b3a407fdb",
      proxyBudget: "0041fc3ab86a82c4",
      proxyService: "74b0c57385972580",
      runnerConfig: "7a2c6990af3ffdc9",
    },
  ],
  [
    "an MCPRemoteProxy with an account of its own",
    REMOTE_WITH_ACCOUNT,
    { deployment: "22bee13c8135296d", proxyService: "9c43190015822f18", runnerConfig: "7df56e1dd6438906" },
  ],
  [
    "an MCPGroup",
    GROUP,
    {
      account: "b8e383e06bd50348",
      deployment: "1a6b29ae537a828c",
      inlinePolicies: "0a916de08dfa32cc",
      proxyService: "a34ca02acaa3cc4b",
      runnerConfig: "05509a819178b5f8",
    },
  ],
] as const)("%s has the objects that it had", (_what, context, digests) => {
  expect(list(context)).toEqual(digests);
});
