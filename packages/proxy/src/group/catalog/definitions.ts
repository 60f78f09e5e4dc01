/** What one server offers, as it sent it: the bytes of each definition, and where in them its name is. */
import { isRecord } from "@toolhive/http/values";
import { copySpan, readString } from "../../messages/json-rpc.ts";
import { findElements, findMembers, type Span, splice } from "../../messages/json-scanner.ts";
import { type ComparedPage, findPage } from "../../messages/lists/list-pages.ts";

/** The lists of the protocol: the method, the member of its result, and the member that names an entry. */
export const LISTS = {
  tools: { method: "tools/list", member: "tools", name: "name", capability: "tools" },
  prompts: { method: "prompts/list", member: "prompts", name: "name", capability: "prompts" },
  resources: { method: "resources/list", member: "resources", name: "uri", capability: "resources" },
  templates: {
    method: "resources/templates/list",
    member: "resourceTemplates",
    name: "uriTemplate",
    capability: "resources",
  },
} as const;

export type ListName = keyof typeof LISTS;
export const LIST_NAMES = ["tools", "prompts", "resources", "templates"] as const satisfies readonly ListName[];

export interface Definition {
  readonly name: string;
  readonly text: Buffer;
  readonly nameSpan: Span;
}

export interface Definitions {
  readonly lists: Readonly<Record<ListName, readonly Definition[]>>;
  readonly instructions: string | undefined;
}

export const NO_DEFINITIONS: Definitions = {
  lists: { tools: [], prompts: [], resources: [], templates: [] },
  instructions: undefined,
};

/** One page of a list. */
export interface ListPage extends ComparedPage {
  readonly definitions: readonly Definition[];
}

/** @returns `undefined` when the answer is no such list. Entries without a name are omitted. */
export function readListPage(response: Buffer, list: ListName, limit: number): ListPage | undefined {
  const { list: entries, nextCursor } = findPage(response, LISTS[list].member);
  const elements = entries && findElements(response, entries.start, limit);
  if (entries === undefined || elements === undefined) return undefined;
  const definitions = elements.flatMap((span) => readDefinition(copySpan(response, span), list) ?? []);
  return { definitions, nextCursor, text: response.subarray(entries.start, entries.end) };
}

function readDefinition(text: Buffer, list: ListName): Definition | undefined {
  const nameSpan = findMembers(text, 0, [LISTS[list].name])?.spans[0];
  const name = readString(text, nameSpan);
  return nameSpan === undefined || name === undefined ? undefined : { name, text, nameSpan };
}

/** The bytes of a definition under another name. */
export function showDefinition({ name, text, nameSpan }: Definition, shown: string): Buffer {
  return shown === name ? text : splice(text, [{ span: nameSpan, bytes: Buffer.from(JSON.stringify(shown)) }]);
}

/** For a file. */
export function packDefinitions({ lists, instructions }: Definitions): Readonly<Record<string, unknown>> {
  const texts = LIST_NAMES.map((list) => [list, lists[list].map(({ text }) => text.toString("utf8"))]);
  return { ...Object.fromEntries(texts), ...(instructions !== undefined && { instructions }) };
}

/** Reads the result of `packDefinitions`; omits what has another form. */
export function unpackDefinitions(value: unknown): Definitions | undefined {
  if (!isRecord(value)) return undefined;
  const read = (list: ListName): Definition[] => {
    const texts: unknown = value[list];
    if (!Array.isArray(texts)) return [];
    return texts.flatMap((text) => (typeof text === "string" ? (readDefinition(Buffer.from(text), list) ?? []) : []));
  };
  return {
    lists: {
      tools: read("tools"),
      prompts: read("prompts"),
      resources: read("resources"),
      templates: read("templates"),
    },
    instructions: typeof value.instructions === "string" ? value.instructions : undefined,
  };
}

export function isSameOffer(left: Definitions, right: Definitions): boolean {
  if (left.instructions !== right.instructions) return false;
  return LIST_NAMES.every((list) => {
    const [own, other] = [left.lists[list], right.lists[list]];
    return own.length === other.length && own.every(({ text }, index) => other[index]?.text.equals(text) === true);
  });
}
