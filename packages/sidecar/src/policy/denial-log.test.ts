import { expect, test } from "vitest";
import { DenialLog } from "./denial-log.ts";
import { EgressPolicy } from "./egress-policy.ts";

function open() {
  const lines: string[] = [];
  let now = 0;
  const policy = new EgressPolicy({ allowAll: false, hosts: ["a.test"], ports: [], closed: [] });
  const log = new DenialLog(
    policy,
    (line) => lines.push(line),
    () => now,
  );
  return { lines, log, pass: (ms: number) => (now += ms) };
}

test("a denial says what was refused and the line that allows it", () => {
  const { lines, log } = open();

  log.add("b.test", 443);

  expect(lines).toEqual(['network: denied b.test:443. To allow it: "allow_host": ["a.test","b.test"]']);
});

test("the same denial is logged once a minute", () => {
  const { lines, log, pass } = open();

  log.add("b.test", 443);
  log.add("b.test", 443);
  pass(60_000);
  log.add("b.test", 443);

  expect(lines).toHaveLength(2);
});

test("what a server chose as a name cannot forge a line or move a cursor", () => {
  const { lines, log } = open();

  log.add("x\nnetwork: denied \u001b[2Jy", undefined);

  expect(lines).toHaveLength(1);
  expect(lines[0]).not.toMatch(/\p{Cc}/u);
});
