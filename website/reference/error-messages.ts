/** The messages that the program has for each error code, read from its sources, so that a page shows those that exist. */
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";

/** Replaces a value that is known only when the error happens. */
const VALUE = "…";
const PACKAGES = ["core", "engine", "proxy", "api", "cli"];

/** @param root The repository's folder. @returns Codes with their messages, each once, in the order of the sources. */
export function readErrorMessages(root: string): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, Set<string>>();
  for (const name of PACKAGES) {
    const folder = path.join(root, "packages", name, "src");
    const files = readdirSync(folder, { recursive: true, encoding: "utf8" })
      .filter((file) => file.endsWith(".ts") && !/\.test\.ts$|(^|[/\\])testing[/\\]/.test(file))
      .sort();
    for (const file of files) collectMessages(readFileSync(path.join(folder, file), "utf8"), found);
  }
  // The text of a defect helps only us; readers search for the words around it (packages/cli/src/main.ts).
  found.set("INTERNAL", new Set([`Unexpected error: ${VALUE}`]));
  return new Map([...found].map(([code, messages]) => [code, [...messages]]));
}

/** Adds what one source throws. A message that only contains a value is omitted. */
export function collectMessages(source: string, found: Map<string, Set<string>>): void {
  for (const match of source.matchAll(/\bThvError\(\s*"([A-Z_]+)",\s*(?=["`])/g)) {
    const [whole, code = ""] = match;
    const message = readLiteral(source, match.index + whole.length);
    if (message === undefined || !/[a-z]{3}/i.test(message.replaceAll(VALUE, ""))) continue;
    const messages = found.get(code) ?? new Set();
    // Values that follow each other are one value for a reader.
    found.set(code, messages.add(message.replaceAll(`${VALUE}${VALUE}`, VALUE)));
  }
}

/** The string or template that begins at `start`, with {@link VALUE} for each of its expressions. */
function readLiteral(source: string, start: number): string | undefined {
  const quote = source[start];
  let message = "";
  for (let at = start + 1; at < source.length; at += 1) {
    const character = source[at];
    if (character === quote) return message;
    if (character === "\\") {
      at += 1;
      message += source[at] ?? "";
    } else if (quote === "`" && character === "$" && source[at + 1] === "{") {
      at = endOfExpression(source, at + 2);
      message += VALUE;
    } else message += character;
  }
  return undefined;
}

/** The index of the brace that ends an expression within a template; templates within it have braces of their own. */
function endOfExpression(source: string, start: number): number {
  let depth = 1;
  for (let at = start; at < source.length; at += 1) {
    if (source[at] === "{") depth += 1;
    else if (source[at] === "}") depth -= 1;
    if (depth === 0) return at;
  }
  return source.length;
}
