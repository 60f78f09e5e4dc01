/**
 * Reads YAML that somebody else wrote. The library compares each name of a mapping with all before it, and each alias with
 * all others, so that a file of a megabyte would hold the thread for minutes: what a text may have is bounded before it is
 * parsed, and names are compared here.
 */
import { type Document, isAlias, isMap, isScalar, Lexer, parseDocument, visit, YAMLParseError } from "yaml";

/** A settings file of a hundred servers has about 5,000; a block of text is one, however long. */
const MAX_TOKENS = 20_000;
/** Lists and mappings in each other; more than any file has, and far less than the parser's recursion can bear. */
const MAX_DEPTH = 100;
const MAX_ALIASES = 100;

/** @returns The document; its `errors` name every problem, also a document that is too large or has a name twice. */
export function parseYamlDocument(text: string): Document.Parsed {
  const excess = findExcess(text);
  // What is too much is not parsed at all.
  const document = parseDocument(excess === undefined ? text : "", {
    uniqueKeys: false,
    prettyErrors: true,
    logLevel: "error",
  });
  if (excess !== undefined) document.errors.push(new YAMLParseError([0, 0], "RESOURCE_EXHAUSTION", excess));
  else if (document.errors.length === 0) checkNames(document, text);
  return document;
}

/**
 * @param maxAliases How often aliases may be followed, those in what an alias names included. Default 100.
 * @returns What a document means, `{}` for an empty one; `undefined` when it uses too many aliases.
 */
export function readYamlValue(document: Document, maxAliases = MAX_ALIASES): unknown {
  try {
    return document.toJS({ maxAliasCount: maxAliases }) ?? {};
  } catch {
    // The only thing that it throws for.
    return undefined;
  }
}

function findExcess(text: string): string | undefined {
  let tokens = 0;
  let depth = 0;
  let itemsInLine = 0;
  for (const token of new Lexer().lex(text)) {
    if (++tokens > MAX_TOKENS) return `it has more than ${MAX_TOKENS} tokens`;
    switch (token) {
      case "[":
      case "{":
        depth += 1;
        break;
      case "]":
      case "}":
        depth -= 1;
        break;
      case "-":
      case "?":
      case ":":
        itemsInLine += 1;
        break;
      case "\n":
      case "\r\n":
      case ",":
        itemsInLine = 0;
        break;
    }
    if (depth > MAX_DEPTH || itemsInLine > MAX_DEPTH)
      return `more than ${MAX_DEPTH} lists or objects are in each other`;
  }
  return undefined;
}

function checkNames(document: Document.Parsed, text: string): void {
  let aliases = 0;
  visit(document, (_key, node) => {
    if (isAlias(node) && ++aliases > MAX_ALIASES) {
      report(document, node.range?.[0] ?? 0, text, `it has more than ${MAX_ALIASES} aliases`, "RESOURCE_EXHAUSTION");
      return visit.BREAK;
    }
    if (!isMap(node)) return undefined;
    const names = new Set<unknown>();
    for (const { key } of node.items) {
      const name: unknown = isScalar(key) ? key.value : key;
      if (names.has(name)) {
        const at = isScalar(key) ? (key.range?.[0] ?? 0) : 0;
        report(document, at, text, "Map keys must be unique", "DUPLICATE_KEY");
        return visit.BREAK;
      }
      names.add(name);
    }
    return undefined;
  });
}

/** As the library's own errors, so that callers show both alike. */
function report(
  document: Document.Parsed,
  at: number,
  text: string,
  reason: string,
  code: "DUPLICATE_KEY" | "RESOURCE_EXHAUSTION",
): void {
  const before = text.slice(0, at);
  const line = before.split("\n").length;
  const col = at - before.lastIndexOf("\n");
  const error = new YAMLParseError([at, at + 1], code, `${reason} at line ${line}, column ${col}:`);
  error.linePos = [{ line, col }];
  document.errors.push(error);
}
