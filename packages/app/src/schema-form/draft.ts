/** The content of a form's fields, and the value that it means. */
import { isRecord, parseJson } from "@toolhive/http/values";
import { t } from "../words/messages.ts";
import type { FormField } from "./fields.ts";

export interface ListItem {
  readonly id: number;
  readonly draft: Draft;
}

/** Of a text, a number or JSON what was typed; of a choice its index, or nothing. */
export type Draft = string | ReadonlyMap<string, Draft> | readonly ListItem[];

/** By where it is in the value: `#/place/city`. */
export type Problems = ReadonlyMap<string, string>;

export interface Built {
  readonly value: Readonly<Record<string, unknown>>;
  readonly problems: Problems;
}

/** Where a member of an object or a list is, as a JSON pointer. */
export function pointTo(parent: string, name: string | number): string {
  return `${parent}/${String(name).replaceAll("~", "~0").replaceAll("/", "~1")}`;
}

export function beginDraft(fields: readonly FormField[]): ReadonlyMap<string, Draft> {
  return new Map(fields.map((field) => [field.name, beginField(field)]));
}

/** What a field begins with: the schema's default where it fits. */
export function beginField(field: FormField): Draft {
  const preset = field.preset === undefined ? undefined : fillField(field, field.preset);
  if (preset !== undefined) return preset;
  if (field.kind === "group") return beginDraft(field.fields);
  if (field.kind === "list") return [];
  return field.kind === "choice" && field.isRequired && field.choices.length === 1 ? "0" : "";
}

/** @returns The draft that means the value; `undefined` when the fields cannot show all of it. */
export function fillDraft(fields: readonly FormField[], value: unknown): ReadonlyMap<string, Draft> | undefined {
  if (!isRecord(value)) return undefined;
  const given = new Map(Object.entries(value));
  const filled = new Map<string, Draft>();
  for (const field of fields) {
    const draft = given.has(field.name) ? fillField(field, given.get(field.name)) : emptyField(field);
    if (draft === undefined) return undefined;
    filled.set(field.name, draft);
    given.delete(field.name);
  }
  return given.size === 0 ? filled : undefined;
}

function emptyField(field: FormField): Draft {
  if (field.kind === "group") return new Map(field.fields.map((each) => [each.name, emptyField(each)]));
  return field.kind === "list" ? [] : "";
}

function fillField(field: FormField, value: unknown): Draft | undefined {
  switch (field.kind) {
    case "text":
    case "line":
      return typeof value === "string" ? value : undefined;
    case "number":
      return typeof value === "number" ? String(value) : undefined;
    case "json":
      return JSON.stringify(value, null, 2);
    case "choice": {
      const index = field.choices.findIndex((choice) => JSON.stringify(choice.value) === JSON.stringify(value));
      return index === -1 ? undefined : String(index);
    }
    case "group":
      return fillDraft(field.fields, value);
    case "list": {
      if (!Array.isArray(value)) return undefined;
      const items: ListItem[] = [];
      for (const [id, each] of value.entries()) {
        const draft = fillField(field.item, each);
        if (draft === undefined) return undefined;
        items.push({ id, draft });
      }
      return items;
    }
  }
}

/** The value of all fields; empty optional ones are omitted. */
export function buildValue(fields: readonly FormField[], draft: ReadonlyMap<string, Draft>): Built {
  const problems = new Map<string, string>();
  return { value: buildObject(fields, draft, "#", problems), problems };
}

function buildObject(
  fields: readonly FormField[],
  draft: ReadonlyMap<string, Draft>,
  at: string,
  problems: Map<string, string>,
): Record<string, unknown> {
  const members = fields.flatMap((field): [string, unknown][] => {
    const where = pointTo(at, field.name);
    const value = buildField(field, draft.get(field.name) ?? "", where, problems);
    if (value !== undefined) return [[field.name, value]];
    if (field.isRequired && !problems.has(where)) problems.set(where, t("form.required"));
    return [];
  });
  // Unlike an assignment, this makes a member of any name, `__proto__` included.
  return Object.fromEntries(members);
}

/** @returns `undefined` when it is empty or cannot be read. */
function buildField(field: FormField, draft: Draft, at: string, problems: Map<string, string>): unknown {
  if (field.kind === "group") {
    if (!field.isRequired && !hasText(draft)) return undefined;
    return buildObject(field.fields, draft instanceof Map ? draft : new Map(), at, problems);
  }
  if (field.kind === "list") {
    const items = Array.isArray(draft) ? (draft as readonly ListItem[]) : [];
    if (items.length === 0) return field.isRequired ? [] : undefined;
    return items.map((item, index) => {
      const where = pointTo(at, index);
      const value = buildField(field.item, item.draft, where, problems);
      if (value === undefined && !problems.has(where)) problems.set(where, t("form.required"));
      return value;
    });
  }
  const text = typeof draft === "string" ? draft : "";
  if (field.kind === "text" || field.kind === "line") return text === "" && !field.isRequired ? undefined : text;
  if (text.trim() === "") return undefined;
  if (field.kind === "choice") return field.choices[Number(text)]?.value;
  if (field.kind === "number") {
    if (Number.isFinite(Number(text))) return Number(text);
    problems.set(at, t("form.noNumber"));
    return undefined;
  }
  const parsed = parseJson(text);
  if (parsed === undefined) problems.set(at, t("form.noJson"));
  return parsed;
}

/** Whether anything was typed, readable or not. */
function hasText(draft: Draft): boolean {
  if (typeof draft === "string") return draft.trim() !== "";
  if (draft instanceof Map) return [...draft.values()].some(hasText);
  return (draft as readonly ListItem[]).length > 0;
}
