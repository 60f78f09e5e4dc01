/** What is searched of a tool: the texts of its definition by their parts, and what its verb does. */
import { isRecord } from "@toolhive/http/values";
import { isStopWord, stemWord, tokenize } from "@toolhive/search/words";
import { findIntent, type Intent } from "./intents.ts";

/** A tool as its audience sees it. */
export interface FindableTool {
  readonly name: string;
  /** JSON, as the server wrote it. */
  readonly text: string;
  /** The server that has it, where there are several. */
  readonly server?: string | undefined;
}

export const PARTS = ["name", "server", "opening", "description", "parameters"] as const;
export type Part = (typeof PARTS)[number];
export type ByPart<T> = Readonly<Record<Part, T>>;

export interface ToolText {
  /** Stems without stop words, in their order. */
  readonly terms: ByPart<readonly string[]>;
  readonly intent: Intent | undefined;
}

/** UTF-16 units of one tool that are searched; what is behind them is not found by. */
const MAX_SEARCHED = 10_000;
/** Properties in properties of a schema. */
const MAX_DEPTH = 4;
/** Longer enumerations are data, such as all time zones, and say nothing of what a tool does. */
const MAX_ENUM_VALUES = 60;
/** A shorter opening is a heading, such as `Purpose:`; only so many are passed over. */
const MIN_OPENING_WORDS = 3;
const MAX_HEADINGS = 5;

export function mapParts<T>(read: (part: Part) => T): Record<Part, T> {
  return {
    name: read("name"),
    server: read("server"),
    opening: read("opening"),
    description: read("description"),
    parameters: read("parameters"),
  };
}

/** Folded words in their order. */
export function readWords(text: string): string[] {
  const words: string[] = [];
  tokenize(text, (term, _start, _end, _position, kind) => {
    if (kind !== "flag" && kind !== "identifier" && kind !== "whole") words.push(term);
  });
  return words;
}

/** Stems of the words of a text, without stop words. */
export function readTerms(text: string): string[] {
  return readWords(text)
    .filter((word) => !isStopWord(word))
    .map((word) => stemWord(word));
}

export function readToolText(tool: FindableTool): ToolText {
  const definition = parseDefinition(tool);
  const texts = readTexts(tool, definition);
  const [opening = ""] = texts.opening;
  const name = readWords(tool.name);
  return {
    terms: mapParts((part) => texts[part].flatMap(readTerms)),
    intent: isReadOnly(definition) ? "read" : (findIntent(readWords(opening)) ?? findIntent(name)),
  };
}

type Definition = Readonly<Record<string, unknown>>;

function parseDefinition({ text }: FindableTool): Definition {
  const definition: unknown = JSON.parse(text);
  return isRecord(definition) ? definition : {};
}

function isReadOnly({ annotations }: Definition): boolean {
  return isRecord(annotations) && annotations.readOnlyHint === true;
}

/** @returns Texts of each part, as the server wrote them. */
export function readTexts(findable: FindableTool, tool: Definition = parseDefinition(findable)): ByPart<string[]> {
  const { name, server } = findable;
  const parts = mapParts((): string[] => []);
  parts.name.push(name);
  if (server !== undefined) parts.server.push(server);
  let left = MAX_SEARCHED;
  const add = (part: Part, value: unknown): void => {
    if (typeof value !== "string" || left <= 0) return;
    parts[part].push(value.slice(0, left));
    left -= value.length;
  };
  add("opening", tool.title ?? (isRecord(tool.annotations) ? tool.annotations.title : undefined));
  if (typeof tool.description === "string") {
    const description = tool.description.trimStart();
    const end = findOpeningEnd(description);
    add("opening", description.slice(0, end));
    add("description", description.slice(end));
  }
  addProperties(tool.inputSchema, 1, (text) => add("parameters", text));
  return parts;
}

/** @returns Where the first sentence or line ends that says something. */
function findOpeningEnd(description: string): number {
  let headings = 0;
  for (const { index } of description.matchAll(/[.:\n]\s/gu)) {
    headings += 1;
    const isOpening = headings > MAX_HEADINGS || readWords(description.slice(0, index)).length >= MIN_OPENING_WORDS;
    if (isOpening) return index;
  }
  return description.length;
}

/** Gives names, descriptions and values of a schema's properties to `add`. */
function addProperties(schema: unknown, depth: number, add: (text: unknown) => void): void {
  if (!isRecord(schema) || !isRecord(schema.properties) || depth > MAX_DEPTH) return;
  for (const [property, value] of Object.entries(schema.properties)) {
    add(property);
    if (!isRecord(value)) continue;
    add(value.description);
    for (const item of [value, value.items]) {
      addValues(item, add);
      addProperties(item, depth + 1, add);
    }
  }
}

/** `pods` and `services` of a parameter that chooses a kind of thing. */
function addValues(schema: unknown, add: (text: unknown) => void): void {
  if (!isRecord(schema) || !Array.isArray(schema.enum) || schema.enum.length > MAX_ENUM_VALUES) return;
  for (const value of schema.enum) add(value);
}
