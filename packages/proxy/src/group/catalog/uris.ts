/** Addresses of resources in a group: a URI that several servers have is shown once for each, below its server's name. */

const PREFIX = "mcp-group://";

/** The URI of one server's resource, or its template. */
export function formatGroupUri(server: string, own: string): string {
  return `${PREFIX}${server}/${own}`;
}

/** @returns `undefined` for a URI of a server. */
export function parseGroupUri(uri: string): { readonly server: string; readonly own: string } | undefined {
  if (!uri.startsWith(PREFIX)) return undefined;
  const end = uri.indexOf("/", PREFIX.length);
  if (end < 0) return undefined;
  return { server: uri.slice(PREFIX.length, end), own: uri.slice(end + 1) };
}

/** Characters of a template or a URI that are compared. */
const MAX_LENGTH = 8192;

/**
 * Whether a URI could have been made from a template (RFC 6570). Each expression counts as any text: servers disagree about
 * the rest, and the worst that follows is that a server says it has no such resource. One pass, whatever the template.
 *
 * @returns The number of characters that both have in common; `undefined` when it cannot.
 */
export function matchTemplate(template: string, uri: string): number | undefined {
  if (template.length > MAX_LENGTH || uri.length > MAX_LENGTH) return undefined;
  const literals = template.split(/\{[^{}]*\}/);
  const first = literals[0] ?? "";
  const last = literals.at(-1) ?? "";
  const fixed = literals.reduce((sum, { length }) => sum + length, 0);
  if (literals.length === 1) return template === uri ? fixed : undefined;
  if (!uri.startsWith(first) || !uri.endsWith(last) || uri.length < first.length + last.length) return undefined;
  let at = first.length;
  for (const literal of literals.slice(1, -1)) {
    const found = uri.indexOf(literal, at);
    if (found < 0) return undefined;
    at = found + literal.length;
  }
  return at <= uri.length - last.length ? fixed : undefined;
}
