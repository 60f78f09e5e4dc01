import { describe, expect, it, test } from "vitest";
import type { Group } from "../../store/group-places.ts";
import { findWays, listColumns, listRows, move } from "./matrix-cells.ts";

const group = (name: string, servers: readonly string[], clients: readonly string[]): Group => ({
  name,
  registered_clients: [...clients],
  workloads: servers.map((each) => ({ name: each, state: "ready" })),
});
const GROUPS = [
  group("work", ["r10", "r2"], ["cursor"]),
  group("default", ["alone"], []),
  group("home", ["r2"], ["cursor"]),
];

describe("the table of clients", () => {
  it("has groups first, with the default before the others, and servers in the order that people expect", () => {
    expect(listColumns(GROUPS).map(({ kind, name }) => `${kind} ${name}`)).toEqual([
      ...["group default", "group home", "group work"],
      ...["server alone", "server r2", "server r10"],
    ]);
  });

  it("says through which groups a client has a server", () => {
    const columns = listColumns(GROUPS);
    const ways = (name: string) =>
      columns.filter((column) => column.name === name).map((column) => findWays("cursor", column, GROUPS))[0];

    expect([ways("r2"), ways("r10"), ways("alone"), ways("work"), ways("default")]).toEqual([
      ...[["work", "home"], ["work"], [], ["work"], []],
    ]);
  });

  it("leaves out clients that are neither on this machine nor connected", () => {
    const client = { client_type: "a", title: "A", installed: false, registered: false };
    const clients = [
      client,
      { ...client, client_type: "b", installed: true },
      { ...client, client_type: "c", registered: true },
    ];

    expect(listRows(clients).map(({ client_type: id }) => id)).toEqual(["b", "c"]);
  });
});

test.each([
  ["ArrowRight", false, { row: 1, column: 2 }],
  ["ArrowLeft", false, { row: 1, column: 0 }],
  ["ArrowUp", false, { row: 0, column: 1 }],
  ["ArrowDown", false, { row: 1, column: 1 }],
  ["Home", false, { row: 1, column: 0 }],
  ["End", true, { row: 1, column: 2 }],
  ["Home", true, { row: 0, column: 0 }],
  ["Enter", false, undefined],
])("%s (with Ctrl: %s) leads from the middle of the last row to %j", (key, ctrlKey, expected) => {
  expect(move({ row: 1, column: 1 }, { key, ctrlKey }, 2, 3)).toEqual(expected);
});
