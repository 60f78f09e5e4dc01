/**
 * Points out what does not belong in the definitions of tools: characters that people do not see and models read, instructions
 * to the model, schemas that are elsewhere, and names that could be taken for another tool's. It finds what is usual in attacks, not every attack.
 */
import type { ToolDefinition } from "../ports/mcp-endpoint.ts";
import { findLookAlikes } from "./look-alikes.ts";
import { pickDefinition } from "./tool-definition.ts";

export const TOOL_WARNING_KINDS = ["hidden_characters", "instruction", "look_alike", "reference"] as const;
export type ToolWarningKind = (typeof TOOL_WARNING_KINDS)[number];

export interface ToolWarning {
  readonly tool: string;
  readonly kind: ToolWarningKind;
  /** Half a sentence, without a full stop and without characters that cannot be seen. */
  readonly message: string;
}

/** Characters of one text that are searched, and texts of one tool. */
const MAX_TEXT_LENGTH = 100_000;
const MAX_TEXTS = 5_000;
const MAX_DEPTH = 64;
/** Characters of a text that a warning quotes. */
const MAX_QUOTE = 80;
/** Different characters that a warning names. */
const MAX_NAMED = 5;

/** Emoji are put together with characters that are hidden elsewhere. */
const EMOJI =
  /\p{Extended_Pictographic}[\uFE0F\u{1F3FB}-\u{1F3FF}]{0,2}(?:\u200D\p{Extended_Pictographic}[\uFE0F\u{1F3FB}-\u{1F3FF}]{0,2}){0,6}|[0-9#*]\uFE0F?\u20E3/gu;
/** The flags of England, Scotland and Wales. */
const FLAG = /\u{1F3F4}[\u{E0061}-\u{E007A}]{5}\u{E007F}/gu;
/** Writing systems whose letters need joiners between them. */
const JOINED =
  /[\p{Script=Arabic}\p{Script=Bengali}\p{Script=Devanagari}\p{Script=Gujarati}\p{Script=Gurmukhi}\p{Script=Kannada}\p{Script=Malayalam}\p{Script=Sinhala}\p{Script=Tamil}\p{Script=Telugu}][\u200C\u200D]/gu;

const HIDDEN_KINDS = [
  ["tag character", /[\u{E0000}-\u{E007F}]/u],
  ["direction of text", /[\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]/u],
  ["zero width", /[\u034F\u00AD\u115F\u1160\u17B4\u17B5\u180E\u200B-\u200D\u2060-\u2065\u3164\uFEFF\uFFA0]/u],
  ["variation selector", /[\uFE00-\uFE0F\u{E0100}-\u{E01EF}]/u],
  ["control character", /(?![\t\n\r])\p{Cc}/u],
] as const;
const HIDDEN = /\p{Default_Ignorable_Code_Point}|(?![\t\n\r])\p{Cc}/gu;

const REFERENCES: ReadonlySet<string> = new Set(["$dynamicRef", "$recursiveRef", "$ref"]);
const STANDARD_SCHEMA = /^https?:\/\/json-schema\.org\//;

/** In a text whose white space is one space each, in small letters. */
const INSTRUCTIONS: readonly RegExp[] = [
  /\b(?:ignore|disregard|forget|override|bypass)\b[^.]{0,30}\b(?:previous|prior|above|earlier|preceding|all|any|other|existing|system|your)\b[^.]{0,30}\b(?:instructions?|prompts?|rules?|guidelines|directions|restrictions)\b/,
  /\b(?:do not|don't|dont|never|must not|without|avoid)\b[^.]{0,20}\b(?:tell|telling|mention|mentioning|inform|informing|reveal|revealing|notify|notifying|alert|alerting|ask|asking|disclose|disclosing)\b[^.]{0,40}\b(?:user|human|operator|person|anyone|anybody)\b/,
  /\b(?:hide|conceal|keep)\b[^.]{0,30}\b(?:from the user|from the human|from the operator)\b/,
  /<\/? ?(?:important|system|instructions?|secret|hidden|critical|override|admin|assistant)(?: [^<>]{0,60})?\/?>/,
  /<\|(?:im_start|im_end|system|user|assistant|endoftext)[^|<>]{0,20}\|>|\[\/?inst\]|<<\/?sys>>/,
  /\bsystem prompt\b/,
  /\byou are now (?:a|an|in|the)\b/,
  /\b(?:read|open|send|include|pass|upload|copy|attach|paste|cat)\b[^.]{0,60}(?:~\/\.|\.ssh\b|\bid_rsa\b|\bid_ed25519\b|\.env\b|\bmcp\.json\b|\.aws\b|\/etc\/passwd\b|\bprivate keys?\b)/,
  /\b(?:always|must|first)\b[^.]{0,40}\b(?:before|instead of)\b[^.]{0,20}\b(?:any|every|all|each|other)\b[^.]{0,20}\btools?\b/,
];

/** @returns The warnings in the order of the tools, at most one of each kind for each of their texts. */
export function scanTools(tools: readonly ToolDefinition[]): ToolWarning[] {
  const lookAlikes = findLookAlikes(tools.map(({ name }) => name));
  return tools.flatMap((tool) => {
    const others = lookAlikes.get(tool.name) ?? [];
    const texts = listTexts(pickDefinition(tool));
    return [
      ...texts.flatMap(({ path, text }) => findHidden(tool.name, path, text)),
      ...texts.flatMap(({ path, text }) => findInstruction(tool.name, path, text)),
      ...findReferences(tool.name, texts),
      ...others.slice(0, MAX_NAMED).map((other) => ({
        tool: tool.name,
        kind: "look_alike" as const,
        message: `its name looks like that of ${quoteVisibly(other)}`,
      })),
    ];
  });
}

interface Text {
  /** Names of members, with dots. */
  readonly path: string;
  readonly text: string;
}

/** Every text in a definition, names of members among them: a model reads those, too. */
function listTexts(definition: ToolDefinition): Text[] {
  const texts: Text[] = [];
  const add = (path: string, text: string): void => {
    if (texts.length < MAX_TEXTS) texts.push({ path: makeVisible(path), text: text.slice(0, MAX_TEXT_LENGTH) });
  };
  const visit = (value: unknown, path: string, depth: number): void => {
    if (typeof value === "string") add(path, value);
    if (typeof value !== "object" || value === null || depth >= MAX_DEPTH) return;
    for (const [name, member] of Object.entries(value)) {
      const inner = path === "" ? name : `${path}.${name}`;
      if (depth > 0 && !Array.isArray(value)) add(inner, name);
      visit(member, inner, depth + 1);
    }
  };
  visit(definition, "", 0);
  return texts;
}

function findHidden(tool: string, path: string, text: string): ToolWarning[] {
  const found = text.replace(FLAG, "").replace(EMOJI, "").replace(JOINED, "").match(HIDDEN) ?? [];
  if (found.length === 0) return [];
  const names = [...new Set(found)].map((character) => `${formatCodePoint(character)} (${nameKind(character)})`);
  const more = names.length > MAX_NAMED ? ` and ${names.length - MAX_NAMED} more` : "";
  const count = `${found.length} hidden ${found.length === 1 ? "character" : "characters"}`;
  const message = `${path} has ${count}: ${names.slice(0, MAX_NAMED).join(", ")}${more}`;
  return [{ tool, kind: "hidden_characters", message }];
}

function findInstruction(tool: string, path: string, text: string): ToolWarning[] {
  const plain = text.normalize("NFKC").replace(HIDDEN, "").replace(/\s+/gu, " ").replaceAll("\u2019", "'");
  const small = plain.toLowerCase();
  for (const pattern of INSTRUCTIONS) {
    const found = pattern.exec(small);
    if (!found) continue;
    // A letter may become two in small letters; then the quote is in small ones.
    const source = small.length === plain.length ? plain : small;
    const said = source.slice(found.index, found.index + found[0].length);
    return [{ tool, kind: "instruction", message: `${path} speaks to the model: ${quoteVisibly(said)}` }];
  }
  return [];
}

/** What a schema refers to elsewhere can become another one without a word of the server. */
function findReferences(tool: string, texts: readonly Text[]): ToolWarning[] {
  return texts
    .filter(({ path, text }) => /^(?:inputSchema|outputSchema)\./.test(path) && isReference(path, text))
    .slice(0, MAX_NAMED)
    .map(({ path, text }) => ({
      tool,
      kind: "reference",
      message: `${path} refers to another document: ${quoteVisibly(text)}`,
    }));
}

function isReference(path: string, text: string): boolean {
  const member = path.slice(path.lastIndexOf(".") + 1);
  // The name of a member is a text, too.
  if (member === text) return false;
  if (member === "$schema") return !STANDARD_SCHEMA.test(text);
  return REFERENCES.has(member) && !text.startsWith("#");
}

function nameKind(character: string): string {
  return HIDDEN_KINDS.find(([, pattern]) => pattern.test(character))?.[0] ?? "hidden";
}

function makeVisible(text: string): string {
  return text.slice(0, MAX_QUOTE).replace(HIDDEN, formatCodePoint);
}

function quoteVisibly(text: string): string {
  const shown = text.length > MAX_QUOTE ? `${text.slice(0, MAX_QUOTE)}…` : text;
  return JSON.stringify(shown.replace(HIDDEN, formatCodePoint));
}

function formatCodePoint(character: string): string {
  return `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}`;
}
