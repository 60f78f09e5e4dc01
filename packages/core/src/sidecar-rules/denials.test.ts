import { expect, test } from "vitest";
import { parseDenial, summarizeDenials } from "./denials.ts";

test.each([
  ["network: denied b.test:443. To allow it: x", { host: "b.test", port: 443 }],
  ["network: denied b.test. To allow it: x", { host: "b.test", port: undefined }],
  ["network: denied 192.0.2.7:22 (a machine's own network). To allow it: x", { host: "192.0.2.7", port: 22 }],
  ["network: denied ???", { host: "???", port: undefined }],
  ["sidecar: ready", undefined],
])("the target of the line %j is %j", (line, target) => {
  expect(parseDenial(line)).toEqual(target);
});

test("lines about one target are one denial, the newest target is the first, and there are 100 at most", () => {
  const line = (host: string, at?: number) => ({ text: `network: denied ${host}:443. To allow it: x`, at });

  expect(summarizeDenials([line("a", 1), line("b", 2), { text: "other" }, line("a", 3)])).toEqual([
    { host: "a", port: 443, count: 2, lastAt: 3 },
    { host: "b", port: 443, count: 1, lastAt: 2 },
  ]);
  const many = summarizeDenials(Array.from({ length: 105 }, (_, index) => line(`${index}`)));
  expect([many.length, many[0]?.host]).toEqual([100, "104"]);
});
