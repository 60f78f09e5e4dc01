/** What stands in the place of whole libraries does what these do, for this site's routes. */
import { createRequire } from "node:module";
import { describe, expect, test } from "vitest";
import pathToRegexp from "./client/path-to-regexp.ts";
import { __importDefault } from "./client/tslib.ts";

type PathToRegexp = (route: string, keys: unknown[], options: object) => RegExp;

// The copy that the router has, wherever it is installed.
const requireOfRouter = createRequire(createRequire(import.meta.url).resolve("react-router"));
const original = requireOfRouter("path-to-regexp") as PathToRegexp;

const ROUTES = ["/", "*", "/search", "/toolhive/", "/toolhive/guides-cli/run-mcp-servers", "/moved/a.b_c/", "/moved/*"];
const ADDRESSES = [
  ...ROUTES,
  "/search/",
  "/SEARCH",
  "/searching",
  "/search/more",
  "/toolhive",
  "/moved/aXb_c",
  "",
  "/x",
];
const OPTIONS = [true, false].flatMap((end) =>
  [true, false].flatMap((strict) => [true, false].map((sensitive) => ({ end, strict, sensitive }))),
);

describe.each(OPTIONS)("a route with %o", (options) => {
  test.each(ROUTES)("%s fits the same addresses as before", (route) => {
    const keys: { name: number }[] = [];
    const originalKeys: { name: number }[] = [];
    const own = pathToRegexp(route, keys, options);
    const theirs = original(route, originalKeys, options);

    for (const address of ADDRESSES) {
      expect(Array.from(own.exec(address) ?? []), address).toEqual(Array.from(theirs.exec(address) ?? []));
    }
    expect(keys.map(({ name }) => name)).toEqual(originalKeys.map(({ name }) => name));
  });
});

test("a route with a parameter is refused, as this site has none", () => {
  expect(() => pathToRegexp("/users/:name")).toThrow('The route "/users/:name" has a parameter');
});

test("the address of a route is its path", () => {
  expect(pathToRegexp.compile("/search")()).toBe("/search");
});

test("a module keeps its default export, and anything else becomes one", () => {
  const module = { __esModule: true, default: 1 };

  expect(__importDefault(module)).toBe(module);
  expect(__importDefault(undefined)).toEqual({ default: undefined });
});
