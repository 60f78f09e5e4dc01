/**
 * Whether a server says the same of a tool in another way: a list that is a set by JSON Schema in another order, the same
 * words in another order (programs that print a set do that at each start), or the date of today for the one of the day before.
 */
import type { ToolDefinition } from "../ports/mcp-endpoint.ts";
import { formatCanonical } from "./tool-definition.ts";

/** Characters of a definition that is compared word by word. */
const MAX_COMPARED = 256 * 1024;
/** Lists whose order means nothing, by JSON Schema. */
const SETS: ReadonlySet<string> = new Set(["allOf", "anyOf", "enum", "oneOf", "required", "type"]);
/** Members that hold values and not schemas: a list in them may mean its order. */
const VALUES: ReadonlySet<string> = new Set(["const", "default", "enum", "examples"]);
/** Lists whose order decides which schema is for which item. */
const TUPLES: ReadonlySet<string> = new Set(["items", "prefixItems"]);
/** Texts that are no sentences: another order is another address. */
const ADDRESSES: ReadonlySet<string> = new Set(["$dynamicRef", "$id", "$ref", "$schema", "format"]);
const WORDS = /[\p{L}\p{N}_]+|[^\p{L}\p{N}_]/gu;

/** Whether the schemas differ in the order of lists that have none by JSON Schema, and all else is the same. */
export function isSameSchema(before: ToolDefinition, after: ToolDefinition): boolean {
  return formatSets(before, false) === formatSets(after, false);
}

/** Whether all words of all texts are the same, and all else that no order belongs to. */
export function hasSameWords(before: ToolDefinition, after: ToolDefinition): boolean {
  const lengths = [before, after].map((definition) => JSON.stringify(definition).length);
  if (Math.max(...lengths) > MAX_COMPARED || lengths[0] !== lengths[1]) return false;
  return formatWords(before, "") === formatWords(after, "");
}

function formatSets(value: unknown, isValue: boolean): string {
  if (typeof value !== "object" || value === null || isValue) return formatCanonical(value);
  if (Array.isArray(value)) return `[${value.map((item) => formatSets(item, false)).join(",")}]`;
  return formatMembers(value, (member, name) => {
    if (!Array.isArray(member) || !SETS.has(name)) return formatSets(member, VALUES.has(name));
    return `[${member
      .map((item) => formatSets(item, VALUES.has(name)))
      .sort()
      .join(",")}]`;
  });
}

function formatWords(value: unknown, name: string): string {
  if (typeof value === "string") {
    if (ADDRESSES.has(name)) return JSON.stringify(value);
    return JSON.stringify((value.match(WORDS) ?? []).sort().join(""));
  }
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  if (!Array.isArray(value)) {
    // Annotations are facts about a tool, and what names a page is an address.
    return formatMembers(value, (member, own) =>
      own === "annotations" || own === "_meta" ? formatCanonical(member) : formatWords(member, own),
    );
  }
  const items = value.map((item) => formatWords(item, ""));
  return `[${(TUPLES.has(name) ? items : items.sort()).join(",")}]`;
}

function formatMembers(value: object, format: (member: unknown, name: string) => string): string {
  const members = Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .sort(([left], [right]) => (left < right ? -1 : 1))
    .map(([name, member]) => `${JSON.stringify(name)}:${format(member, name)}`);
  return `{${members.join(",")}}`;
}

const MONTHS = "jan feb mar apr may jun jul aug sep oct nov dec".split(" ");
const MONTH =
  "(?<month>Jan(?:uary)?|Feb(?:ruary)?|Mar(?:ch)?|Apr(?:il)?|May|June?|July?|Aug(?:ust)?|Sep(?:t(?:ember)?)?|Oct(?:ober)?|Nov(?:ember)?|Dec(?:ember)?)";
const WEEKDAY = "(?:(?:Mon|Tue(?:s)?|Wed(?:nes)?|Thu(?:rs)?|Fri|Sat(?:ur)?|Sun)(?:day)?,? )?";
const TIME = "(?:[T ,]{1,2}\\d{2}:\\d{2}(?::\\d{2}(?:\\.\\d{1,9})?)?(?: ?(?:Z|UTC|GMT|[+-]\\d{2}:?\\d{2}))?)?";
const DATES: readonly RegExp[] = [
  `${WEEKDAY}(?<![\\d-])(?<year>\\d{4})-(?<number>\\d{2})-(?<day>\\d{2})(?!\\d)${TIME}`,
  `${WEEKDAY}\\b${MONTH}\\.? (?<day>\\d{1,2})(?:st|nd|rd|th)?,? (?<year>\\d{4})(?!\\d)${TIME}`,
  `${WEEKDAY}(?<!\\d)(?<day>\\d{1,2})(?:st|nd|rd|th)? ${MONTH}\\.?,? (?<year>\\d{4})(?!\\d)${TIME}`,
].map((pattern) => new RegExp(pattern, "g"));
const DAY_MS = 86_400_000;

/**
 * Whether the two are the same but for dates: where one has the date of the day on which it was recorded, the other has the one
 * of the day on which it is offered.
 */
export function isSameButDate(
  before: { readonly text: string; readonly at: string },
  after: { readonly text: string; readonly at: Date },
): boolean {
  if (Math.max(before.text.length, after.text.length) > MAX_COMPARED) return false;
  return maskDates(before.text, Date.parse(before.at)) === maskDates(after.text, after.at.getTime());
}

/** A clock of another time zone is up to a day away. */
function maskDates(text: string, at: number): string {
  const mask = (found: string, ...rest: readonly unknown[]): string => {
    const groups = rest.at(-1) as Readonly<Record<string, string | undefined>>;
    const month = groups.number
      ? Number(groups.number) - 1
      : MONTHS.indexOf((groups.month ?? "").slice(0, 3).toLowerCase());
    // The middle of that day in UTC.
    const middle = Date.UTC(Number(groups.year), month, Number(groups.day), 12);
    return Math.abs(middle - at) <= 1.5 * DAY_MS ? "\0date\0" : found;
  };
  return DATES.reduce((masked, pattern) => masked.replace(pattern, mask), text);
}
