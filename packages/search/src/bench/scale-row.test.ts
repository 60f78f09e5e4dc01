import { expect, test } from "vitest";
import { findChangeover, type ScaleRow } from "./scale-row.ts";

const row = (engine: ScaleRow["engine"], records: number, p99Ms: number, serviceBytes: number): ScaleRow => ({
  engine,
  records,
  nodes: engine === "own" ? 0 : 1,
  shards: 1,
  replicas: 0,
  buildS: 1,
  loadS: 1,
  updateS: 1,
  clients: [
    { clients: 1, searches: 600, perSecond: 100, p50Ms: 1, p99Ms: 1 },
    { clients: 16, searches: 600, perSecond: 100, p50Ms: 1, p99Ms },
  ],
  serviceBytes,
  nodesBytes: 0,
  diskBytes: 1,
  answered: 1,
  date: "2026-11-27",
  loadBefore: 0,
  loadAfter: 0,
});

test("the embedded engine that is faster at every size is left for its memory only", () => {
  const found = findChangeover([
    row("own", 1_000, 5, 2_000_000),
    row("opensearch", 1_000, 90, 1_000_000),
    row("own", 10_000, 50, 20_000_000),
    row("opensearch", 10_000, 90, 3_000_000),
  ]);

  expect(found).toMatchObject({ fasterFrom: undefined, largest: 10_000, bytesBesideCluster: 3_000_000 });
  expect(found.recordsThatFill(2_000_000)).toBe(1_000);
});

test("the size at which a cluster answers many clients sooner is named", () => {
  const rows = [row("own", 1_000, 5, 1), row("opensearch", 1_000, 90, 1), row("own", 10_000, 500, 1)];

  expect(findChangeover([...rows, row("opensearch", 10_000, 90, 1)]).fasterFrom).toBe(10_000);
  expect(() => findChangeover(rows)).toThrow("10000 records");
});
