/**
 * The tables by which the browser finds the bundles of a page, written small. The framework names each page in three of
 * them, with what only its build reads; every page of the site carries them all.
 */

/** What the framework makes of a hash to tell routes of one path apart; pages have one route each. */
const NO_HASH = "0";

const PAGE_ROUTE =
  / *\{\n *path: '([^'\\]+)',\n *component: ComponentCreator\('\1', '(\w+)'\),\n *exact: true,\n *sidebar: "(\w+)"\n *\},?\n/;
const PAGE_ROUTES = new RegExp(`(?:${PAGE_ROUTE.source.replace("\\1", "[^'\\\\]+")})+`, "g");

/**
 * The longest run of routes that differ in nothing but the path and the bundle of the page's content.
 *
 * @param {string} routes The generated `routes.js`.
 * @param {Record<string, Record<string, unknown>>} chunkNames The generated `routesChunkNames.json`.
 * @returns {{ run: string, component: string, sidebar: string, pages: { path: string, key: string, content: string }[] }}
 *   `run` is the text of these routes, empty when no run is uniform; `key` is the page's in the table of chunk names.
 */
export function findPages(routes, chunkNames) {
  const none = { run: "", component: "", sidebar: "", pages: [] };
  const [run = ""] = (routes.match(PAGE_ROUTES) ?? []).toSorted((left, right) => right.length - left.length);
  const found = [...run.matchAll(new RegExp(PAGE_ROUTE, "g"))].map(([, path = "", hash = "", sidebar = ""]) => {
    const { __comp: component, content, ...rest } = chunkNames[`${path}-${hash}`] ?? {};
    return { path, key: `${path}-${hash}`, sidebar, component, content, isPlain: Object.keys(rest).length === 0 };
  });
  const [first] = found;
  const isUniform = found.every(
    ({ component, content, sidebar, isPlain, path }) =>
      isPlain &&
      typeof content === "string" &&
      component === first?.component &&
      sidebar === first?.sidebar &&
      !/[\s`$]/.test(path),
  );
  if (first === undefined || !isUniform || new Set(found.map(({ path }) => path)).size < found.length) return none;
  return { run, component: String(first.component), sidebar: first.sidebar, pages: found };
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
  if (run === "") return routes;
  const page = `{ path, component: ComponentCreator(path, "${NO_HASH}"), exact: true, sidebar: ${JSON.stringify(sidebar)} }`;
  return `import { pages } from "@generated/routesChunkNames";\n${routes.replace(run, () => `...pages.map((path) => (${page})),\n`)}`;
}

/** @returns {string} The module of bundles without the names of their files, which the build reports what it rendered by. */
export function writeRegistry(registry) {
  return registry.replaceAll(/, "[^"]*", require\.resolveWeak\("[^"]*"\)\],?$/gm, "],");
}
