/** Edits one member of a JSON file with comments: every byte outside the member and its comma stays as it is. */
import { createScanner, findNodeAtLocation, type Node, type ParseError, parse, parseTree } from "jsonc-parser";
import { describeFaultAt } from "../files/json-fault.ts";

const OPTIONS = { allowTrailingComma: true };

/** @throws {Error} saying where the text is not JSON. */
export function parseJsonWithComments(text: string): unknown {
  const errors: ParseError[] = [];
  const value: unknown = parse(text, errors, OPTIONS);
  const [first] = errors;
  if (!first) return value;
  throw new Error(describeFaultAt(text, first));
}

export function setJsonMember(text: string, path: readonly string[], value: unknown): string {
  const root = parseTree(text, [], OPTIONS);
  if (root?.type !== "object") throw new Error("it does not hold an object");
  const existing = findNodeAtLocation(root, [...path]);
  const style = detectStyle(text);
  if (existing) {
    const indent = readIndent(text, existing.parent?.offset ?? existing.offset);
    return splice(text, existing.offset, existing.length, render(value, indent, style));
  }
  for (let depth = path.length - 1; depth >= 0; depth -= 1) {
    const owner = depth === 0 ? root : findNodeAtLocation(root, path.slice(0, depth));
    if (!owner) continue;
    if (owner.type !== "object") throw new Error(`"${path.slice(0, depth).join(".")}" is not an object`);
    const nested = path.slice(depth + 1).reduceRight<unknown>((inner, key) => ({ [key]: inner }), value);
    return insertFirst(text, owner, path[depth] ?? "", nested, style);
  }
  return text;
}

/** With the blanks before it and one comma; what others wrote on the same line stays as it is. */
export function removeJsonMember(text: string, path: readonly string[]): string {
  const root = parseTree(text, [], OPTIONS);
  const member = root && findNodeAtLocation(root, [...path])?.parent;
  const owner = member?.parent;
  if (!member || !owner) return text;
  const siblings = owner.children ?? [];
  const index = siblings.indexOf(member);
  const previous = siblings[index - 1];
  const isLast = index === siblings.length - 1;
  const from = isLast && previous ? previous.offset + previous.length : startOfBlanks(text, member.offset);
  const end = member.offset + member.length;
  // The comma before the last member went; one behind it, which few parsers allow, then belongs to the one before.
  const to = isLast && previous ? end : afterComma(text, end);
  const rest = splice(text, from, to - from, "");
  const inside = rest.slice(owner.offset + 1, owner.offset + owner.length - 1 - (to - from));
  return inside.trim() === "" ? splice(rest, owner.offset + 1, inside.length, "") : rest;
}

function startOfBlanks(text: string, offset: number): number {
  let start = offset;
  while (/\s/.test(text[start - 1] ?? "")) start -= 1;
  return start;
}

/** Behind the comma that follows, also when there is a comment between; the same place when none does. */
function afterComma(text: string, offset: number): number {
  const scanner = createScanner(text, true);
  scanner.setPosition(offset);
  scanner.scan();
  return text[scanner.getTokenOffset()] === "," ? scanner.getTokenOffset() + 1 : offset;
}

interface Style {
  readonly unit: string;
  readonly eol: string;
}

/** The first place needs one splice, and no comment changes its neighbour. */
function insertFirst(text: string, owner: Node, key: string, value: unknown, style: Style): string {
  const after = owner.offset + 1;
  const isEmpty = (owner.children ?? []).length === 0;
  const inside = text.slice(after, owner.offset + owner.length - 1);
  const comma = isEmpty ? "" : ",";
  const base = readIndent(text, owner.offset);
  if (!isEmpty && !inside.includes("\n")) {
    return splice(text, after, 0, ` ${JSON.stringify(key)}: ${JSON.stringify(value)}${comma}`);
  }
  const first = owner.children?.[0];
  const indent = first && isFirstOnLine(text, first.offset) ? readIndent(text, first.offset) : base + style.unit;
  const member = `${style.eol}${indent}${JSON.stringify(key)}: ${render(value, indent, style)}${comma}`;
  return splice(text, after, 0, isEmpty && !inside.includes("\n") ? `${member}${style.eol}${base}` : member);
}

function render(value: unknown, indent: string, { unit, eol }: Style): string {
  return JSON.stringify(value, null, unit).split("\n").join(`${eol}${indent}`);
}

function detectStyle(text: string): Style {
  return { unit: /^([ \t]+)\S/m.exec(text)?.[1] ?? "  ", eol: text.includes("\r\n") ? "\r\n" : "\n" };
}

function readIndent(text: string, offset: number): string {
  const start = text.lastIndexOf("\n", offset - 1) + 1;
  return /^[ \t]*/.exec(text.slice(start, offset))?.[0] ?? "";
}

function isFirstOnLine(text: string, offset: number): boolean {
  return text.slice(text.lastIndexOf("\n", offset - 1) + 1, offset).trim() === "";
}

function splice(text: string, offset: number, length: number, content: string): string {
  return text.slice(0, offset) + content + text.slice(offset + length);
}
