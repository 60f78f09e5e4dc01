/** Aligns columns of numbers to the right, so that their digits stand below each other. Markdown seldom says it. */
import type { Element, ElementContent, Parents, Root } from "hast";

/** A number, with its sign, unit or both, such as `< 1.5 ms`, `12 %` or `1,234`. */
const NUMBER = /^[<>≈~±+-]?\s?\d[\d.,]*(?:\s?(?:%|[a-zµ]{1,4}))?$/i;
/** A column of numbers may have a word in the place of one, such as *refused*; it has at least so many numbers for each word. */
const NUMBERS_FOR_A_WORD = 2;
/** A cell where there is nothing to measure. */
const EMPTY = /^[–—-]?$/;

export default function rehypeNumberColumns() {
  return (tree: Root): void => alignTables(tree);
}

function alignTables(parent: Parents): void {
  for (const child of parent.children) {
    if (child.type === "element" && child.tagName === "table") alignColumns(child);
    else if ("children" in child) alignTables(child as Parents);
  }
}

function alignColumns(table: Element): void {
  const head = findRows(table, "thead");
  const body = findRows(table, "tbody");
  const [first = []] = head;
  // The first column names what the row is about, also where the name is a number.
  for (let column = 1; column < first.length; column++) {
    const cells = [...head, ...body].flatMap((row) => row[column] ?? []);
    if (cells.some(({ properties }) => properties.align !== undefined)) continue;
    const texts = body.map((row) => readCellText(row[column]).trim());
    const numbers = texts.filter((text) => NUMBER.test(text)).length;
    const words = texts.filter((text) => !NUMBER.test(text) && !EMPTY.test(text)).length;
    const isNumbers = numbers > 0 && numbers >= NUMBERS_FOR_A_WORD * words;
    if (!isNumbers) continue;
    for (const cell of cells) cell.properties.align = "right";
  }
}

function findRows(table: Element, part: "thead" | "tbody"): Element[][] {
  return listElements(table)
    .filter(({ tagName }) => tagName === part)
    .flatMap(listElements)
    .map(listElements);
}

function listElements({ children }: Element): Element[] {
  return children.filter((child) => child.type === "element");
}

function readCellText(node: ElementContent | undefined): string {
  if (node?.type === "text") return node.value;
  return node !== undefined && "children" in node ? (node.children as ElementContent[]).map(readCellText).join("") : "";
}
