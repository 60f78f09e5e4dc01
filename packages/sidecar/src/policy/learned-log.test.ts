import { expect, test } from "vitest";
import { EgressPolicy } from "./egress-policy.ts";
import { LearnedLog } from "./learned-log.ts";

const RULES = { allowAll: true, hosts: [], ports: [] };

test("what is let out is written down once, under the name of a profile", () => {
  const lines: string[] = [];
  const policy = new EgressPolicy({ ...RULES, closed: [], learns: true });
  const log = new LearnedLog(policy, (line) => lines.push(line));

  for (const host of ["api.test", "API.test.", "api.test"]) log.add(host, 443);
  log.add("api.test", 80);
  log.add("a\nb", 1);

  expect(lines).toEqual(["network: learned api.test:443", "network: learned api.test:80", "network: learned a?b:1"]);
});

test("nothing is written down before and after rules are learned, and never more than a thousand targets", () => {
  const lines: string[] = [];
  const policy = new EgressPolicy({ ...RULES, closed: [] });
  const log = new LearnedLog(policy, (line) => lines.push(line));
  log.add("before.test", 1);
  policy.replace({ ...RULES, learns: true });
  for (let port = 1; port <= 2_000; port += 1) log.add("many.test", port);
  policy.replace({ allowAll: false, hosts: ["many.test"], ports: [443] });
  log.add("many.test", 443);

  expect([lines.length, lines[0]]).toEqual([1_000, "network: learned many.test:1"]);
});
