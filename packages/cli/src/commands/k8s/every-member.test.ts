/** Each member of a request is in the manifest that is made of it, or a note names it, and the other way round: nothing is lost. */
import { type CreateRequest, CreateRequestSchema } from "@toolhive/core";
import { API_VERSION, MCPServerSpecSchema } from "@toolhive/operator/contract";
import { createManifest, readManifest } from "@toolhive/operator/manifest";
import { expect, test } from "vitest";

const BASE: CreateRequest = { name: "everything", image: "mcp/everything:latest", transport: "stdio", read_only: true };
const ISSUER = { issuer: "https://login.example.com" };

/** A request for each member, by its path. What the member needs beside it is `beside`. */
const REQUESTS: Readonly<Record<string, { readonly request: Partial<CreateRequest>; readonly beside?: object }>> = {
  name: { request: { name: "other" } },
  image: { request: { image: "mcp/other:latest" } },
  host: { request: { host: "0.0.0.0" } },
  allowed_hosts: { request: { allowed_hosts: ["tools.example.com"] } },
  transport: { request: { transport: "sse" } },
  target_port: { request: { target_port: 8080 } },
  target_host: { request: { target_host: "127.0.0.2" } },
  proxy_mode: { request: { proxy_mode: "sse" } },
  cmd_arguments: { request: { cmd_arguments: ["--all"] } },
  env_vars: { request: { env_vars: ["A=b"] } },
  secrets: { request: { secrets: [{ name: "token", target: "TOKEN" }] } },
  ca_certificate: { request: { ca_certificate: "/tmp/ca.pem" } },
  labels: { request: { labels: { team: "tools" } } },
  group: { request: { group: "work" } },
  network_isolation: {
    request: { network_isolation: true },
    beside: { permission_profile: { network: { outbound: { allow_host: ["example.com"] } } } },
  },
  permission_profile: { request: { permission_profile: { name: "none" } } },
  "permission_profile.read": { request: { permission_profile: { name: "none", read: ["/data"] } } },
  volumes: { request: { volumes: ["/data:/data"] } },
  user: { request: { user: "1000" } },
  "limits.memory_bytes": { request: { limits: { memory_bytes: 536_870_912 } } },
  "limits.cpus": { request: { limits: { cpus: 1 } } },
  "limits.pids": { request: { limits: { pids: 64 } } },
  pull_policy: { request: { pull_policy: "always" } },
  image_digest: { request: { image_digest: `sha256:${"a".repeat(64)}` } },
  provenance: { request: { provenance: { repository_uri: "https://git.example.com/server" } } },
  tools: { request: { tools: ["echo"] } },
  tools_override: { request: { tools_override: { echo: { name: "say" } } } },
  find_tools: { request: { find_tools: true } },
  pin_tools: { request: { pin_tools: "all" } },
  changed_tools: { request: { changed_tools: "allow" } },
  base_image: { request: { base_image: "python:3.13-slim" } },
  with: { request: { with: ["mcp<2"] } },
  read_only: { request: { read_only: false } },
  image_verification: { request: { image_verification: "enabled" } },
  sleep_after_seconds: { request: { sleep_after_seconds: 600 } },
  learn_network: { request: { learn_network: true } },
  oidc: { request: { oidc: ISSUER } },
  "oidc.audience": { request: { oidc: { ...ISSUER, audience: "tools" } }, beside: { oidc: ISSUER } },
  "oidc.jwks_url": {
    request: { oidc: { ...ISSUER, jwks_url: "https://login.example.com/keys" } },
    beside: { oidc: ISSUER },
  },
  "oidc.client_id": { request: { oidc: { ...ISSUER, client_id: "tools" } }, beside: { oidc: ISSUER } },
  "oidc.scopes": { request: { oidc: { ...ISSUER, scopes: ["tools"] } }, beside: { oidc: ISSUER } },
  "oidc.allow_opaque_tokens": { request: { oidc: { ...ISSUER, allow_opaque_tokens: true } }, beside: { oidc: ISSUER } },
  thv_ca_bundle: { request: { thv_ca_bundle: "/tmp/ca.pem" }, beside: { oidc: ISSUER } },
  jwks_auth_token_file: { request: { jwks_auth_token_file: "/tmp/token" }, beside: { oidc: ISSUER } },
  jwks_allow_private_ip: { request: { jwks_allow_private_ip: true }, beside: { oidc: ISSUER } },
  authz_config: {
    request: {
      authz_config: JSON.stringify({
        version: "1.0",
        type: "cedarv1",
        cedar: { policies: ["permit(principal, action, resource);"], entities_json: "[]" },
      }),
    },
  },
  audit_config: { request: { audit_config: "{}" } },
  enable_audit: { request: { enable_audit: true } },
  telemetry: { request: { telemetry: { endpoint: "https://collector.example.com:4318" } } },
  "telemetry.service_name": { request: { telemetry: { service_name: "tools" } }, beside: { telemetry: {} } },
  "telemetry.sampling_rate": { request: { telemetry: { sampling_rate: 0.5 } }, beside: { telemetry: {} } },
  "telemetry.headers": { request: { telemetry: { headers: ["x-key=value"] } }, beside: { telemetry: {} } },
  "telemetry.insecure": { request: { telemetry: { insecure: true } }, beside: { telemetry: {} } },
  "telemetry.prometheus_path": { request: { telemetry: { prometheus_path: true } }, beside: { telemetry: {} } },
  "telemetry.env_vars": { request: { telemetry: { env_vars: ["NODE_ENV"] } }, beside: { telemetry: {} } },
};

/** For servers that run elsewhere, of which no manifest is made. */
const OF_REMOTE_SERVERS = ["url", "oauth_config", "header_forward", "allow_insecure_http"];
/** The port that clients of this machine use: a Service has its own. */
const WITHOUT_A_WORD = ["proxy_port"];

test("every member of a request is in the table", () => {
  const paths = Object.keys(REQUESTS).map((path) => path.split(".")[0]);
  const members = new Set([...paths, ...OF_REMOTE_SERVERS, ...WITHOUT_A_WORD]);

  expect([...members].sort()).toEqual([...new Set([...Object.keys(CreateRequestSchema.properties), "image"])].sort());
});

test.each(Object.entries(REQUESTS))("%s is in the manifest, or a note names it", (_path, { request, beside = {} }) => {
  const without = createManifest({ ...BASE, ...beside });
  const made = createManifest({ ...BASE, ...beside, ...request });

  expect(made).not.toEqual(without);
});

test.each(["telemetry", "oidc", "limits"] as const)("every member of %s is in the table", (member) => {
  const { properties } = CreateRequestSchema.properties[member];
  const said = Object.values(REQUESTS).flatMap(({ request }) => Object.keys(request[member] ?? {}));

  expect([...new Set(said)].sort()).toEqual(Object.keys(properties).sort());
});

test.each([{ image: "https://tools.example.com/mcp" }, { image: "", url: "https://tools.example.com/mcp" }])(
  "no manifest is made of a server that runs elsewhere: %j",
  (request) => {
    expect(() => createManifest({ ...BASE, ...request })).toThrow(
      expect.objectContaining({ code: "NOT_SUPPORTED", hint: expect.stringContaining("MCPRemoteProxy") }),
    );
  },
);

test("a note names members, and no value that may be secret", () => {
  const { notes } = createManifest({ ...BASE, telemetry: { headers: ["authorization=s3cret"] } });

  expect(notes).toEqual(["Left out of telemetry: headers."]);
});

const INLINE = { type: "inline", inline: ISSUER };
const inline = (more: object) => ({ oidcConfig: { type: "inline", inline: { ...ISSUER, ...more } } });
const MAPS = [
  {
    kind: "ConfigMap",
    metadata: { name: "map" },
    data: { "profile.json": "{}", "authz.json": "{}", issuer: ISSUER.issuer },
  },
  { apiVersion: API_VERSION, kind: "MCPToolConfig", metadata: { name: "few" }, spec: { toolsFilter: ["echo"] } },
];
const container = (more: object) => ({ podTemplateSpec: { spec: { containers: [{ name: "mcp", ...more }] } } });

/** A spec for each member, by its path. */
const SPECS: Readonly<Record<string, { readonly spec: object; readonly beside?: object }>> = {
  image: { spec: { image: "mcp/other:latest" } },
  transport: { spec: { transport: "sse" } },
  targetPort: { spec: { targetPort: 8080 } },
  mcpPort: { spec: { mcpPort: 8080 } },
  proxyPort: { spec: { proxyPort: 8080 } },
  args: { spec: { args: ["--all"] } },
  env: { spec: { env: [{ name: "A", value: "b" }] } },
  volumes: { spec: { volumes: [{ name: "data", hostPath: "/data", mountPath: "/data" }] } },
  resources: { spec: { resources: { limits: { cpu: "1" } } } },
  secrets: { spec: { secrets: [{ name: "keys", key: "token" }] } },
  permissionProfile: { spec: { permissionProfile: { type: "builtin", name: "none" } } },
  "permissionProfile.configmap": {
    spec: { permissionProfile: { type: "configmap", name: "map", key: "profile.json" } },
  },
  podTemplateSpec: { spec: container({ securityContext: { runAsUser: 1000 } }) },
  "podTemplateSpec.env": { spec: container({ env: [{ name: "A", value: "b" }] }), beside: container({}) },
  resourceOverrides: { spec: { resourceOverrides: { proxyDeployment: { labels: { team: "tools" } } } } },
  oidcConfig: { spec: { oidcConfig: INLINE } },
  "oidcConfig.configMap": { spec: { oidcConfig: { type: "configMap", configMap: { name: "map" } } } },
  "oidcConfig.caBundle": {
    spec: { oidcConfig: { ...INLINE, caBundle: { name: "map" } } },
    beside: { oidcConfig: INLINE },
  },
  "oidcConfig.inline.audience": { spec: inline({ audience: "tools" }), beside: inline({}) },
  "oidcConfig.inline.jwksUrl": { spec: inline({ jwksUrl: "https://login.example.com/keys" }), beside: inline({}) },
  "oidcConfig.inline.clientId": { spec: inline({ clientId: "tools" }), beside: inline({}) },
  "oidcConfig.inline.thvCABundlePath": { spec: inline({ thvCABundlePath: "/ca.pem" }), beside: inline({}) },
  "oidcConfig.inline.jwksAuthTokenPath": { spec: inline({ jwksAuthTokenPath: "/token" }), beside: inline({}) },
  "oidcConfig.inline.jwksAllowPrivateIP": { spec: inline({ jwksAllowPrivateIP: true }), beside: inline({}) },
  authzConfig: {
    spec: { authzConfig: { type: "inline", inline: { policies: ["permit(principal, action, resource);"] } } },
  },
  "authzConfig.configMap": { spec: { authzConfig: { type: "configMap", configMap: { name: "map" } } } },
  tools: { spec: { tools: ["echo"] } },
  audit: { spec: { audit: { enabled: true } } },
  telemetry: { spec: { telemetry: { endpoint: "https://collector.example.com:4318" } } },
  "telemetry.serviceName": { spec: { telemetry: { serviceName: "tools" } }, beside: { telemetry: {} } },
  "telemetry.samplingRate": { spec: { telemetry: { samplingRate: "0.5" } }, beside: { telemetry: {} } },
  "telemetry.prometheus": { spec: { telemetry: { prometheus: true } }, beside: { telemetry: {} } },
  proxyMode: { spec: { proxyMode: "sse" } },
  replicas: { spec: { replicas: 2 } },
  idle: { spec: { idle: { after: "10m" } } },
  proxyReplicas: { spec: { proxyReplicas: 2 } },
  serviceAccount: { spec: { serviceAccount: "tools" } },
  toolConfigRef: { spec: { toolConfigRef: { name: "few" } } },
  groupRef: { spec: { groupRef: { name: "work" } } },
};
/** The port of the Service: the proxy on this machine has its own. */
const OF_THE_SERVICE = ["port"];

test("every member of an MCPServer is in the table", () => {
  const paths = Object.keys(SPECS).map((path) => path.split(".")[0]);

  expect([...new Set([...paths, ...OF_THE_SERVICE])].sort()).toEqual(
    Object.keys(MCPServerSpecSchema.properties).sort(),
  );
});

test.each(Object.entries(SPECS))("spec.%s is in the request, or a note names it", (_path, { spec, beside = {} }) => {
  const read = (more: object) =>
    readManifest(
      [
        {
          ...{ apiVersion: API_VERSION, kind: "MCPServer", metadata: { name: "it" } },
          spec: { image: "mcp/everything:latest", transport: "stdio", ...beside, ...more },
        },
        ...MAPS,
      ],
      "it",
    );

  expect(read(spec)).not.toEqual(read({}));
});
