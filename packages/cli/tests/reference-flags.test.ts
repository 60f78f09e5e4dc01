/** Facts of the reference v0.1.9: which commands there are and which flags each has. None of them ends in "Unknown flag" here. */
import { expect, test } from "vitest";
import { parseInvocation } from "../src/command-line/parse.ts";
import { COMMAND_GROUPS, COMMANDS } from "../src/commands.ts";

const CALLERS = [
  "--oidc-audience=x",
  "--oidc-client-id=x",
  "--oidc-issuer=https://x",
  "--oidc-jwks-url=https://x",
  "--oidc-skip-opaque-token-validation",
];
const FORMAT = ["--format=json"];
const MCP = ["--server=http://127.0.0.1:1", "--format=json", "--timeout=1s"];

/** Words of a command with its arguments, and each of its flags with a value. */
const REFERENCE: readonly (readonly [words: string, flags: readonly string[]])[] = [
  ["client list-registered", []],
  ["client register cursor", []],
  ["client remove cursor", []],
  ["client setup", []],
  ["client status", []],
  ["config get-ca-cert", []],
  ["config set-ca-cert /x", []],
  ["config unset-ca-cert", []],
  ["config get-registry-url", []],
  ["config set-registry-url https://x", ["--allow-private-ip", "-p"]],
  ["config unset-registry-url", []],
  ["config otel get-endpoint", []],
  ["config otel set-endpoint x", []],
  ["config otel unset-endpoint", []],
  ["config otel get-env-vars", []],
  ["config otel set-env-vars A,B", []],
  ["config otel unset-env-vars", []],
  ["config otel get-sampling-rate", []],
  ["config otel set-sampling-rate 0.5", []],
  ["config otel unset-sampling-rate", []],
  ["inspector x", ["--ui-port=1", "-u 1", "--mcp-proxy-port=1", "-p 1"]],
  ["list", ["--all", "-a", "--format=text", "--label=a=b", "-l a=b"]],
  ["logs x", ["--follow", "-f"]],
  ["logs prune", []],
  ["mcp list", MCP],
  ["mcp list prompts", MCP],
  ["mcp list resources", MCP],
  ["mcp list tools", MCP],
  [
    "proxy x",
    [
      "--target-uri=http://127.0.0.1:1",
      "--host=127.0.0.1",
      "--port=1",
      "--remote-auth",
      "--remote-auth-issuer=https://x",
      "--remote-auth-client-id=x",
      "--remote-auth-client-secret=x",
      "--remote-auth-client-secret-file=x",
      "--remote-auth-scopes=openid",
      "--remote-auth-skip-browser",
      "--remote-auth-timeout=30s",
      "--remote-auth-callback-port=8666",
      ...CALLERS,
    ],
  ],
  ["registry info x", FORMAT],
  ["registry list", FORMAT],
  ["registry ls", FORMAT],
  ["restart x", []],
  ["restart", ["--all", "-a"]],
  ["rm x", []],
  [
    "run x",
    [
      "--name=x",
      "--transport=sse",
      "--proxy-mode=sse",
      "--host=127.0.0.1",
      "--proxy-port=1",
      "--port=1",
      "--target-port=1",
      "--target-host=127.0.0.1",
      "--env=A=1",
      "-e A=1",
      "--secret=a,target=B",
      "--volume=/a:/b",
      "-v /a:/b",
      "--label=a=b",
      "-l a=b",
      "--permission-profile=none",
      "--isolate-network",
      "--foreground",
      "-f",
      "--image-verification=warn",
      "--ca-cert=/x",
      "--authz-config=/x",
      "--audit-config=/x",
      "--enable-audit",
      "--thv-ca-bundle=/x",
      "--jwks-auth-token-file=/x",
      "--jwks-allow-private-ip",
      "--otel-endpoint=x",
      "--otel-service-name=x",
      "--otel-sampling-rate=0.5",
      "--otel-headers=a=b",
      "--otel-insecure",
      "--otel-enable-prometheus-metrics-path",
      "--otel-env-vars=A",
      ...CALLERS,
    ],
  ],
  ["search x", FORMAT],
  ["secret delete x", []],
  ["secret get x", []],
  ["secret list", []],
  ["secret provider none", []],
  ["secret reset-keyring", []],
  ["secret set x", []],
  ["secret setup", []],
  ["serve", ["--host=127.0.0.1", "--port=1", "--socket=/x", "--openapi", ...CALLERS]],
  ["stop x", ["--timeout=30"]],
  ["stop", ["--all"]],
  ["version", ["--format=json", "--json"]],
];

const cases = REFERENCE.flatMap(([words, flags]) =>
  [...flags, "--debug", "--help", "-h"].map((flag) => [`${words} ${flag}`] as const),
);

test.each(cases)("thv %s", (line) => {
  const required =
    line.startsWith("mcp list") || line.startsWith("proxy") ? ["--server=http://x", "--target-uri=http://x"] : [];
  const own = required.filter((flag) => line.startsWith("proxy") === flag.startsWith("--target"));
  const parse = () => parseInvocation([...line.split(" "), ...own], { commands: COMMANDS, groups: COMMAND_GROUPS });

  expect(parse).not.toThrow();
});

test("these are all of the reference's 57 documented flags: 56 beside --debug", () => {
  const names = new Set(REFERENCE.flatMap(([, flags]) => flags).map((flag) => /^--([\w-]+)/.exec(flag)?.[1]));
  names.delete(undefined);

  expect(names.size).toBe(56);
});
