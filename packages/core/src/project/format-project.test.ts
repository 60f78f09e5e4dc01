import fc from "fast-check";
import { expect, test } from "vitest";
import type { CreateRequest } from "../workload/create-request-schema.ts";
import { CreateRequestSchema } from "../workload/create-request-schema.ts";
import { PROJECT_LABEL } from "../workload/labels.ts";
import { describeLeftOut, formatProject } from "./format-project.ts";
import { readProject } from "./read-project.ts";

const PATH = "/srv/shop/thv.yaml";
const NAME = "everything";

function write(request: Partial<CreateRequest>) {
  const whole = { name: NAME, image: "mcp/everything:latest", ...request };
  return formatProject({ servers: [{ request: whole, groups: [] }], groups: [] });
}

/** The request that the written file creates. */
function writeAndRead(request: Partial<CreateRequest>): Partial<CreateRequest> {
  const written = write(request);
  expect(written.leftOut).toEqual([]);
  const [server] = readProject(written.text, PATH).servers;
  return server === undefined ? {} : withoutProject(server.request);
}

const ISSUER = { issuer: "https://login.example.com" };
const AUTHZ = JSON.stringify({
  version: "1.0",
  type: "cedarv1",
  cedar: { policies: ["permit(principal, action, resource);"], entities_json: "[]" },
});

/** Values of each member, all of which the file holds. */
const MEMBERS: Readonly<Record<string, readonly Partial<CreateRequest>[]>> = {
  image: ["fetch", "npx://@acme/weather@1.4.0", "go:///srv/weather"].map((image) => ({ image })),
  host: [{ host: "0.0.0.0" }],
  allowed_hosts: [{ allowed_hosts: ["tools.example.com"] }],
  proxy_port: [{ proxy_port: 8080 }],
  transport: [{ transport: "sse" }, { transport: "stdio" }],
  target_port: [{ target_port: 3000 }],
  target_host: [{ target_host: "127.0.0.2" }],
  proxy_mode: [{ proxy_mode: "sse" }],
  cmd_arguments: [{ cmd_arguments: ["--all", "- no: yaml", "#", "a\nb"] }],
  env_vars: [{ env_vars: ["UNITS=metric", "EMPTY=", "PORT=8080", "DEBUG=on", "TEXT=a: b\n  # c"] }],
  secrets: [{ secrets: [{ name: "key", target: "API_KEY" }] }],
  ca_certificate: [{ ca_certificate: "/etc/ca.pem" }],
  labels: [{ labels: { team: "maps" } }],
  network_isolation: [{ network_isolation: true }, { network_isolation: false }],
  permission_profile: [
    { permission_profile: { name: "none" } },
    { permission_profile: { name: "network" } },
    { permission_profile: { name: "none", read: ["/srv/maps:/maps"] } },
    { permission_profile: { network: { outbound: { allow_host: ["api.example.com"], allow_port: [443] } } } },
  ],
  volumes: [{ volumes: ["/srv/maps:/data:ro"] }],
  user: [{ user: "1000:1000" }],
  limits: [
    { limits: { memory_bytes: 536_870_912, cpus: 0.5, pids: 64 } },
    { limits: { memory_bytes: 7_000_001 } },
    { limits: { memory_bytes: 0, cpus: 0, pids: 0 } },
  ],
  pull_policy: [{ pull_policy: "always" }],
  image_digest: [{ image_digest: `sha256:${"a".repeat(64)}` }],
  provenance: [{ provenance: { repository_uri: "https://git.example.com/server" } }],
  tools: [{ tools: ["echo"] }],
  tools_override: [{ tools_override: { echo: { name: "say", description: "Says." } } }],
  find_tools: [{ find_tools: true }],
  pin_tools: [{ pin_tools: "off" }],
  changed_tools: [{ changed_tools: "allow" }],
  base_image: [{ image: "uvx://server", base_image: "python:3.13-slim" }],
  with: [{ image: "uvx://server", with: ["mcp<2"] }],
  read_only: [{ read_only: true }, { read_only: false }],
  image_verification: [{ image_verification: "enabled" }],
  sleep_after_seconds: [0, 1, 90, 600, 90_061].map((seconds) => ({ sleep_after_seconds: seconds })),
  learn_network: [{ learn_network: true }],
  header_forward: [
    {
      image: "https://mcp.example.com/mcp",
      header_forward: { add_plaintext_headers: { "X-Team": "maps" }, add_headers_from_secret: { "X-Key": "key" } },
    },
  ],
  oauth_config: [
    { image: "https://mcp.example.com/mcp", oauth_config: { required: true } },
    {
      image: "https://mcp.example.com/mcp",
      oauth_config: {
        ...ISSUER,
        ...{ client_id: "toolhive", client_secret: { name: "client-secret" }, scopes: ["a", "b"] },
        ...{ oauth_params: { audience: "api" }, callback_port: 9000, skip_browser: true, use_pkce: true },
      },
    },
  ],
  allow_insecure_http: [{ image: "http://mcp.example.com/mcp", allow_insecure_http: true }],
  oidc: [
    { oidc: ISSUER },
    { oidc: { ...ISSUER, audience: "tools", jwks_url: "https://login.example.com/keys", client_id: "tools" } },
    { oidc: { ...ISSUER, scopes: ["tools"], allow_opaque_tokens: true } },
  ],
  thv_ca_bundle: [{ oidc: ISSUER, thv_ca_bundle: "/etc/ca.pem" }],
  jwks_auth_token_file: [{ oidc: ISSUER, jwks_auth_token_file: "/etc/issuer" }],
  jwks_allow_private_ip: [{ oidc: ISSUER, jwks_allow_private_ip: true }],
  authz_config: [{ authz_config: AUTHZ }, { authz_config: "/etc/policies.yaml" }],
  audit_config: [{ audit_config: "{}" }, { audit_config: '{"include_request_data":true}' }],
  enable_audit: [{ enable_audit: true }],
  telemetry: [
    { telemetry: { endpoint: "https://collector.example.com:4318", sampling_rate: 0.5, insecure: true } },
    { telemetry: { service_name: "tools", prometheus_path: true, env_vars: ["NODE_ENV"] } },
  ],
};

/** The name is the key of the entry, groups are beside it, and an address is in `image`. */
const ELSEWHERE = ["name", "group", "url"];

test("every member of a request is in the table", () => {
  expect([...Object.keys(MEMBERS), ...ELSEWHERE].sort()).toEqual(Object.keys(CreateRequestSchema.properties).sort());
});

test.each(["oidc", "telemetry", "oauth_config", "limits", "header_forward"] as const)(
  "every member of %s is in the table, or named when it is left out",
  (member) => {
    const said = (MEMBERS[member] ?? []).flatMap((request) => Object.keys(request[member] ?? {}));
    const leftOut = { telemetry: ["headers"], oauth_config: OF_OTHER_SIGN_INS } as Record<string, string[]>;

    expect([...new Set([...said, ...(leftOut[member] ?? [])])].sort()).toEqual(
      Object.keys(CreateRequestSchema.properties[member].properties).sort(),
    );
  },
);
/** Of the same form as `issuer`. */
const OF_OTHER_SIGN_INS = ["bearer_token", "authorize_url", "token_url", "resource"];

test.each(Object.entries(MEMBERS))("%s is the same after it was written and read", (_member, requests) => {
  for (const request of requests) {
    const whole = { name: NAME, image: "mcp/everything:latest", ...request };

    expect(writeAndRead(request)).toEqual(whole);
  }
});

test.each([" \n", "\n", "a \n b \n", "  \n \n"])("an argument is the same with spaces and lines: %j", (argument) => {
  expect(writeAndRead({ cmd_arguments: [argument] }).cmd_arguments).toEqual([argument]);
});

/** Members of an entry that fit every server in a container, each with one of the values of the table or none. */
const ANY_MEMBERS = Object.entries(MEMBERS)
  .filter(([, requests]) => requests.every((request) => request.image === undefined))
  .map(([, requests]) => fc.constantFrom({}, ...requests));
/** Texts with everything that YAML reads as something else. */
const anyText = fc.oneof(
  fc.constantFrom(
    "no",
    "~",
    "1e3",
    "0x1f",
    "- a",
    "a: b",
    "# a",
    "'",
    '"',
    "{",
    "|",
    " a ",
    "a\n\n b",
    "2001-01-01",
    "<<",
    "$A11",
    "$" + "{HOME}",
    "%PATH%",
  ),
  fc.string({ maxLength: 12, unit: fc.constantFrom(..."ab -:#'\"{}[]\n&*!%@\u00e9") }),
);
const anyRequest = fc
  .tuple(fc.tuple(...ANY_MEMBERS), fc.array(anyText, { maxLength: 4 }), fc.array(anyText, { maxLength: 3 }))
  .map(([members, args, values]) =>
    Object.assign({}, ...members, {
      ...(args.length > 0 && { cmd_arguments: args }),
      ...(values.length > 0 && { env_vars: values.map((value, index) => `V${index}=${value}`) }),
    } as Partial<CreateRequest>),
  );

test("any set of servers is the same after it was written and read, member by member", () => {
  fc.assert(
    fc.property(fc.array(anyRequest, { minLength: 1, maxLength: 4 }), fc.boolean(), (requests, isGrouped) => {
      const groups = isGrouped ? ["work"] : [];
      const servers = requests.map((request, index) => ({
        request: { name: `s-${index}`, image: "mcp/everything:latest", ...request },
        groups,
      }));
      const { text, leftOut } = formatProject({
        servers,
        groups: isGrouped ? [{ name: "work", find_tools: true }] : [],
      });
      const read = readProject(text, PATH);

      expect(leftOut).toEqual([]);
      expect(read.groups).toEqual(isGrouped ? [{ name: "work", find_tools: true }] : []);
      expect(read.servers.map((server) => [withoutProject(server.request), server.groups ?? []])).toEqual(
        servers.map(({ request }) => [request, groups]),
      );
    }),
    { numRuns: 150 },
  );
});

function withoutProject({ labels = {}, ...request }: CreateRequest): CreateRequest {
  const { [PROJECT_LABEL]: _project, ...own } = labels;
  return { ...request, ...(Object.keys(own).length > 0 && { labels: own }) };
}

test("a server has its groups, and a group has its choices and its clients", () => {
  const groups = [
    { name: "default", clients: ["vscode"] },
    { name: "work", port: 8080, naming: "always" as const, tools: ["a__b"], find_tools: true, clients: ["cursor"] },
  ];
  const { text } = formatProject({
    name: "shop",
    servers: [{ request: { name: NAME, image: "fetch" }, groups: ["work"] }],
    groups,
  });

  expect(readProject(text, PATH)).toMatchObject({
    name: "shop",
    label: "shop",
    servers: [{ groups: ["work"] }],
    groups,
  });
});

test.each([
  ["a variable", { env_vars: ["API_TOKEN=hunter2hunter"] }, "env.API_TOKEN", "thv secret set everything-api-token"],
  ["a variable's value", { env_vars: ["CONFIG=ghp_0123456789"] }, "env.CONFIG", "thv secret set everything-config"],
  [
    "a header",
    { image: "https://a.example.com", header_forward: { add_plaintext_headers: { Authorization: "hunter2hunter" } } },
    "remote_forward_headers.Authorization",
    "thv secret set everything-authorization",
  ],
  [
    "a parameter of a sign-in",
    { image: "https://a.example.com", oauth_config: { required: true, oauth_params: { api_key: "hunter2hunter" } } },
    "remote_auth.oauth_params.api_key",
    "looks secret",
  ],
  ["a header of telemetry", { telemetry: { headers: ["a=hunter2hunter"] } }, "access.telemetry.headers", "key"],
  ["an argument", { cmd_arguments: ["--token", "hunter2hunter"] }, "", "its argument --token looks secret"],
  ["an address", { image: "https://a.example.com/mcp?api_key=hunter2hunter" }, "", "its address holds something"],
])("%s that looks secret is named, and not written", (_what, request, member, reason) => {
  const { text, leftOut } = write(request as Partial<CreateRequest>);

  expect(text).not.toMatch(/hunter2hunter|ghp_/);
  expect(leftOut).toEqual([{ server: NAME, member, reason: expect.stringContaining(reason) }]);
  expect(text).toContain(`# Not in this file:\n#   ${leftOut.map(describeLeftOut).join("")}\n`);
});

test("a server that a file cannot describe is named with the reason, and the others are written", () => {
  const { text, servers, leftOut } = formatProject({
    servers: [
      { request: { name: "odd\n# name", image: "fetch" }, groups: [] },
      { request: { name: NAME, image: "fetch" }, groups: [] },
    ],
    groups: [{ name: "work", clients: ["nobody" as "cursor"] }],
  });

  expect(servers).toEqual([NAME]);
  expect(leftOut).toEqual([
    { server: "odd\n# name", member: "", reason: expect.stringContaining("name") },
    { group: "work", member: "", reason: expect.stringContaining("clients") },
  ]);
  expect(Object.keys(readProject(text, PATH).servers)).toHaveLength(1);
});

test("more servers than a file may have are refused with the way to fewer", () => {
  const servers = Array.from({ length: 101 }, (_, index) => ({
    request: { name: `s-${index}`, image: "fetch" },
    groups: [],
  }));

  expect(() => formatProject({ servers, groups: [] })).toThrow(
    expect.objectContaining({ code: "INVALID_ARGUMENT", hint: expect.stringContaining("--group") }),
  );
});
