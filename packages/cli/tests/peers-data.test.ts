import { readPeerVersion } from "@toolhive/testing";
import { expect, test } from "vitest";
import { listClientWays, listServerWays, PEERS } from "../src/facts/peers/peers.ts";

test.each(PEERS)("the version of $id is the one that is pinned", async ({ language, sdk, version }) => {
  expect(version).toBe(await readPeerVersion(language, sdk));
});

test("each peer has one name, and its client is one of them", () => {
  const ids = PEERS.map(({ id }) => id);

  expect(new Set(ids).size).toBe(ids.length);
  expect(ids).toEqual(expect.arrayContaining(PEERS.map(({ client }) => client)));
});

test("each difference is on a way that is tried", () => {
  const rows = PEERS.flatMap(({ servers, clients }) => [
    ...servers.map((row) => ({ row, ways: listServerWays(row.kind) })),
    ...clients.map((row) => ({ row, ways: listClientWays(row.kind) })),
  ]);
  const elsewhere = rows.flatMap(({ row, ways }) => row.differences.filter(({ way }) => !ways.includes(way)));

  expect(elsewhere).toEqual([]);
});
