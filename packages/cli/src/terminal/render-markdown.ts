/** Markdown for a terminal: headings, listings, lists and tables within its width. The parser is that of the site's build. */
import { stripVTControlCharacters } from "node:util";
import type { BlockContent, DefinitionContent, List, PhrasingContent, Root, RootContent, Table } from "mdast";
import { fromMarkdown } from "mdast-util-from-markdown";
import { gfmTableFromMarkdown } from "mdast-util-gfm-table";
import { gfmTable } from "micromark-extension-gfm-table";
import type { Style } from "./terminal.ts";
import { wrap } from "./wrap.ts";

export interface RenderOptions {
  /** Columns. Listings stay whole, to be copied. */
  readonly width: number;
  /** Whether lines may be drawn with more than ASCII. */
  readonly isUtf8: boolean;
  readonly paint: (style: Style, text: string) => string;
  /** How an address is written behind its text. */
  readonly shortenLink: (address: string) => string;
}

type Block = RootContent | BlockContent | DefinitionContent;

const GAP = "  ";
/** A column that is narrower shows pieces of words. */
const LEAST_COLUMN = 10;
/** A listing within a list is indented by this at most. */
const INDENT = "    ";
/** Rows without a place beside each other need this much for what they say. */
const LEAST_TEXT = 20;

export function renderMarkdown(markdown: string, options: RenderOptions): string {
  return new Renderer(options).render(parse(markdown));
}

/** One line without marks, for an excerpt. */
export function plainMarkdown(markdown: string): string {
  const words: string[] = [];
  const visit = (node: Root | Block | PhrasingContent): void => {
    // A diagram is no sentence.
    if (node.type === "code" && node.lang === "mermaid") return;
    if ("value" in node) words.push(node.value);
    else if (node.type === "break") words.push(" ");
    if ("children" in node) for (const child of node.children) visit(child as Block);
    if (node.type !== "root" && !INLINE.has(node.type)) words.push(" ");
  };
  visit(parse(markdown));
  return words.join("").replace(/\s+/g, " ").trim();
}

const INLINE = new Set(["text", "emphasis", "strong", "inlineCode", "link", "delete"]);

function parse(markdown: string): Root {
  return fromMarkdown(markdown, { extensions: [gfmTable()], mdastExtensions: [gfmTableFromMarkdown()] });
}

class Renderer {
  readonly #options: RenderOptions;

  constructor(options: RenderOptions) {
    this.#options = options;
  }

  render({ children }: Root): string {
    return this.#blocks(children, "");
  }

  #blocks(blocks: readonly Block[], indent: string): string {
    return blocks
      .map((block) => this.#block(block, indent))
      .filter((text) => text !== "")
      .join("\n\n");
  }

  #block(block: Block, indent: string): string {
    const { width, paint } = this.#options;
    switch (block.type) {
      case "heading": {
        const text = this.#inline(block.children);
        const heading = wrap(paint("bold", text), width, indent);
        const lines = stripVTControlCharacters(heading).split("\n");
        const length = Math.max(...lines.map((line) => line.length)) - indent.length;
        return block.depth > 2 ? heading : `${heading}\n${indent}${this.#rule(block.depth === 1 ? "=" : "-", length)}`;
      }
      case "paragraph":
        return this.#inline(block.children)
          .split("\n")
          .map((line) => wrap(line, width, indent))
          .join("\n");
      case "code":
        return block.value
          .split("\n")
          .map((line) => (line === "" ? "" : `${indent}${INDENT}${paint("cyan", line)}`))
          .join("\n");
      case "list":
        return this.#list(block, indent);
      case "blockquote":
        return this.#quote(this.#narrower(2).#blocks(block.children, ""), indent);
      case "table":
        return this.#table(block, indent);
      case "thematicBreak":
        return indent + this.#rule("-", Math.max(3, width - indent.length));
      case "html":
        return wrap(block.value.replace(/<[^>]*>/g, " "), width, indent).trimEnd();
      default:
        return "";
    }
  }

  #narrower(columns: number): Renderer {
    return new Renderer({ ...this.#options, width: Math.max(LEAST_TEXT, this.#options.width - columns) });
  }

  #rule(mark: "=" | "-", length: number): string {
    const drawn = this.#options.isUtf8 ? { "=": "═", "-": "─" }[mark] : mark;
    return this.#options.paint("dim", drawn.repeat(Math.max(1, length)));
  }

  #quote(text: string, indent: string): string {
    const bar = this.#options.paint("dim", this.#options.isUtf8 ? "│" : "|");
    return text
      .split("\n")
      .map((line) => `${indent}${bar} ${line}`.trimEnd())
      .join("\n");
  }

  #list({ children, ordered, start, spread }: List, indent: string): string {
    const items = children.map((item, index) => {
      const mark = ordered ? `${(start ?? 1) + index}. ` : this.#options.isUtf8 ? "• " : "- ";
      const deeper = indent + " ".repeat(mark.length);
      const text = item.children.map((block) => this.#block(block, deeper)).join(item.spread ? "\n\n" : "\n");
      return indent + mark + text.slice(deeper.length);
    });
    return items.join(spread ? "\n\n" : "\n");
  }

  /** Columns beside each other where there is room; else a block for each row. */
  #table({ children }: Table, indent: string): string {
    const rows = children.map((row) => row.children.map((cell) => this.#inline(cell.children).replaceAll("\n", " ")));
    const [head = [], ...body] = rows;
    const widths = fitColumns(rows, this.#options.width - indent.length);
    if (widths === undefined) return this.#rowBlocks(head, body, indent);
    const format = (row: readonly string[]): string => formatRow(row, widths, indent);
    const bold = head.map((title) => (title === "" ? "" : this.#options.paint("bold", title)));
    const rule = indent + widths.map((width) => this.#rule("-", width)).join(GAP);
    return [format(bold), rule, ...body.map(format)].join("\n");
  }

  #rowBlocks(head: readonly string[], body: readonly (readonly string[])[], indent: string): string {
    const { width, paint } = this.#options;
    return body
      .map((row) =>
        row
          .flatMap((cell, column) => {
            if (cell === "") return [];
            const title = head[column] ?? "";
            const label = title === "" ? "" : `${paint("bold", `${title}:`)} `;
            return [wrap(`${label}${cell}`, width, indent, `${indent}  `)];
          })
          .join("\n"),
      )
      .join("\n\n");
  }

  #inline(nodes: readonly PhrasingContent[]): string {
    return nodes.map((node) => this.#phrase(node)).join("");
  }

  #phrase(node: PhrasingContent): string {
    const { paint, shortenLink } = this.#options;
    switch (node.type) {
      case "text":
        return node.value.replace(/\s*\n\s*/g, " ");
      case "inlineCode": {
        const painted = paint("cyan", node.value);
        // Without colours the marks say what is to be typed.
        return painted === node.value ? `\`${node.value}\`` : painted;
      }
      case "strong":
        return paint("bold", this.#inline(node.children));
      case "emphasis":
      case "delete":
        return this.#inline(node.children);
      case "link": {
        const text = this.#inline(node.children);
        const address = shortenLink(node.url);
        return address === "" || stripVTControlCharacters(text) === address
          ? text
          : `${text} ${paint("dim", `(${address})`)}`;
      }
      case "image":
        return node.alt ?? "";
      case "break":
        return "\n";
      case "html":
        return node.value.replace(/<br\s*\/?>/gi, "\n").replace(/<[^>]*>/g, "");
      default:
        return "";
    }
  }
}

const measureWidth = (text: string): number => stripVTControlCharacters(text).length;

/**
 * What each column gets: all that it needs, or less for those that need most.
 *
 * @returns `undefined` where some column would be too narrow to read.
 */
function fitColumns(rows: readonly (readonly string[])[], width: number): number[] | undefined {
  const count = Math.max(...rows.map((row) => row.length));
  const columns = Array.from({ length: count }, (_column, index) => rows.map((row) => row[index] ?? ""));
  const needed = columns.map((cells) => Math.max(1, ...cells.map(measureWidth)));
  const least = columns.map((cells, index) => {
    const longest = Math.max(1, ...cells.flatMap((cell) => cell.split(/\s+/).map(measureWidth)));
    return Math.min(needed[index] ?? 1, Math.max(LEAST_COLUMN, longest));
  });
  const room = width - GAP.length * (count - 1);
  if (least.reduce((sum, each) => sum + each, 0) > room) return undefined;
  const widths = [...needed];
  for (let surplus = sum(widths) - room; surplus > 0; surplus = sum(widths) - room) {
    // The column that can give most gives, down to the next one.
    const spare = widths.map((each, index) => each - (least[index] ?? 1));
    const at = spare.indexOf(Math.max(...spare));
    const others = spare.filter((_each, index) => index !== at);
    const step = Math.max(1, Math.min(surplus, (spare[at] ?? 0) - Math.max(0, ...others)));
    widths[at] = (widths[at] ?? 1) - Math.min(step, spare[at] ?? 1);
  }
  return widths;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}

function formatRow(row: readonly string[], widths: readonly number[], indent: string): string {
  const cells = widths.map((width, column) => wrap(row[column] ?? "", width).split("\n"));
  const height = Math.max(...cells.map((lines) => lines.length));
  return Array.from({ length: height }, (_line, at) =>
    (
      indent +
      cells
        .map((lines, column) => {
          const line = lines[at] ?? "";
          return line + " ".repeat(Math.max(0, (widths[column] ?? 0) - measureWidth(line)));
        })
        .join(GAP)
    ).trimEnd(),
  ).join("\n");
}
