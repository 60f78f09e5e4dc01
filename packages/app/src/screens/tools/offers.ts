/** What a server offers, as entries of one list that can be tried. Everything in it is the server's own text. */
import type { CallInput } from "@toolhive/api/client";
import { quoteWord } from "@toolhive/http/values";
import type { OperationAnswer } from "../../api/client.ts";
import { readLabel } from "../../schema-form/fields.ts";
import type { Kind } from "./tools-search.ts";
import { expandTemplate, listVariables } from "./uri-template.ts";

export type CallRequest = CallInput<"callWorkload">["body"];

type Hint = "readOnly" | "destructive" | "idempotent" | "openWorld";

export interface Offer {
  readonly kind: Kind;
  /** Name, or the address of a resource: what an address of the application has. */
  readonly id: string;
  readonly title: string;
  readonly description: string | undefined;
  readonly hints: readonly Hint[];
  /** Of what is asked for before it is tried. */
  readonly schema: unknown;
  request(value: Readonly<Record<string, unknown>>): NonNullable<CallRequest>;
}

type Item = Readonly<Record<string, unknown>>;
export type Listed = Partial<
  OperationAnswer<"listWorkloadTools"> &
    OperationAnswer<"listWorkloadPrompts"> &
    OperationAnswer<"listWorkloadResources">
>;

const HINTS = [
  ["readOnlyHint", "readOnly"],
  ["destructiveHint", "destructive"],
  ["idempotentHint", "idempotent"],
  ["openWorldHint", "openWorld"],
] as const;
const MAX_DESCRIPTION = 20_000;

export function readOffers({ tools = [], prompts = [], resources = [], resource_templates: templates = [] }: Listed) {
  const all = [
    ...tools.map(readTool),
    ...prompts.map(readPrompt),
    ...resources.map(readResource),
    ...templates.map(readTemplate),
  ];
  const seen = new Set<string>();
  // A name that occurs twice is the server's mistake; a call reaches the first one.
  return all.filter(({ id }) => !seen.has(id) && seen.add(id));
}

export function findOffers(offers: readonly Offer[], text: string): readonly Offer[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  return offers.filter(({ id, title, description = "" }) => {
    const whole = `${id} ${title} ${description}`.toLowerCase();
    return words.every((word) => whole.includes(word));
  });
}

/** The command that does the same as trying it; for prompts and resources, the one that lists them. */
export function writeCommand(server: string, { kind, id }: Offer, value: Readonly<Record<string, unknown>>): string {
  if (kind !== "tools") return `thv mcp list ${kind} --server ${quoteWord(server)}`;
  const values = Object.keys(value).length === 0 ? [] : ["--json", quoteWord(JSON.stringify(value))];
  // A name that begins with a hyphen would be an option.
  const names = id.startsWith("-")
    ? [...values, "--", quoteWord(server), quoteWord(id)]
    : [quoteWord(server), quoteWord(id), ...values];
  return ["thv", "mcp", "call", ...names].join(" ");
}

function readTool(item: Item): Offer {
  const annotations = typeof item.annotations === "object" && item.annotations !== null ? item.annotations : {};
  const marks = annotations as Item;
  return {
    ...readBase("tools", item, String(item.name), marks.title),
    hints: HINTS.filter(([member]) => marks[member] === true).map(([, hint]) => hint),
    schema: item.inputSchema,
    request: (value) => ({ method: "tools/call", params: { name: item.name, arguments: value } }),
  };
}

function readPrompt(item: Item): Offer {
  const given = Array.isArray(item.arguments) ? (item.arguments as readonly Item[]) : [];
  return {
    ...readBase("prompts", item, String(item.name)),
    schema: {
      type: "object",
      properties: Object.fromEntries(
        given.map(({ name, title, description }) => [String(name), { type: "string", title, description }]),
      ),
      required: given.filter(({ required }) => required === true).map(({ name }) => String(name)),
    },
    request: (value) => ({ method: "prompts/get", params: { name: item.name, arguments: value } }),
  };
}

function readResource(item: Item): Offer {
  return {
    ...readBase("resources", item, String(item.uri)),
    schema: { type: "object" },
    request: () => ({ method: "resources/read", params: { uri: item.uri } }),
  };
}

function readTemplate(item: Item): Offer {
  const template = String(item.uriTemplate);
  const variables = listVariables(template);
  return {
    ...readBase("resources", item, template),
    schema: {
      type: "object",
      properties: Object.fromEntries(variables.map((name) => [name, { type: "string", maxLength: 100 }])),
      required: variables,
    },
    request: (value) => ({ method: "resources/read", params: { uri: expandTemplate(template, value) } }),
  };
}

function readBase(kind: Kind, { title, name, description }: Item, id: string, ownTitle?: unknown) {
  return {
    kind,
    id,
    title: readLabel(title) ?? readLabel(ownTitle) ?? readLabel(name) ?? id,
    description: typeof description === "string" ? description.slice(0, MAX_DESCRIPTION) : undefined,
    hints: [],
  };
}
