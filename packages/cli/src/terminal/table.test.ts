import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { FakeTerminal } from "../testing/fake-terminal.ts";
import { fitTable, printTable, type Table } from "./table.ts";

const SERVERS: Table = {
  header: ["NAME", "STATUS", "PORT"],
  rows: [
    ["everything", "running", "12345"],
    ["fs", "error", ""],
  ],
};

test("a table has left-aligned columns, three spaces apart, and no spaces at the end of a line", () => {
  expect(fitTable(SERVERS, Number.POSITIVE_INFINITY)).toEqual({
    text: "NAME         STATUS    PORT\neverything   running   12345\nfs           error",
    leftOut: [],
  });
});

test("a table without rows is its header", () => {
  expect(fitTable({ header: ["NAME", "STATUS"], rows: [] }, 80).text).toBe("NAME   STATUS");
});

test("every column of a table begins at the same place in every line", () => {
  const cell = fc.stringMatching(/^[a-z]{1,15}$/);
  fc.assert(
    fc.property(fc.array(fc.tuple(cell, cell, cell), { minLength: 1 }), (rows) => {
      const lines = fitTable({ header: ["A", "B", "C"], rows }, 80).text.split("\n");
      const starts = lines.map((line) => [...line.matchAll(/\S+/g)].map(({ index }) => index));

      for (const start of starts) expect(start).toEqual(starts[0]);
    }),
  );
});

describe("on a terminal that is too narrow", () => {
  test("a table leaves out what it can do without, no more than it has to", () => {
    const table = { ...SERVERS, spare: ["PORT", "STATUS"] };

    expect(fitTable(table, 27)).toEqual({
      text: "NAME         STATUS\neverything   running\nfs           error",
      leftOut: ["PORT"],
    });
    expect(fitTable(table, 19)).toEqual({ text: "NAME\neverything\nfs", leftOut: ["PORT", "STATUS"] });
  });

  test("a table cuts its descriptions before it leaves out a column", () => {
    const description = "Reads and writes the files of one folder. ".repeat(2).trim();
    const table = { header: ["NAME", "DESCRIPTION", "PULLS"], rows: [["fs", description, "12"]] };
    const fitted = fitTable({ ...table, cut: "DESCRIPTION", spare: ["PULLS"] }, 50);

    expect(fitted.text.split("\n")[1]).toBe("fs     Reads and writes the files of one…   12");
    expect(fitted.leftOut).toEqual([]);
    expect(fitTable({ ...table, cut: "DESCRIPTION", spare: ["PULLS"] }, 34)).toEqual({
      text: "NAME   DESCRIPTION\nfs     Reads and writes the files…",
      leftOut: ["PULLS"],
    });
  });

  test("a table of which everything is needed becomes blocks of lines", () => {
    expect(fitTable(SERVERS, 20).text).toBe(
      "NAME     everything\nSTATUS   running\nPORT     12345\n\nNAME     fs\nSTATUS   error\nPORT",
    );
  });

  test("no line is wider than the terminal, unless one word is", () => {
    const cell = fc.stringMatching(/^[a-z]{1,9}( [a-z]{1,9}){0,6}$/);
    const table = fc.array(fc.tuple(cell, cell, cell), { minLength: 1, maxLength: 5 });
    fc.assert(
      fc.property(table, fc.integer({ min: 20, max: 80 }), (rows, width) => {
        const { text } = fitTable({ header: ["A", "B", "C"], rows, cut: "B", spare: ["C"] }, width);

        for (const line of text.split("\n")) expect(line.length).toBeLessThanOrEqual(width);
      }),
    );
  });

  test("it says which columns are missing, on stderr; a pipe gets them all", () => {
    const table = { ...SERVERS, spare: ["PORT"] };
    const narrow = new FakeTerminal({ isTty: true, columns: 25, env: { NO_COLOR: "1" } });
    printTable(table, narrow.terminal);
    const pipe = new FakeTerminal({ isTty: false, columns: 25 });
    printTable(table, pipe.terminal);

    expect(narrow.stdout).not.toContain("PORT");
    expect(narrow.stderr.replace(/\s+/g, " ")).toBe("No room here for PORT: see --format json ");
    expect(pipe.stdout).toContain("PORT");
    expect(pipe.stderr).toBe("");
  });
});

test("each of several columns is cut in its turn, before a column is left out", () => {
  const rows = [["n".repeat(60), "http://127.0.0.1:1/mcp", "s".repeat(60)]];
  const table = { header: ["NAME", "URL", "SERVERS"], rows, cut: ["SERVERS", "NAME"], spare: ["SERVERS"] };

  const { text, leftOut } = fitTable(table, 80);

  expect(leftOut).toEqual([]);
  expect(text.split("\n")[1]).toMatch(/^n{23,}… +http:\S+ +s{23}…$/);
});
