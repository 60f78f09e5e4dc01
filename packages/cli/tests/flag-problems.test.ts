/** The path of a problem gives the flag that it is about, whatever its sentence says. */
import { listCreateProblems } from "@toolhive/api/create-problems";
import { expect, test } from "vitest";
import { formatInFlags } from "../src/commands/run/flag-problems.ts";
import type { RequestBody } from "../src/commands/run/request-body.ts";

const REMOTE = "https://mcp.example.com/mcp";

test.each<[Record<string, unknown>, string]>([
  [{ limits: { cpus: 0.001 } }, "--cpus"],
  [{ limits: { memory_bytes: -1 } }, "--memory"],
  [{ limits: { pids: "many" } }, "--pids-limit"],
  [{ limits: 7 }, "a limit (--memory, --cpus, --pids-limit)"],
  [{ name: "a b" }, "--name"],
  [{ target_port: 70_000 }, "--target-port"],
  [{ target_host: "example.com" }, "--target-host"],
  [{ proxy_port: -1 }, "--proxy-port"],
  [{ proxy_mode: "pigeon" }, "--proxy-mode"],
  [{ host: "nowhere" }, "--host"],
  [{ transport: "pigeon" }, "--transport"],
  [{ allowed_hosts: ["https://x"] }, "--allowed-host"],
  [{ env_vars: ["A"] }, "--env"],
  [{ env_vars: ["A\nB=1"] }, "--env"],
  [{ secrets: [{ name: "a,b", target: "A" }] }, "--secret"],
  [{ volumes: ["/a:b"] }, "--volume"],
  [{ user: "root" }, "--user"],
  [{ read_only: "yes" }, "--read-only"],
  [{ pull_policy: "often" }, "--pull"],
  [{ image_verification: "maybe" }, "--image-verification"],
  [{ sleep_after_seconds: -1 }, "--sleep-after"],
  [{ tools: [""] }, "--tools"],
  [{ tools_override: { a: {} } }, "--tools-override"],
  [{ labels: { toolhive: "x" } }, "--label"],
  [{ permission_profile: { read: ["a:b"] } }, "--permission-profile"],
  [{ oidc: { client_id: 7 } }, "--oidc-client-id"],
  [{ oidc: { allow_opaque_tokens: 7 } }, "--oidc-skip-opaque-token-validation"],
  [{ telemetry: { prometheus_path: 7 } }, "--otel-enable-prometheus-metrics-path"],
  [{ telemetry: { service_name: 7 } }, "--otel-service-name"],
  [{ oauth_config: { use_pkce: true } }, "--remote-auth"],
  [{ image: REMOTE, oauth_config: { client_id: 7 } }, "--remote-auth-client-id"],
  [{ image: REMOTE, header_forward: { add_plaintext_headers: { Cookie: "x" } } }, "--remote-forward-headers"],
  [{ image: REMOTE, header_forward: { add_headers_from_secret: { Cookie: "x" } } }, "--remote-forward-headers-secret"],
  [{ image: REMOTE, cmd_arguments: ["x"] }, "-- ARGUMENTS"],
  [{ image: REMOTE, network_isolation: true }, "--isolate-network"],
  [{ image: REMOTE, ca_certificate: "/x" }, "--ca-cert"],
  [{ allow_insecure_http: "yes" }, "--remote-allow-http"],
])("%j is about %s", (members, flag) => {
  const problems = listCreateProblems({ image: "mcp/echo:1", ...members } as RequestBody);

  expect(problems.length).toBeGreaterThan(0);
  for (const { path } of problems)
    expect(formatInFlags({ path, sentence: "Words of another day" })).toBe(`${flag}: Words of another day`);
});

test("a sentence about what no flag sets is left as it is", () => {
  expect(formatInFlags({ path: ["image"], sentence: "One" })).toBe("One");
  expect(formatInFlags({ path: [], sentence: "One" })).toBe("One");
});
