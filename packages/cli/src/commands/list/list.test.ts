import { expect, test } from "vitest";
import { formatAge } from "../../terminal/usage-words.ts";
import { formatRow } from "./list.ts";

test("a server whose configuration is damaged has no port and no date, and none is made up", () => {
  const damaged = {
    name: "notes",
    package: "",
    url: "",
    port: 0,
    tool_type: "mcp",
    transport_type: "stdio",
    status: "error",
    created_at: new Date(0).toISOString(),
  } as const;

  expect(formatRow(damaged, (timestamp) => timestamp)).toEqual(["notes", "-", "error", "-", "-", "mcp", "-"]);
});

test.each([
  [0, "now"],
  [-5, "now"],
  [1, "1 second ago"],
  [59, "59 seconds ago"],
  [300, "5 minutes ago"],
  [3_600, "1 hour ago"],
  [200_000, "2 days ago"],
])("a server created %i seconds ago is shown so to people", (seconds, expected) => {
  const now = Date.parse("2025-07-20T10:00:00Z");

  expect(formatAge(new Date(now - seconds * 1_000).toISOString(), now)).toBe(expected);
});
