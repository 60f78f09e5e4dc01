import { FrameworkPatchError } from "../patch-error.mjs";

/**
 * The tables by which the browser finds the bundles of a page, written small. The framework names each page in three of
 * them, with what only its build reads; every page of the site carries them all.
 */

/** The value of the hash with which the framework distinguishes routes of one path; pages have one route each. */
const NO_HASH = "0";

/** Stands in each route of a page of the docs, whatever else the pattern below expects. */
const SIDEBAR_OF_PAGE = /\bsidebar: /g;

const PAGE_ROUTE =
  / *\{\n *path: '([^'\\]+)',\n *component: ComponentCreator\('\1', '(\w+)'\),\n *exact: true,\n *sidebar: "(\w+)"\n *\},?\n/;
const PAGE_ROUTES = new RegExp(`(?:${PAGE_ROUTE.source.replace("\\1", "[^'\\\\]+")})+`, "g");

/**
 * The routes of all pages of the docs, which are in one place and differ only in the path and the bundle of the page's content.
 *
 * @param {string} routes The generated `routes.js`.
 * @param {Record<string, Record<string, unknown>>} chunkNames The generated `routesChunkNames.json`.
 * @returns {{ run: string, component: string, sidebar: string, pages: { path: string, key: string, content: string }[] }}
 *   `run` is the text of these routes; `key` is the page's in the table of chunk names.
 * @throws {FrameworkPatchError} when they are written otherwise or are not alike.
 */
export function findPages(routes, chunkNames) {
  const [run = ""] = (routes.match(PAGE_ROUTES) ?? []).toSorted((left, right) => right.length - left.length);
  const pages = [...run.matchAll(new RegExp(PAGE_ROUTE, "g"))].map(([, path = "", hash = "", sidebar = ""]) => {
    const { __comp: component, content, ...rest } = chunkNames[`${path}-${hash}`] ?? {};
    return { path, key: `${path}-${hash}`, sidebar, component, content, isPlain: Object.keys(rest).length === 0 };
  });
  const expected = routes.match(SIDEBAR_OF_PAGE)?.length ?? 0;
  const [first] = pages;
  if (first === undefined || pages.length !== expected)
    fail(`${pages.length} routes of pages in routes.js, of ${expected} that have a sidebar`);
  const odd = pages.find(
    ({ component, content, sidebar, isPlain, path }) =>
      !isPlain ||
      typeof content !== "string" ||
      component !== first.component ||
      sidebar !== first.sidebar ||
      /[\s`$]/.test(path),
  );
  if (odd !== undefined) fail(`that ${odd.path} is not a page like the others in routesChunkNames.json`);
  if (new Set(pages.map(({ path }) => path)).size < pages.length) fail("two routes of one path in routes.js");
  return { run, component: String(first.component), sidebar: first.sidebar, pages };
}

function fail(what) {
  throw new FrameworkPatchError(`plugins/framework-patches/routes found ${what}.`);
}

/** @returns {string} The module of chunk names: pages as lines of path and bundle, everything else as it was. */
export function writeChunkNames(routes, chunkNames) {
  const { component, pages } = findPages(routes, chunkNames);
  const others = { ...chunkNames };
  for (const { key } of pages) delete others[key];
  const lines = pages.map(({ path, content }) => `${path} ${content}`).join("\n");
  return `const names = ${JSON.stringify(others)};
export const pages = ${JSON.stringify(lines)}.split("\\n").filter(Boolean).map((line) => {
  const [path, content] = line.split(" ");
  names[path + "-${NO_HASH}"] = { __comp: ${JSON.stringify(component)}, content };
  return path;
});
export default names;
`;
}

/** @returns {string} The module of routes, whose pages are those that the module of chunk names lists. */
export function writeRoutes(routes, chunkNames) {
  const { run, sidebar } = findPages(routes, chunkNames);
  const page = `{ path, component: ComponentCreator(path, "${NO_HASH}"), exact: true, sidebar: ${JSON.stringify(sidebar)} }`;
  return `import { pages } from "@generated/routesChunkNames";\n${routes.replace(run, () => `...pages.map((path) => (${page})),\n`)}`;
}

/** @returns {string} The module of bundles without the names of their files, which the build reports what it rendered by. */
export function writeRegistry(registry) {
  const bundles = registry.match(/\(\) => import\(/g)?.length ?? 0;
  let shortened = 0;
  const written = registry.replaceAll(/, "[^"]*", require\.resolveWeak\("[^"]*"\)\](?=,?(?:\};)?$)/gm, () => {
    shortened += 1;
    return "]";
  });
  if (bundles === 0 || shortened !== bundles) fail(`${shortened} bundles in registry.js, which imports ${bundles}`);
  return written;
}
