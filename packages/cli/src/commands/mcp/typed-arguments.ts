/** Arguments of a tool that were written as `name=value`, with the types that the tool's schema asks for. */
import { ThvError } from "@toolhive/core/errors";
import { isRecord, parseJson, shorten } from "@toolhive/http/values";

type Schema = Readonly<Record<string, unknown>>;
type Written = ReadonlyMap<string, readonly string[]>;

/** Characters of a value that a message repeats. */
const SHOWN_LENGTH = 60;
/** References and alternatives that lead into each other end here. */
const MAX_DEPTH = 8;

/** @param pairs `name=value`; a name may occur several times. @throws {ThvError} `USAGE`. */
export function parsePairs(pairs: readonly string[]): Written {
  const written = new Map<string, string[]>();
  for (const pair of pairs) {
    const split = pair.indexOf("=");
    if (split < 1)
      throw new ThvError("USAGE", `--arg is "${shorten(pair, SHOWN_LENGTH)}", but must be NAME=VALUE.`, {
        hint: "For example: --arg message=hello",
      });
    const name = pair.slice(0, split);
    written.set(name, [...(written.get(name) ?? []), pair.slice(split + 1)]);
  }
  return written;
}

/** @param schema Of all arguments, as the tool gives it; `undefined` when it is not known. @throws {ThvError} `INVALID_ARGUMENT`. */
export function typeArguments(written: Written, schema: Schema | undefined): Record<string, unknown> {
  const { properties } = schema ?? {};
  return Object.fromEntries(
    [...written].map(([name, texts]) => {
      const property = isRecord(properties) && Object.hasOwn(properties, name) ? properties[name] : undefined;
      return [name, typeArgument(name, texts, { property, root: schema ?? {} })];
    }),
  );
}

/** Arguments that are always texts, as those of a prompt. @throws {ThvError} `INVALID_ARGUMENT`. */
export function readTexts(written: Written): Record<string, string> {
  return Object.fromEntries([...written].map(([name, texts]) => [name, takeOne(name, texts)]));
}

function typeArgument(
  name: string,
  texts: readonly string[],
  { property, root }: { readonly property: unknown; readonly root: Schema },
): unknown {
  const forms = listForms(property, root);
  const list = forms.find((form) => form.type === "array");
  if (list) {
    const whole = texts.length === 1 ? parseJson(texts[0] ?? "") : undefined;
    if (Array.isArray(whole)) return whole;
    const others = forms.filter((form) => form !== list);
    const single = texts.length === 1 && others.length > 0 ? readAs(texts[0] ?? "", others) : undefined;
    if (single !== undefined) return single.value;
    return texts.map((text) => typeArgument(name, [text], { property: list.schema.items, root }));
  }
  const text = takeOne(name, texts);
  if (forms.length === 0) return parseJson(text) ?? (text === "null" ? null : text);
  const read = readAs(text, forms);
  if (read) return read.value;
  const types = forms.map(({ type }) => type).join(" or ");
  throw new ThvError(
    "INVALID_ARGUMENT",
    `--arg ${name} is "${shorten(text, SHOWN_LENGTH)}", but the tool asks for ${types}`,
    {
      hint: "See its arguments: thv mcp list tools --server NAME --format json",
    },
  );
}

function takeOne(name: string, texts: readonly string[]): string {
  if (texts.length > 1) {
    throw new ThvError("INVALID_ARGUMENT", `--arg ${name} is given ${texts.length} times, but is no list`, {
      hint: "Give it once.",
    });
  }
  return texts[0] ?? "";
}

interface Form {
  readonly type: string;
  readonly schema: Schema;
}

/** Every type that it may have; none when the schema does not say. */
function listForms(property: unknown, root: Schema, depth = 0): Form[] {
  if (!isRecord(property) || depth > MAX_DEPTH) return [];
  const { type, $ref: reference, anyOf, oneOf, allOf, enum: values, const: value } = property;
  const types = [type].flat().filter((each): each is string => typeof each === "string");
  if (types.length > 0) return types.map((each) => ({ type: each, schema: property }));
  if (typeof reference === "string") return listForms(resolveReference(reference, root), root, depth + 1);
  for (const choices of [anyOf, oneOf, allOf])
    if (Array.isArray(choices)) return choices.flatMap((choice) => listForms(choice, root, depth + 1));
  const known = Array.isArray(values) ? values : value === undefined ? [] : [value];
  const kinds = new Set(known.map((each) => (each === null ? "null" : typeof each)));
  return [...kinds].map((kind) => ({ type: kind, schema: property }));
}

/** Of those that stay in the document: `#/$defs/Place`. */
function resolveReference(reference: string, root: Schema): unknown {
  if (!reference.startsWith("#/")) return undefined;
  let found: unknown = root;
  for (const part of reference.slice(2).split("/")) {
    const key = part.replaceAll("~1", "/").replaceAll("~0", "~");
    found = isRecord(found) && Object.hasOwn(found, key) ? found[key] : undefined;
  }
  return found;
}

/** Text is what fits when nothing else does. */
function readAs(text: string, forms: readonly Form[]): { readonly value: unknown } | undefined {
  for (const { type } of forms) {
    const value = parseJson(text);
    if (type === "null" && text === "null") return { value: null };
    if (type === "boolean" && typeof value === "boolean") return { value };
    if (type === "object" && isRecord(value)) return { value };
    const isExact = typeof value === "number" && (!Number.isInteger(value) || Number.isSafeInteger(value));
    if (type === "number" && isExact) return { value };
    if (type === "integer" && isExact && Number.isInteger(value)) return { value };
  }
  return forms.some(({ type }) => type === "string") ? { value: text } : undefined;
}
