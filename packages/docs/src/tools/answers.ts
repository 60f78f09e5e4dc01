/** The form of each tool's answer, as JSON Schema, and the same answer as text. */
import type { StandardSchemaWithJSON } from "@modelcontextprotocol/server";
import { isOtherLanguage } from "@toolhive/search/offline";
import type { FlagUse } from "../library/describe-command.ts";
import type { Explanation } from "../library/explain-error.ts";
import { ANSWER_TOKENS, type FoundSection, type SectionAnswer } from "../library/search-sections.ts";
import { estimateTokens } from "../library/tokens.ts";
import type { CommandFact, FieldFact, FlagFact, OperationFact } from "../pack/docs-content.ts";

const TEXT = { type: "string" };
const TEXTS = { type: "array", items: TEXT };

function describeObject(properties: Readonly<Record<string, unknown>>, optional: readonly string[] = []) {
  const required = Object.keys(properties).filter((name) => !optional.includes(name));
  return { type: "object", properties, required };
}

const REMEDIES = { type: "array", items: describeObject({ say: TEXT, command: TEXT }, ["command"]) };

export const ANSWER_SCHEMAS = {
  search_docs: describeObject({
    query: { ...TEXT, description: "What was searched; of a pasted log, the lines that matter." },
    sections: {
      type: "array",
      description: "Best first.",
      items: describeObject({
        title: { ...TEXT, description: "Of the page and of the headings above the text." },
        path: { ...TEXT, description: "For read_page." },
        address: TEXT,
        text: { ...TEXT, description: "Markdown." },
        complete: { type: "boolean", description: "Whether the text is the whole section." },
      }),
    },
    unknown_words: TEXTS,
  }),
  read_page: describeObject(
    {
      path: TEXT,
      title: TEXT,
      address: TEXT,
      text: { ...TEXT, description: "Markdown." },
      sections: { ...TEXTS, description: "Titles of the page's sections." },
      next: { type: "integer", description: "Pass it as from to read on; absent at the end." },
    },
    ["next"],
  ),
  explain_error: describeObject(
    {
      name: TEXT,
      message: { ...TEXT, description: "The known message, … for a value; empty where a code was named." },
      meaning: TEXT,
      causes: TEXTS,
      remedies: REMEDIES,
      path: TEXT,
      address: TEXT,
      exit_code: { type: "integer" },
    },
    ["exit_code"],
  ),
  describe_command: describeObject(
    {
      kind: { enum: ["command", "flag", "operation"] },
      name: TEXT,
      usage: TEXT,
      summary: TEXT,
      options: { type: "array", items: describeObject({ name: TEXT, summary: TEXT }) },
      examples: TEXTS,
      path: TEXT,
      address: TEXT,
    },
    ["usage", "options", "examples"],
  ),
} as const;

/** For the SDK, which checks with it what a tool answers; the shapes are ours, and the tests check them with a client. */
export function asOutputSchema(schema: Record<string, unknown>): StandardSchemaWithJSON {
  const json = () => schema;
  return {
    "~standard": {
      version: 1,
      vendor: "toolhive",
      validate: (value) => ({ value }),
      jsonSchema: { input: json, output: json },
    },
  };
}

/** Before the caller takes what was found for the best that there is. */
const OTHER_LANGUAGE = "These pages are in English: ask in English.";

export function formatSections({ searched, sections, unknown }: SectionAnswer): string {
  const unknownWords = unknown.map(({ word, nearest }) => {
    const meant = nearest.length === 0 ? "" : ` Near: ${nearest.join(", ")}.`;
    return `No page has the word "${word}".${meant}`;
  });
  const notes = isOtherLanguage(searched) ? [OTHER_LANGUAGE] : unknownWords;
  if (sections.length === 0) {
    const asked =
      searched === "" ? "There is no word in the question." : `Nothing found for "${searched.slice(0, 200)}".`;
    return [asked, ...notes, "Ask in other words, or name a command, a flag or an error code."].join("\n");
  }
  return [...sections.map(formatSection), ...(notes.length > 0 ? [notes.join("\n")] : [])].join("\n\n");
}

function formatSection({ titles, path, text }: FoundSection, index: number): string {
  return `[${index + 1}] ${titles.join(" > ")}\n${path}\n\n${text}`;
}

export function formatExplanation({ name, message, meaning, causes, remedies, path, exitCode }: Explanation): string {
  return [
    name,
    ...(message === "" ? [] : [`Known message: ${message}`]),
    "",
    meaning,
    ...(causes.length === 0 ? [] : ["", "Why it happens:", ...causes.map((cause) => `- ${cause}`)]),
    "",
    "What to do:",
    ...remedies.map(({ say, command }) =>
      command === undefined ? `- ${say}` : `- ${say}\n${command.replaceAll(/^/gm, "      ")}`,
    ),
    "",
    ...(exitCode === undefined ? [] : [`Exit code of thv: ${exitCode}`]),
    `Page: ${path}`,
  ].join("\n");
}

/** `--name value, -n: what it is for`. */
function titleOfFlag({ name, short, value }: FlagFact): string {
  return `--${name}${value === "" ? "" : ` ${value}`}${short === undefined ? "" : `, -${short}`}`;
}

function explainFlag(flag: FlagFact): string {
  const parts = [flag.summary];
  if (flag.values !== undefined) parts.push(`one of ${flag.values.join(", ")}`);
  if (flag.default !== undefined) parts.push(`default ${flag.default}`);
  if (flag.env !== undefined) parts.push(`from ${flag.env} when absent`);
  return parts.join("; ");
}

export interface CommandAnswer {
  readonly text: string;
  readonly structure: Readonly<Record<string, unknown>>;
}

/** @param chosen Flags that were asked for; none for all. */
export function answerCommand(command: CommandFact, chosen: readonly FlagFact[], address: string): CommandAnswer {
  const flags = chosen.length > 0 ? chosen : command.flags;
  const options = [
    ...(chosen.length > 0 ? [] : command.arguments.map(({ name, summary }) => ({ name, summary }))),
    ...flags.map((flag) => ({ name: titleOfFlag(flag), summary: explainFlag(flag) })),
  ];
  const examples = command.examples.map(({ summary, command: line }) => `${line}  # ${summary}`);
  const text = [
    `${command.name}: ${command.summary}`,
    ...(command.description === undefined ? [] : ["", command.description]),
    "",
    `Usage: ${command.usage}`,
    ...(options.length === 0 ? [] : ["", ...options.map(({ name, summary }) => `- ${name}: ${summary}`)]),
    ...(chosen.length > 0 || examples.length === 0 ? [] : ["", "Examples:", ...examples]),
    "",
    `Page: ${command.path}`,
  ].join("\n");
  const { name, usage, summary, path } = command;
  return { text, structure: { kind: "command", name, usage, summary, options, examples, path, address } };
}

export function answerFlag(
  name: string,
  uses: readonly FlagUse[],
  formatAddress: (path: string) => string,
): CommandAnswer {
  const options = uses.map(({ command, flag }) => ({
    name: `${command.name} ${titleOfFlag(flag)}`,
    summary: explainFlag(flag),
  }));
  const path = uses[0]?.command.path ?? "";
  const summary = uses[0]?.flag.summary ?? "";
  const text = [
    `--${name}: ${summary}`,
    "",
    ...options.map((each) => `- ${each.name}: ${each.summary}`),
    "",
    `Page: ${path}`,
  ].join("\n");
  return { text, structure: { kind: "flag", name: `--${name}`, summary, options, path, address: formatAddress(path) } };
}

/** `name (path, required, text)`. */
function explainField({ name, type, required, description }: FieldFact, where: string) {
  return { name: `${name} (${where}${required ? ", required" : ""}, ${type})`, summary: description };
}

/** Shorter lists of the fields of a large body, each shorter than the one before. */
const SHORTER: readonly ((fields: readonly FieldFact[]) => readonly FieldFact[])[] = [
  (fields) => fields.map(keepFirstSentence),
  (fields) => fields.map((field) => (isInner(field) ? { ...field, description: "" } : keepFirstSentence(field))),
  (fields) => fields.filter((field) => !isInner(field)).map(keepFirstSentence),
];

function keepFirstSentence(field: FieldFact): FieldFact {
  const end = field.description.indexOf(". ");
  return end < 0 ? field : { ...field, description: field.description.slice(0, end + 1) };
}

/** Whether it is a field of another field. */
function isInner({ name }: FieldFact): boolean {
  return name.includes(".") || name.includes("[");
}

/** @param chosen Names of the fields that were asked for; none for all, the fields of a large body in short. */
export function answerOperation(operation: OperationFact, chosen: readonly string[], address: string): CommandAnswer {
  const isWanted = ({ name }: FieldFact) => chosen.length === 0 || chosen.includes(name);
  const parameters = operation.parameters.filter(isWanted);
  const body = operation.body.filter(isWanted);
  let answer = formatOperation({ ...operation, parameters, body }, false, address);
  for (const shorten of SHORTER) {
    if (estimateTokens(answer.text) <= ANSWER_TOKENS) break;
    answer = formatOperation({ ...operation, parameters, body: shorten(body) }, true, address);
  }
  return answer;
}

function formatOperation(operation: OperationFact, isShort: boolean, address: string): CommandAnswer {
  const { id, method, route, summary, description, parameters, body, responses, path } = operation;
  const usage = `${method} ${route}`;
  const options = [
    ...parameters.map((field) => explainField(field, field.in)),
    ...body.map((field) => explainField(field, "body")),
    ...responses.map(({ status, description: about }) => ({ name: `answer ${status}`, summary: about })),
  ];
  const text = [
    `${usage}: ${summary}`,
    ...(description === undefined ? [] : ["", description]),
    ...(options.length === 0 ? [] : ["", ...options.map((each) => `- ${each.name}: ${each.summary}`.trimEnd())]),
    ...(isShort ? ["", `Shortened. For all of a field, ask describe_command for "${usage} FIELD".`] : []),
    "",
    `Page: ${path}`,
  ].join("\n");
  return { text, structure: { kind: "operation", name: id, usage, summary, options, path, address } };
}
