import fc from "fast-check";
import { expect, test } from "vitest";
import { formatTable } from "./table.ts";

test("a table has left-aligned columns, three spaces apart, and no spaces at the end of a line", () => {
  expect(
    formatTable(
      ["NAME", "STATUS", "PORT"],
      [
        ["everything", "running", "12345"],
        ["fs", "error", ""],
      ],
    ),
  ).toBe("NAME         STATUS    PORT\neverything   running   12345\nfs           error");
});

test("a table without rows is its header", () => {
  expect(formatTable(["NAME", "STATUS"], [])).toBe("NAME   STATUS");
});

test("every column of a table begins at the same place in every line", () => {
  const cell = fc.stringMatching(/^[a-z]{1,15}$/);
  fc.assert(
    fc.property(fc.array(fc.tuple(cell, cell, cell), { minLength: 1 }), (rows) => {
      const lines = formatTable(["A", "B", "C"], rows).split("\n");
      const starts = lines.map((line) => [...line.matchAll(/\S+/g)].map(({ index }) => index));

      for (const start of starts) expect(start).toEqual(starts[0]);
    }),
  );
});
