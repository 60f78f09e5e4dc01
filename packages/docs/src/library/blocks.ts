/** Markdown as blocks that may be omitted one by one: a paragraph, a list item, a row of a table, a whole listing. */

export interface MarkdownBlock {
  /** With the line ends behind it. */
  readonly text: string;
  readonly start: number;
  readonly end: number;
  /** The head of the table of which this is a row. */
  readonly tableHead?: string;
}

const FENCE = /^[\s>]*(`{3,}|~{3,})/;
const TABLE_RULE = /^\s*\|(?:\s*:?-+:?\s*\|)+\s*$/;
const LIST_ITEM = /^\s*(?:[-*+]|\d{1,9}[.)]) /;

/** @returns Blocks that joined give the text again. */
export function splitBlocks(markdown: string): MarkdownBlock[] {
  const blocks: MarkdownBlock[] = [];
  let text = "";
  let start = 0;
  let at = 0;
  let fence: string | undefined;
  let tableHead: string | undefined;
  let previous = "";
  const end = (): void => {
    // Blank lines belong to the block before them.
    const last = blocks.at(-1);
    if (text.trim() === "" && last !== undefined)
      blocks[blocks.length - 1] = { ...last, text: last.text + text, end: at };
    else if (text !== "") blocks.push({ text, start, end: at, ...(tableHead !== undefined && { tableHead }) });
    text = "";
    start = at;
  };
  for (const line of splitLines(markdown)) {
    const [, mark] = FENCE.exec(line) ?? [];
    const bare = line.trimEnd();
    const isRow = fence === undefined && bare.trimStart().startsWith("|");
    if (!isRow && tableHead !== undefined) {
      end();
      tableHead = undefined;
    }
    if (fence === undefined && mark !== undefined) end();
    else if (isRow && TABLE_RULE.test(bare) && previous.trimStart().startsWith("|")) {
      text += line;
      at += line.length;
      const head = text;
      end();
      tableHead = head;
      previous = bare;
      continue;
    } else if (isRow && tableHead !== undefined) end();
    else if (fence === undefined && LIST_ITEM.test(line)) end();
    else if (fence === undefined && previous === "" && bare !== "") end();
    text += line;
    at += line.length;
    if (mark !== undefined && (fence === undefined || mark.startsWith(fence))) {
      if (fence !== undefined) end();
      fence = fence === undefined ? mark : undefined;
    }
    previous = bare;
  }
  end();
  return blocks;
}

/** Lines with their ends. */
function splitLines(text: string): string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
}
