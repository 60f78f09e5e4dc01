/**
 * The words after a fence's language: `title="values.yaml" {2,4-5} showLineNumbers run norun="…" output`.
 * `run`, `norun`, `output` and `exit` belong to the documentation that runs; the page only needs to know them.
 */
export interface FenceMeta {
  readonly title: string | undefined;
  readonly marked: ReadonlySet<number>;
  readonly numbered: boolean;
  /** What the command above printed. */
  readonly isOutput: boolean;
}

export function parseFenceMeta(meta: string): FenceMeta {
  const withoutQuoted = meta.replaceAll(/\w+="[^"]*"/g, "");
  const words = withoutQuoted.split(/\s+/);
  return {
    title: /(?:^|\s)title="([^"]*)"/.exec(meta)?.[1],
    marked: parseRanges(/\{([\d,\s-]+)\}/.exec(withoutQuoted)?.[1] ?? ""),
    numbered: words.includes("showLineNumbers"),
    isOutput: words.includes("output"),
  };
}

function parseRanges(text: string): Set<number> {
  const lines = new Set<number>();
  for (const part of text.split(",")) {
    const [from, to] = part.split("-").map((end) => Number.parseInt(end, 10));
    if (from === undefined || Number.isNaN(from)) continue;
    for (let line = from; line <= (to ?? from); line += 1) lines.add(line);
  }
  return lines;
}
