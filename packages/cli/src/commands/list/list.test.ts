/** The cells of `thv list`. */
import { expect, test } from "vitest";
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
