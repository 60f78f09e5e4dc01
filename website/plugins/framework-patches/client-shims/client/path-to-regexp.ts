/**
 * Expressions for the paths of routes that have no parameters, which are all that this site has (spec §2), as version 1 of
 * `path-to-regexp` makes them: a slash at the end is optional, and `*` takes anything.
 */

interface Options {
  /** Whether the route is the whole path and not the beginning of one. Default true. */
  readonly end?: boolean;
  /** Whether a slash at the end is told from none. Default false. */
  readonly strict?: boolean;
  /** Whether letters are told from capital letters. Default false. */
  readonly sensitive?: boolean;
}

/** @param keys Gets the one key of `*`, by whose name the router gives what it took. */
export default function pathToRegexp(
  path: string,
  keys: { name: number }[] = [],
  { end = true, strict = false, sensitive = false }: Options = {},
): RegExp {
  const flags = sensitive ? "" : "i";
  if (path === "*") {
    keys.push({ name: 0 });
    return new RegExp("^(.*)$", flags);
  }
  const text = path.replace(/[.+*?=^!:${}()[\]|/\\]/g, "\\$&");
  const stem = strict ? text : `${text.replace(/\\\/$/, "")}(?:\\/(?=$))?`;
  const rest = strict && path.endsWith("/") ? "" : "(?=\\/|$)";
  return new RegExp(`^${stem}${end ? "$" : rest}`, flags);
}

/** A path without parameters is its own address. */
pathToRegexp.compile = (path: string) => (): string => path;
