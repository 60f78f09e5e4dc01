/** Texts that cost a parser, or a reader of its result, more than plain text of the same size. */

/** A name, and what makes about so many bytes of it. */
export type WorstText = readonly [name: string, make: (bytes: number) => string];

/** The piece again and again, at most so many bytes of it. */
export function repeatTo(bytes: number, piece: string): string {
  return piece.repeat(Math.max(1, Math.floor(bytes / Buffer.byteLength(piece))));
}

/** Pieces that differ by a number of seven digits, at most so many bytes of them. */
export function numberedTo(bytes: number, piece: (index: string) => string, separator = ","): string {
  const count = Math.max(1, Math.floor(bytes / (Buffer.byteLength(piece("0000000")) + separator.length)));
  return Array.from({ length: count }, (_, index) => piece(String(index).padStart(7, "0"))).join(separator);
}

/** Half of the bytes open, the other half closes. */
export function nestTo(bytes: number, open: string, inner: string, close: string): string {
  const times = Math.max(1, Math.floor(bytes / (open.length + close.length)));
  return `${open.repeat(times)}${inner}${close.repeat(times)}`;
}

export const plainText = (bytes: number): string => repeatTo(bytes, "plain text. ");

/** JSON texts of objects, but for the last ones. */
export const WORST_JSON: readonly WorstText[] = [
  ["many members", (bytes) => `{${numberedTo(bytes, (index) => `"a${index}":1`)}}`],
  ["one member many times", (bytes) => `{${repeatTo(bytes, '"a":1,')}"a":1}`],
  ["members named by numbers", (bytes) => `{${numberedTo(bytes, (index) => `"${Number(index)}":1`)}}`],
  ["names that only differ in their end", (bytes) => `{${numberedTo(bytes, (i) => `"${"a".repeat(100)}${i}":1`)}}`],
  ["a name without an end", (bytes) => `{"${repeatTo(bytes, "a")}":1}`],
  ["names of other alphabets", (bytes) => `{${numberedTo(bytes, (index) => `"\u0430${index}\u0301\ufb01":1`)}}`],
  ["escaped names", (bytes) => `{${numberedTo(bytes, (index) => `"\\u0061${index}":1`)}}`],
  ["names of prototypes", (bytes) => `{${repeatTo(bytes, '"__proto__":{"constructor":1},')}"toString":1}`],
  ["objects in each other", (bytes) => nestTo(bytes, '{"a":', "1", "}")],
  ["lists in each other", (bytes) => `{"a":${nestTo(bytes, "[", "1", "]")}}`],
  ["empty objects", (bytes) => `{"a":[${repeatTo(bytes, "{},")}{}]}`],
  ["empty lists", (bytes) => `{"a":[${repeatTo(bytes, "[],")}[]]}`],
  ["digits", (bytes) => `{"a":[${repeatTo(bytes, "1,")}1]}`],
  ["a number without an end", (bytes) => `{"a":${repeatTo(bytes, "1")}}`],
  ["a fraction without an end", (bytes) => `{"a":0.${repeatTo(bytes, "1")}e-99}`],
  ["escapes", (bytes) => `{"a":"${repeatTo(bytes, "\\u0061")}"}`],
  ["control characters", (bytes) => `{"a":"${repeatTo(bytes, "\\u0001")}"}`],
  ["halves of surrogates", (bytes) => `{"a":"${repeatTo(bytes, "\\ud800")}"}`],
  ["backslashes", (bytes) => `{"a":"${repeatTo(bytes, "\\\\")}"}`],
  ["blanks", (bytes) => `{"a":1${repeatTo(bytes, " ")}}`],
  ["line ends", (bytes) => `{"a":1${repeatTo(bytes, "\r\n")}}`],
  ["lists that are never closed", (bytes) => repeatTo(bytes, "[")],
  ["quotes", (bytes) => repeatTo(bytes, '"')],
  ["nothing but blanks", (bytes) => repeatTo(bytes, " ")],
];

/** YAML texts; what is JSON is YAML, too. */
export const WORST_YAML: readonly WorstText[] = [
  ["many members", (bytes) => `${numberedTo(bytes, (index) => `a${index}: 1`, "\n")}\n`],
  ["members in braces", (bytes) => `a: {${numberedTo(bytes, (index) => `a${index}: 1`, ", ")}}\n`],
  ["one member many times", (bytes) => repeatTo(bytes, "a: 1\n")],
  ["members on one line", (bytes) => repeatTo(bytes, "a: ")],
  ["items", (bytes) => repeatTo(bytes, "- 1\n")],
  ["items in each other", (bytes) => `${repeatTo(bytes, "- ")}1\n`],
  ["lists in each other", (bytes) => `a: ${nestTo(bytes, "[", "1", "]")}\n`],
  ["objects in each other", (bytes) => `a: ${nestTo(bytes, "{a: ", "1", "}")}\n`],
  ["lists that are never closed", (bytes) => `a: ${repeatTo(bytes, "[")}`],
  ["anchors", (bytes) => `${numberedTo(bytes, (index) => `a${index}: &a${index} 1`, "\n")}\n`],
  ["aliases of one", (bytes) => `a: &a 1\nb: [${repeatTo(bytes, "*a, ")}*a]\n`],
  [
    "aliases of many",
    (bytes) =>
      `a: [${numberedTo(bytes / 2, (index) => `&a${index} 1`, ", ")}]\nb: [${numberedTo(bytes / 3, (index) => `*a${index}`, ", ")}]\n`,
  ],
  ["aliases of what is not there", (bytes) => `a: [${repeatTo(bytes, "*a, ")}*a]\n`],
  ["a bomb of aliases", (bytes) => bombOfAliases(bytes)],
  ["tags", (bytes) => `a: [${repeatTo(bytes, "!a 1, ")}1]\n`],
  ["keys that are lists", (bytes) => repeatTo(bytes, "? [1]\n: 1\n")],
  ["texts in quotes", (bytes) => `a: "${repeatTo(bytes, "\\u0061")}"\n`],
  ["a text of lines", (bytes) => `a: >\n${repeatTo(bytes, "  x\n")}`],
  ["a text of empty lines", (bytes) => `a: |\n${repeatTo(bytes, "\n")}  x\n`],
  ["a plain text of many lines", (bytes) => `a:\n${repeatTo(bytes, "  x\n")}`],
  ["a number without an end", (bytes) => `a: ${repeatTo(bytes, "1")}\n`],
  ["comments", (bytes) => `${repeatTo(bytes, "#\n")}a: 1\n`],
  ["empty lines", (bytes) => `${repeatTo(bytes, "\n")}a: 1\n`],
  ["documents", (bytes) => repeatTo(bytes, "---\n")],
  ["directives", (bytes) => `${repeatTo(bytes, "%A\n")}---\na: 1\n`],
  ["mistakes", (bytes) => repeatTo(bytes, "a: @\n")],
  ["tabs", (bytes) => `a:${repeatTo(bytes, "\t")}1\n`],
  ["quotes", (bytes) => repeatTo(bytes, '"')],
];

function bombOfAliases(bytes: number): string {
  const levels = Array.from({ length: 9 }, (_, at) => `a${at + 1}: &a${at + 1} [${`*a${at},`.repeat(9)}*a${at}]`);
  return `a0: &a0 [1]\n${levels.join("\n")}\nb: "${plainText(bytes)}"\n`;
}

export const WORST_TOML: readonly WorstText[] = [
  ["many members", (bytes) => `${numberedTo(bytes, (index) => `a${index} = 1`, "\n")}\n`],
  ["tables", (bytes) => `${numberedTo(bytes, (index) => `[a${index}]`, "\n")}\n`],
  ["tables in each other", (bytes) => `[${repeatTo(bytes, "a.")}a]\n`],
  ["tables in each other, one by one", (bytes) => tablesInEachOther(bytes)],
  ["lists of tables", (bytes) => repeatTo(bytes, "[[a]]\n")],
  ["names in each other", (bytes) => `${repeatTo(bytes, "a.")}a = 1\n`],
  ["a table of names in each other", (bytes) => `${numberedTo(bytes, (i) => `a.b.c.d.e.f.g.h${i} = 1`, "\n")}\n`],
  ["lists in each other", (bytes) => `a = ${nestTo(bytes, "[", "1", "]")}\n`],
  ["objects in each other", (bytes) => `a = ${nestTo(bytes, "{a=", "1", "}")}\n`],
  ["digits", (bytes) => `a = [${repeatTo(bytes, "1,")}1]\n`],
  ["a number without an end", (bytes) => `a = ${repeatTo(bytes, "1")}\n`],
  ["underscores in a number", (bytes) => `a = ${repeatTo(bytes, "1_")}1\n`],
  ["escapes", (bytes) => `a = "${repeatTo(bytes, "\\u0061")}"\n`],
  ["quotes in a text of lines", (bytes) => `a = """${repeatTo(bytes, '""x')}"""\n`],
  ["a text of lines", (bytes) => `a = """${repeatTo(bytes, "\\\n")}"""\n`],
  ["texts", (bytes) => `a = [${repeatTo(bytes, '"",')}""]\n`],
  ["comments", (bytes) => `${repeatTo(bytes, "#\n")}a = 1\n`],
  ["one comment", (bytes) => `# ${repeatTo(bytes, '"')}\na = 1\n`],
  ["empty lines", (bytes) => `${repeatTo(bytes, "\n")}a = 1\n`],
  ["blanks", (bytes) => `a = 1${repeatTo(bytes, " ")}\n`],
  ["dates", (bytes) => `a = [${repeatTo(bytes, "1979-05-27,")}1]\n`],
  ["a text that is never closed", (bytes) => `a = "${repeatTo(bytes, "a")}`],
  ["a list that is never closed", (bytes) => `a = ${repeatTo(bytes, "[")}`],
];

/** Each name has one part more than the one before. */
function tablesInEachOther(bytes: number): string {
  const lines: string[] = [];
  let size = 0;
  for (let name = "a"; size < bytes; name += ".a") {
    lines.push(`[${name}]`);
    size += name.length + 3;
  }
  return `${lines.join("\n")}\n`;
}
