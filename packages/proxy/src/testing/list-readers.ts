/**
 * What clients could read of a list of tools, whichever parser they have: member names of any case and width, each of several
 * members of one name, and the encoding that the header or the first bytes name.
 */
import { findElements, listMembers, skipSpace } from "../messages/json-scanner.ts";

export interface SeenTool {
  readonly name: string;
  /** The same text for the same definition. */
  readonly meaning: string;
}

/** Members that a model, or a client that draws a page, goes by. */
const MEANING = ["title", "description", "inputSchema", "outputSchema", "annotations", "_meta"];

/** @param charset As the header names it. */
export function readAsAnyClient(bytes: Buffer, charset: string | undefined): SeenTool[] {
  const text = Buffer.from(decode(bytes, charset).replace(/^\ufeff/, ""));
  const start = skipSpace(text, 0);
  const messages = findElements(text, start)?.map((span) => text.subarray(span.start, span.end)) ?? [text];
  return messages.flatMap((message) =>
    readMembers(message, "result").flatMap((result) =>
      readMembers(result, "tools").flatMap((list) =>
        (findElements(list, 0) ?? []).flatMap(({ start: from, end }) => readTool(list.subarray(from, end))),
      ),
    ),
  );
}

function decode(bytes: Buffer, charset: string | undefined): string {
  const isWide = charset === "utf-16le" || (bytes[0] !== 0 && bytes[1] === 0);
  return bytes.toString(isWide ? "utf16le" : "utf8");
}

function readTool(element: Buffer): SeenTool[] {
  const parts = MEANING.flatMap((member) =>
    listSpellings(element, member).map(({ key, value }) => `${key}=${normalize(member, value.toString("utf8"))}`),
  );
  const meaning = parts
    .filter((part) => !part.endsWith("="))
    .sort()
    .join("\n");
  return readMembers(element, "name").map((name) => ({
    name: toWellFormed(String(parse(name.toString("utf8")))),
    meaning,
  }));
}

/** Every value that some parser takes for the member's. */
function readMembers(text: Buffer, wanted: string): Buffer[] {
  return listSpellings(text, wanted).map(({ value }) => value);
}

function listSpellings(text: Buffer, wanted: string): { readonly key: string; readonly value: Buffer }[] {
  const members = listMembers(text, skipSpace(text, 0)) ?? [];
  return members
    .filter(({ key }) => fold(key) === fold(wanted))
    .map(({ key, value }) => ({ key, value: text.subarray(value.start, value.end) }));
}

function fold(name: string): string {
  const [plain = ""] = name.normalize("NFKC").split("\0", 1);
  return plain.toUpperCase().toLowerCase().replace(/[_-]/g, "");
}

/** Long numbers keep their digits; of `_meta`, what names a page counts. */
function normalize(member: string, text: string): string {
  const value = parse(text.replace(/:(\d{16,})/g, ':"$1"'));
  if (member !== "_meta") return JSON.stringify(value);
  const { ui } = (value ?? {}) as { readonly ui?: unknown };
  return ui === undefined ? "" : JSON.stringify(ui);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function toWellFormed(name: string): string {
  return name.replace(/\p{Surrogate}/gu, "\ufffd");
}
