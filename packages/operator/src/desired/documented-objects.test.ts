/** What the guides to Kubernetes say of the objects that the operator writes. */
import { describe, expect, test } from "vitest";
import { createContext, createRemoteContext, TEST_SESSION_KEY } from "../testing/servers.ts";
import { buildPart, type DesiredContext } from "./index.ts";

const buildPod = (context: DesiredContext) => buildPart("statefulSet", context)?.spec.template.spec;

describe("the server's container", () => {
  test.each(["github", "io.github.example/weather", "npx://@acme/weather@1.4.0"])(
    "has the image %s as the resource names it",
    (image) => {
      expect(buildPod(createContext({ image })).containers[0].image).toBe(image);
    },
  );
});

test("the sidecar may set packet rules and become another user, and nothing more", () => {
  const [sidecar] = buildPod(createContext({ permissionProfile: { type: "builtin", name: "none" } })).initContainers;

  expect(sidecar.securityContext).toMatchObject({
    allowPrivilegeEscalation: false,
    readOnlyRootFilesystem: true,
    capabilities: { drop: ["ALL"], add: ["NET_ADMIN", "SETGID", "SETUID"] },
  });
});

test("the proxy's settings hold no key of session ids, and do not name a Secret", () => {
  const server = createContext({
    transport: "streamable-http",
    replicas: 2,
    secrets: [{ name: "github-token", key: "token" }],
    oidcConfig: { type: "inline", inline: { issuer: "https://issuer.test", audience: "toolhive" } },
  });
  const remote = createRemoteContext({
    auth: { type: "bearer", bearerToken: { name: "remote-secret", key: "token" } },
  });

  for (const context of [server, remote]) {
    const { data } = buildPart("runnerConfig", context) ?? {};
    expect(Object.keys(data)).toEqual(["runner.json"]);
    expect(data["runner.json"]).not.toContain(TEST_SESSION_KEY);
    expect(data["runner.json"]).not.toMatch(/github-token|remote-secret/);
  }
});

test.each([
  ["several pods", { transport: "streamable-http", replicas: 2 }],
  ["several proxies", { transport: "sse", proxyReplicas: 2 }],
  ["a time after which it sleeps", { idle: { after: "30m" } }],
] as const)("a server with %s has a key of its own", (_what, spec) => {
  expect(buildPart("sessionKey", createContext(spec))?.metadata.name).toBe("weather-sessions");
});

test("the proxy of a remote server has nowhere to write: its tokens are in memory", () => {
  const clientCredentials = {
    issuer: "https://login.example.test",
    clientID: "cluster",
    clientSecret: { name: "forecast-client", key: "secret" },
  };
  const context = createRemoteContext({ auth: { type: "clientCredentials", clientCredentials } });
  const { containers, volumes } = buildPart("deployment", context)?.spec.template.spec ?? {};

  expect(containers).toMatchObject([{ securityContext: { readOnlyRootFilesystem: true } }]);
  for (const volume of volumes) expect(Object.keys(volume)).not.toContain("emptyDir");
  for (const { readOnly } of containers[0].volumeMounts) expect(readOnly).toBe(true);
});
