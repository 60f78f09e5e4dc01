/** What the request console sends and how it shows the answer: pure functions, without the page. */

/** Where `thv serve` listens by default; the site's policy lets pages connect there and nowhere else. */
export const LOCAL_API = "http://127.0.0.1:8080";
/** Characters of an answer that are shown; logs may be longer. */
const MAX_SHOWN_CHARACTERS = 50_000;

export interface ApiParameter {
  readonly name: string;
  readonly in: string;
  readonly required: boolean;
  /** What the field holds at first; empty for what need not be sent. */
  readonly example: string;
}

/** The path with its parameters filled in and those of the query behind it; fields that are empty stay out of the query. */
export function requestTarget(
  path: string,
  parameters: readonly ApiParameter[],
  values: Readonly<Record<string, string>>,
): string {
  const readField = (name: string) => values[name] ?? "";
  const filled = path.replaceAll(/\{(\w+)\}/g, (_match, name: string) => encodeURIComponent(readField(name)));
  const query = new URLSearchParams(
    parameters
      .filter(({ name, in: where }) => where === "query" && readField(name) !== "")
      .map(({ name }) => [name, readField(name)]),
  ).toString();
  return query === "" ? filled : `${filled}?${query}`;
}

/** JSON indented, anything else as it was received; cut where a page would become too long. */
export function readableBody(body: string): string {
  let text = body;
  try {
    text = JSON.stringify(JSON.parse(body), undefined, 2);
  } catch {
    // Plain text, which most failures are.
  }
  return text.length <= MAX_SHOWN_CHARACTERS
    ? text
    : `${text.slice(0, MAX_SHOWN_CHARACTERS)}\n… and ${text.length - MAX_SHOWN_CHARACTERS} more characters`;
}

/** @returns What is wrong with a body that should be JSON; `undefined` when nothing is. */
export function problemOfJson(body: string): string | undefined {
  try {
    JSON.parse(body);
    return undefined;
  } catch {
    return "The body is not JSON. Check its quotes, commas and braces.";
  }
}
