/** Plain tables: left-aligned columns, three spaces apart, no borders, so that they can be cut and sorted. */
import { shorten } from "@toolhive/http/values";
import { showLine } from "./shown-text.ts";
import type { Terminal } from "./terminal.ts";
import { wrap } from "./wrap.ts";

const GAP = "   ";
/** A text cut to fewer characters would be useless. */
const LEAST_CUT_WIDTH = 24;

export interface Table {
  readonly header: readonly string[];
  readonly rows: readonly (readonly string[])[];
  /** The columns whose texts may be cut, with `…` at their end, down to 24 characters; the first one first. */
  readonly cut?: string | readonly string[];
  /** Columns to do without where the table does not fit, the first one first. */
  readonly spare?: readonly string[];
}

export interface FittedTable {
  readonly text: string;
  /** Columns that are not in the text. */
  readonly leftOut: readonly string[];
}

/**
 * Prints a table. In a pipe it is always whole; on a terminal that is narrower its texts are cut, then columns are omitted, with
 * a note that names them, and where that is not enough every row is a block with a line for each column.
 */
export function printTable(table: Table, terminal: Terminal): void {
  const { text, leftOut } = fitTable(table, terminal.tableWidth);
  terminal.print(text);
  reportLeftOut(leftOut, terminal);
}

export function reportLeftOut(columns: readonly string[], terminal: Terminal): void {
  if (columns.length === 0) return;
  terminal.infoProse(terminal.err("dim", `No room here for ${columns.join(", ")}: see --format json`));
}

/**
 * A cell has one line, also in a pipe: no text can create a row of its own.
 *
 * @param width Columns; may be infinite.
 */
export function fitTable(given: Table, width: number): FittedTable {
  const table = { ...given, header: given.header.map(showLine), rows: given.rows.map((row) => row.map(showLine)) };
  const leftOut: string[] = [];
  for (const next of [undefined, ...(table.spare ?? [])]) {
    if (next !== undefined && table.header.includes(next)) leftOut.push(next);
    const kept = cutToFit(withoutColumns(table, leftOut), width);
    if (measureWidth(kept) <= width) return { text: formatTable(kept), leftOut };
  }
  return { text: formatBlocks(table, width), leftOut: [] };
}

function withoutColumns({ header, rows, ...rest }: Table, names: readonly string[]): Table {
  const keep = (row: readonly string[]) => row.filter((_cell, column) => !names.includes(header[column] ?? ""));
  return { header: keep(header), rows: rows.map(keep), ...rest };
}

function cutToFit(table: Table, width: number): Table {
  return [table.cut ?? []].flat().reduce((fitted, title) => cutColumn(fitted, title, width), table);
}

function cutColumn(table: Table, title: string, width: number): Table {
  const at = table.header.indexOf(title);
  const surplus = measureWidth(table) - width;
  if (at < 0 || surplus <= 0) return table;
  const room = Math.max(LEAST_CUT_WIDTH, (columnWidths(table)[at] ?? 0) - surplus);
  const cut = (row: readonly string[]) => row.map((cell, column) => (column === at ? shorten(cell, room) : cell));
  return { ...table, rows: table.rows.map(cut) };
}

const columnWidths = ({ header, rows }: Table): number[] =>
  header.map((_title, column) => Math.max(...[header, ...rows].map((row) => (row[column] ?? "").length)));

const measureWidth = (table: Table): number =>
  columnWidths(table).reduce((sum, width) => sum + width, GAP.length * Math.max(0, table.header.length - 1));

function formatTable(table: Table): string {
  const widths = columnWidths(table);
  return [table.header, ...table.rows]
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join(GAP)
        .trimEnd(),
    )
    .join("\n");
}

function formatBlocks({ header, rows }: Table, width: number): string {
  const titleWidth = Math.max(...header.map((title) => title.length));
  return rows
    .map((row) =>
      header
        .map((title, column) => wrap(row[column] ?? "", width, `${title.padEnd(titleWidth)}${GAP}`).trimEnd())
        .join("\n"),
    )
    .join("\n\n");
}
