/**
 * What may differ between the output a page shows and the output of a run. Both are masked, then compared, so a page
 * shows real values. The order matters: what contains numbers goes before numbers.
 */

interface Mask {
  readonly name: string;
  readonly pattern: RegExp;
  /** What stands in for it. */
  readonly replacement: string;
}

/** Documented in `website/docs` conventions as this table; a test has an example for each row. */
export const MASKS: readonly Mask[] = [
  {
    name: "date and time, RFC 3339 and alike",
    pattern: /\b\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}:\d{2}(\.\d+)?( ?(Z|[+-]\d{2}:?\d{2}))?( UTC)?/g,
    replacement: "<time>",
  },
  {
    name: "date and time of Helm",
    pattern: /\b[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d \d{2}:\d{2}:\d{2} \d{4}\b/g,
    replacement: "<time>",
  },
  { name: "date", pattern: /\b\d{4}-\d{2}-\d{2}\b/g, replacement: "<date>" },
  { name: "time of day", pattern: /\b\d{2}:\d{2}:\d{2}(\.\d+)?\b/g, replacement: "<clock>" },
  {
    name: "end of a pod's name, consonants and digits, and what its process adds",
    pattern: /-[bcdfghjklmnpqrstvwxz2456789]{8,10}-[bcdfghjklmnpqrstvwxz2456789]{5}(_[0-9a-f-]{36})?\b/g,
    replacement: "-<pod>",
  },
  {
    name: "id of 8-4-4-4-12 digits",
    pattern: /\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/gi,
    replacement: "<id>",
  },
  {
    name: "commit, container or image id: 12 to 64 hexadecimal digits",
    pattern: /\b(sha256:)?[0-9a-f]{12,64}\b/g,
    replacement: "<id>",
  },
  {
    name: "age",
    pattern: /\b(\d+|an?|about an?) (second|minute|hour|day|week|month|year)s?( ago)?\b/gi,
    replacement: "<age>",
  },
  { name: "age below a second in a column of a table", pattern: /(?<= {2})now(?= {2}|$)/gm, replacement: "<age>" },
  // Two units at least, or single minutes: `512m` of a limit is no age.
  { name: "age in a table of kubectl", pattern: /\b(\d{1,3}[dhm]\d{1,2}[hms]|\dm)\b/g, replacement: "<duration>" },
  {
    name: "address within a cluster: of kind, and of the tests",
    pattern: /\b10\.(96|213)\.\d{1,3}\.\d{1,3}(:\d{2,5})?\b/g,
    replacement: "<address>",
  },
  { name: "size", pattern: /\b\d+(\.\d+)? ?[kKMGT]i?B\b/g, replacement: "<size>" },
  { name: "duration", pattern: /\b\d+(\.\d+)? ?(ms|s|min|h)\b/g, replacement: "<duration>" },
  {
    name: "version of Node.js",
    pattern: /(\bNode version: |\bnode |"node_version":")v\d+\.\d+\.\d+/g,
    replacement: "$1<version>",
  },
  { name: "response time in JSON", pattern: /("response_time_ms": ?)\d+(\.\d+)?/g, replacement: "$1<duration>" },
  { name: "platform", pattern: /\b(linux|darwin|win32)\/(x64|arm64|arm)\b/g, replacement: "<platform>" },
  { name: "process id", pattern: /\b(pid|kill)([ =:]+)\d+\b/g, replacement: "$1$2<pid>" },
  {
    name: "port of an address on this machine",
    pattern: /\b(127\.0\.0\.1|localhost|0\.0\.0\.0):\d{2,5}\b/g,
    replacement: "$1:<port>",
  },
  { name: "port in JSON", pattern: /("port": ?)\d{2,5}\b/g, replacement: "$1<port>" },
  { name: "port alone: four or five digits", pattern: /(?<![\w.:/-])\d{4,5}(?![\w.:/-]|\.\d)/g, replacement: "<port>" },
  {
    name: "path of a temporary folder",
    pattern: /(\/private)?(\/var\/folders\/[^\s"']+|\/tmp\/[^\s"':]+)/g,
    replacement: "<path>",
  },
  // Columns are as wide as their widest cell, and the cells above vary.
  { name: "space between columns", pattern: / {2,}/g, replacement: "  " },
  { name: "rule below a column's head", pattern: /-{3,}|─{3,}/g, replacement: "---" },
];

export function mask(text: string): string {
  return MASKS.reduce((masked, { pattern, replacement }) => masked.replace(pattern, replacement), text);
}
