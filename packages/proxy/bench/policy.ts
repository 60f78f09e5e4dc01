/** Microseconds that Cedar takes for one decision, fresh and remembered. Run: npm run bench:policy -w @toolhive/proxy */
import { Cedar } from "../src/authz/cedar/cedar.ts";
import type { PolicyQuery } from "../src/authz/cedar/query.ts";
import { SILENT_LOG } from "../src/options/log.ts";

const RUNS = 2_000;
const caller = {
  id: "ada",
  claims: { sub: "ada", iss: "https://login.example", aud: "weather", exp: 2_000_000_000, roles: ["a", "b"] },
};

function policies(count: number): string[] {
  return Array.from(
    { length: count },
    (_, index) =>
      `permit(principal, action == Action::"call_tool", resource == Tool::"tool${index}") when { principal.claim_roles.contains("a") && (!(context has arg_n) || context.arg_n <= 100) };`,
  );
}

function measure(decide: (index: number) => void): number {
  const times: number[] = [];
  for (let index = 0; index < RUNS; index += 1) {
    const start = performance.now();
    decide(index);
    times.push((performance.now() - start) * 1_000);
  }
  times.sort((left, right) => left - right);
  return times[RUNS / 2] ?? 0;
}

for (const count of [1, 10, 100]) {
  const cedar = Cedar.open({ version: "1.0", type: "cedarv1", cedar: { policies: policies(count) } }, SILENT_LOG);
  const query = (n: number): PolicyQuery => ({ action: "call_tool", name: "tool0", args: { n } });
  const fresh = measure((index) => cedar.isAllowed(caller, query(index)));
  const known = measure(() => cedar.isAllowed(caller, query(1)));
  process.stdout.write(`${count} policies: ${fresh.toFixed(0)} µs fresh, ${known.toFixed(1)} µs remembered (p50)\n`);
}
