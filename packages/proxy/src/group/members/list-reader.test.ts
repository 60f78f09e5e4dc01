/** Reading the lists of one server of a group. */
import { getEventListeners } from "node:events";
import { expect, test } from "vitest";
import { GROUP_BOUNDS } from "../../options/group-limits.ts";
import { ListReader } from "./list-reader.ts";

const CHANGED = Buffer.from('{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}');

test("a server that announces many changes at once leaves no listener behind for any of them", async () => {
  const reader = new ListReader(GROUP_BOUNDS);
  const { signal } = new AbortController();
  const counts = new Set<number>();

  for (let change = 0; change < 50; change++) {
    await reader.readAll();
    const changed = reader.untilChanged(signal);
    counts.add(getEventListeners(signal, "abort").length);
    reader.onMessage(CHANGED);
    await changed;
  }

  expect([...counts]).toEqual([1]);
  expect(getEventListeners(signal, "abort")).toEqual([]);
});
