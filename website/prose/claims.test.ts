/** What the comparison says of the measured numbers, checked with the committed results. */

import { PROXY_BENCH_RESULTS as proxy } from "@toolhive/proxy/facts/results";
import { expect, test } from "vitest";

type Row = (typeof proxy.rows)[number] & { perSecond?: number; cpuMsPerCall?: number; refused?: string };

const rows = proxy.rows as readonly Row[];
const ours = rows.filter(({ target }) => target === "ours");
const beside = (row: Row, target: string) =>
  rows.find((each) => each.target === target && each.sessions === row.sessions && each.payload === row.payload);

test.each(["supergateway", "mcp-proxy"])(
  "our proxy answers more calls a second than %s, with less processor time for each, in every measurement",
  (peer) => {
    for (const row of ours) {
      const other = beside(row, peer);
      expect(row.perSecond ?? 0).toBeGreaterThan(other?.perSecond ?? 0);
      expect(row.cpuMsPerCall ?? 0).toBeLessThan(other?.cpuMsPerCall ?? Number.POSITIVE_INFINITY);
    }
  },
);

test("supergateway refuses calls of 1 MB, and the others do not", () => {
  const large = rows.filter(({ payload }) => payload === "1 MB");

  expect(new Set(large.filter(({ refused }) => refused !== undefined).map(({ target }) => target))).toEqual(
    new Set(["supergateway"]),
  );
});

test("talking to the server directly is faster than any proxy", () => {
  for (const direct of rows.filter(({ target }) => target === "direct")) {
    for (const peer of ["bare", "ours", "supergateway", "mcp-proxy"]) {
      expect(direct.perSecond ?? 0).toBeGreaterThan(beside(direct, peer)?.perSecond ?? 0);
    }
  }
});
