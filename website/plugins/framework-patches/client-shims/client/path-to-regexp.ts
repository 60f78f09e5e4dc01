/** Paths of routes as regular expressions, as path-to-regexp 1.9 makes them, for what this site's routes are: texts, and `*`. */

interface Options {
  /** Whether the path is the whole address. Default: true. */
  readonly end?: boolean;
  /** Whether a slash at the end counts. Default: false. */
  readonly strict?: boolean;
  readonly sensitive?: boolean;
}

const ESCAPED_SLASH = "\\/";

/**
 * @param keys Gets a name for each `*`.
 * @throws {Error} When the path has a parameter.
 */
export default function pathToRegexp(
  route: string,
  keys: { name: number }[] = [],
  { end = true, strict = false, sensitive = false }: Options = {},
): RegExp {
  if (/[:()]/.test(route)) throw new Error(`The route "${route}" has a parameter, which no route of this site has.`);
  const parts = route.split("*");
  for (const name of parts.slice(1).keys()) keys.push({ name });
  const pattern = parts.map((part) => part.replace(/[.+?^${}|[\]\\/]/g, "\\$&")).join("(.*)");
  const isOpen = pattern.endsWith(ESCAPED_SLASH);
  const body = strict ? pattern : `${isOpen ? pattern.slice(0, -ESCAPED_SLASH.length) : pattern}(?:\\/(?=$))?`;
  const tail = end ? "$" : strict && isOpen ? "" : "(?=\\/|$)";
  return new RegExp(`^${body}${tail}`, sensitive ? "" : "i");
}

/** The address of a route without parameters is its path. */
pathToRegexp.compile = (route: string) => () => route;
