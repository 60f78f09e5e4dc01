/** What can be changed of a group after its creation. */
import { expect, test } from "vitest";
import { GROUPS_OPERATIONS } from "./groups.ts";

test("a group's naming rule is chosen at its creation, and no other request takes one", () => {
  const taking = Object.entries<object>(GROUPS_OPERATIONS)
    .filter(([, operation]) => "body" in operation && JSON.stringify(operation.body ?? {}).includes('"naming"'))
    .map(([id]) => id);

  expect(taking).toEqual(["createGroup"]);
});
