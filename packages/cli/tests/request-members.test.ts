/** Every flag of `thv run`, every member of a create request and of a project file has its counterparts, or stands here. */
import { buildProjectJsonSchema, type CreateRequest, CreateRequestSchema } from "@toolhive/core";
import { findMemberNames } from "@toolhive/core/request-members";
import { toRunFlags } from "@toolhive/core/run-flags";
import { expect, test } from "vitest";
import type { CommandContext } from "../src/command-line/command.ts";
import { parseInvocation } from "../src/command-line/parse.ts";
import { RUN, RUN_COMMAND, type RunInput } from "../src/commands/run/definition.ts";
import { requestBody } from "../src/commands/run/request-body.ts";

type Schema = { readonly properties?: Readonly<Record<string, Schema>> };

/** Members that have members with a flag of their own. */
const OWNERS = ["limits", "oidc", "telemetry", "oauth_config", "header_forward"];
const properties = (CreateRequestSchema as unknown as Schema).properties ?? {};
const paths = Object.entries(properties).flatMap(([member, schema]) =>
  OWNERS.includes(member) ? Object.keys(schema.properties ?? {}).map((name) => [member, name]) : [[member]],
);
const { definitions } = buildProjectJsonSchema() as { definitions: { ProjectServer: { properties: object } } };
const fileMembers = Object.keys(definitions.ProjectServer.properties);

/** Members that no flag sets. */
const WITHOUT_FLAG = [
  "image",
  "url",
  "image_digest",
  "provenance",
  "oauth_config.use_pkce",
  "oauth_config.oauth_params",
  "oidc.scopes",
];
/** Flags that say how the command works, that are another way to say the same, or that store a secret. */
const OTHER_FLAGS = [
  ...["port", "from-config", "yes", "dry-run", "format", "foreground", "env-from", "env-file", "remote-auth-timeout"],
  ...["remote-auth-client-secret-file", "remote-auth-bearer-token-file"],
];
/** Both are `permission_profile` in a request. */
const PROFILES = ["permission_profile", "permissions"];

test("each member of a request has a flag that there is", () => {
  const flags = Object.keys(RUN.flags).map((name) => `--${name}`);
  for (const path of paths) {
    const { flag } = findMemberNames(path);
    if (WITHOUT_FLAG.includes(path.join("."))) expect([path, flag]).toEqual([path, undefined]);
    else expect([...flags, "-- ARGUMENTS"], path.join(".")).toContain(flag);
  }
});

test("each flag is that of a member", () => {
  const named = new Set([...paths, ["oauth_config"]].map((path) => findMemberNames(path).flag));
  const others = Object.keys(RUN.flags).filter((name) => !named.has(`--${name}`));

  expect(others.sort()).toEqual([...OTHER_FLAGS].sort());
});

test("each member of a project file is that of a request", () => {
  const named = new Set(paths.map((path) => findMemberNames(path).file));

  expect([...named].filter((name) => name !== undefined && !fileMembers.includes(name))).toEqual([]);
  expect(fileMembers.filter((name) => !named.has(name))).toEqual(PROFILES.slice(1));
});

/** A value for each member that a command can say without a file. */
const WHOLE: CreateRequest = {
  image: "mcp/echo:1",
  name: "echo",
  host: "0.0.0.0",
  allowed_hosts: ["tools.example.com"],
  proxy_port: 8080,
  transport: "sse",
  target_port: 3000,
  target_host: "127.0.0.2",
  proxy_mode: "sse",
  env_vars: ["UNITS=metric", "EMPTY="],
  secrets: [{ name: "key", target: "API_KEY" }],
  base_image: "python:3.11-slim",
  with: ["mcp>=1,<2", "zod"],
  ca_certificate: "/etc/ca.pem",
  labels: { team: "maps" },
  group: "work",
  network_isolation: true,
  learn_network: true,
  volumes: ["/srv/maps:/data:ro"],
  user: "1000:1000",
  limits: { memory_bytes: 536_870_912, cpus: 0.5, pids: 0 },
  read_only: true,
  pull_policy: "always",
  image_verification: "enabled",
  tools: ["add", "sub"],
  find_tools: true,
  pin_tools: "all",
  changed_tools: "allow",
  sleep_after_seconds: 90_061,
  oauth_config: {
    required: true,
    issuer: "https://login.example.com",
    client_id: "toolhive",
    scopes: ["a", "b"],
    authorize_url: "https://login.example.com/authorize",
    token_url: "https://login.example.com/token",
    resource: "https://mcp.example.com",
    callback_port: 0,
    skip_browser: true,
  },
  header_forward: { add_plaintext_headers: { "X-Team": "maps" }, add_headers_from_secret: { "X-Key": "key" } },
  allow_insecure_http: true,
  oidc: {
    issuer: "https://login.example.com",
    audience: "tools",
    jwks_url: "https://login.example.com/keys",
    client_id: "toolhive",
    allow_opaque_tokens: true,
  },
  thv_ca_bundle: "/etc/ca.pem",
  jwks_auth_token_file: "/etc/token",
  jwks_allow_private_ip: true,
  authz_config: "/etc/authz.json",
  audit_config: "/etc/audit.json",
  enable_audit: true,
  telemetry: {
    endpoint: "localhost:4318",
    service_name: "echo",
    sampling_rate: 0.5,
    headers: ["A=b"],
    insecure: true,
    prometheus_path: true,
    env_vars: ["USER,HOME"],
  },
};

test("a request becomes flags, and those flags the same request", async () => {
  const { image, ...members } = WHOLE;
  const invocation = parseInvocation(["run", ...toRunFlags(WHOLE), image], { commands: [RUN_COMMAND], groups: [] });
  if (invocation.kind !== "run") throw new Error(invocation.kind);

  expect(await requestBody(invocation.input as unknown as RunInput, { env: {} } as CommandContext)).toEqual(WHOLE);
  // Nothing is forgotten here: what is left needs a file, or is no flag.
  const others = paths.filter(([name = ""]) => !(name in WHOLE)).map(([name]) => name);
  expect(Object.keys(members).length + others.length).toBe(Object.keys(properties).length - 1);
  expect(others.sort()).toEqual([
    "cmd_arguments",
    "image_digest",
    "permission_profile",
    "provenance",
    "tools_override",
    "url",
  ]);
});
