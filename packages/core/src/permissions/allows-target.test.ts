/** Whether a profile lets a target through, which the sidecar decides in the same way. */
import { expect, test } from "vitest";
import { addTarget, allowsTarget } from "./profile-changes.ts";

const NOTHING = { allowAll: false, hosts: [], ports: [] };

test.each([
  [NOTHING, "a.test", 443, false],
  [{ ...NOTHING, allowAll: true }, "a.test", 443, true],
  [{ ...NOTHING, hosts: ["a.test"] }, "a.test", 443, true],
  [{ ...NOTHING, hosts: ["A.test."] }, "a.TEST", 443, true],
  [{ ...NOTHING, hosts: ["a.test"] }, "b.a.test", 443, false],
  [{ ...NOTHING, hosts: [".a.test"] }, "b.a.test", 443, true],
  [{ ...NOTHING, hosts: [".a.test"] }, "a.test", 443, true],
  [{ ...NOTHING, hosts: ["*.a.test"] }, "a.test", 443, false],
  [{ ...NOTHING, hosts: ["*.a.test"] }, "b.a.test", 443, true],
  [{ ...NOTHING, hosts: [".a.test"] }, "ba.test", 443, false],
  [{ ...NOTHING, ports: [443] }, "a.test", 443, true],
  [{ ...NOTHING, ports: [443] }, "a.test", 80, false],
  [{ ...NOTHING, hosts: ["a.test"], ports: [443] }, "a.test", 80, false],
  [{ ...NOTHING, hosts: ["a.test"], ports: [443] }, "a.test", undefined, true],
])("%j lets %s:%s through: %s", (outbound, host, port, expected) => {
  expect(allowsTarget(outbound, { host, port })).toBe(expected);
});

test.each([NOTHING, { ...NOTHING, hosts: ["b.test"] }, { ...NOTHING, ports: [80] }])(
  "%j with a target lets it through",
  (outbound) => {
    const target = { host: "A.test.", port: 443 };

    expect(allowsTarget(addTarget(outbound, target), target)).toBe(true);
  },
);
