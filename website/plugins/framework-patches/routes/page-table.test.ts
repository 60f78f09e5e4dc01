import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, test } from "vitest";
import { writeChunkNames, writeRegistry, writeRoutes } from "./page-table.mjs";

const page = (route: string, hash: string) => `              {
                path: '${route}',
                component: ComponentCreator('${route}', '${hash}'),
                exact: true,
                sidebar: "docs"
              }`;

const ROUTES = `import React from 'react';
import ComponentCreator from '@docusaurus/ComponentCreator';

export default [
  {
    path: '/search',
    component: ComponentCreator('/search', '5de'),
    exact: true
  },
  {
    path: '/',
    component: ComponentCreator('/', '0f0'),
    routes: [
${[page("/docs/", "b5a"), page("/docs/a-guide", "7b7"), page("/docs/reference/thv_run", "d93")].join(",\n")}
            ]
  },
  {
    path: '*',
    component: ComponentCreator('*'),
  },
];
`;

const CHUNK_NAMES = {
  "/search-5de": { __comp: "1a4e3797", __context: { plugin: "c141421f" } },
  "/-0f0": { __comp: "5e95c892" },
  "/docs/-b5a": { __comp: "17896441", content: "7aa2b693" },
  "/docs/a-guide-7b7": { __comp: "17896441", content: "2046cbca" },
  "/docs/reference/thv_run-d93": { __comp: "17896441", content: "f6a01ef7" },
};

/** Runs the written modules with a component that says which bundles it was made for. */
async function load(routes: string, chunkNames: string): Promise<{ routes: unknown; names: Record<string, unknown> }> {
  const dir = await mkdtemp(path.join(tmpdir(), "page-table-"));
  try {
    const creator = `import names from "./names.mjs";\nexport default (path, hash) => names[path + "-" + hash] ?? path;`;
    const linked = routes
      .replace("import React from 'react';", "")
      .replace("@docusaurus/ComponentCreator", "./creator.mjs")
      .replace("@generated/routesChunkNames", "./names.mjs");
    await Promise.all([
      writeFile(path.join(dir, "routes.mjs"), linked),
      writeFile(path.join(dir, "names.mjs"), chunkNames),
      writeFile(path.join(dir, "creator.mjs"), creator),
    ]);
    const [{ default: loaded }, { default: names }] = await Promise.all(
      ["routes.mjs", "names.mjs"].map((file) => import(pathToFileURL(path.join(dir, file)).href)),
    );
    return { routes: loaded, names };
  } finally {
    await rm(dir, { recursive: true });
  }
}

const asWritten = (chunkNames: object) => `export default ${JSON.stringify(chunkNames)};`;

describe("the tables of routes", () => {
  test("lead from every path to the same bundles as those of the framework", async () => {
    const stock = await load(ROUTES, asWritten(CHUNK_NAMES));

    const compact = await load(writeRoutes(ROUTES, CHUNK_NAMES), writeChunkNames(ROUTES, CHUNK_NAMES));

    expect(compact.routes).toEqual(stock.routes);
    expect(Object.values(compact.names)).toEqual(expect.arrayContaining(Object.values(CHUNK_NAMES)));
    expect(Object.keys(compact.names)).toHaveLength(Object.keys(CHUNK_NAMES).length);
  });

  test("name a page's path once", () => {
    const written = writeRoutes(ROUTES, CHUNK_NAMES) + writeChunkNames(ROUTES, CHUNK_NAMES);

    expect(written.split("/docs/reference/thv_run")).toHaveLength(2);
  });

  test.each([
    [
      "a page has more than its content",
      { ...CHUNK_NAMES, "/docs/-b5a": { __comp: "17896441", content: "7", more: "8" } },
    ],
    ["a page is shown by another component", { ...CHUNK_NAMES, "/docs/-b5a": { __comp: "2", content: "7aa2b693" } }],
    ["a page is in no table", { ...CHUNK_NAMES, "/docs/-b5a": undefined as never }],
  ])("stop the build when %s", (_case, chunkNames) => {
    expect(() => writeRoutes(ROUTES, chunkNames)).toThrow(/is not a page like the others.*adapt or drop the patch/s);
    expect(() => writeChunkNames(ROUTES, chunkNames)).toThrow(/is not a page like the others/);
  });

  test.each([
    ["no route is written as expected", ROUTES.replaceAll("exact: true", "exact:true"), "0 routes of pages"],
    ["one route is written in another way", ROUTES.replace(`sidebar: "docs"`, `sidebar: 'docs'`), "2 routes of pages"],
    ["there are no pages", "export default [];", "0 routes of pages in routes.js, of 0"],
  ])("stop the build when %s", (_case, routes, problem) => {
    expect(() => writeRoutes(routes, CHUNK_NAMES)).toThrow(problem);
    expect(() => writeChunkNames(routes, CHUNK_NAMES)).toThrow(problem);
  });
});

test("the table of bundles keeps what loads them and nothing else", () => {
  const bundle = (name: string) =>
    `  "${name}": [() => import(/* webpackChunkName: "${name}" */ "@site/docs/a.mdx"), "@site/docs/a.mdx", require.resolveWeak("@site/docs/a.mdx")],`;
  const registry = `export default {\n${bundle("01e4c085")}\n${bundle("033f5c0f")}};\n`;

  const written = writeRegistry(registry);

  const line = (name: string) => `  "${name}": [() => import(/* webpackChunkName: "${name}" */ "@site/docs/a.mdx")],`;
  expect(written).toBe(`export default {\n${line("01e4c085")}\n${line("033f5c0f")}};\n`);
});

test.each([
  ["an entry is written in another way", `export default {\n  "a": [() => import("./a"), "./a"],\n};\n`],
  ["there are no entries", "export default {};"],
])("the table of bundles stops the build when %s", (_case, registry) => {
  expect(() => writeRegistry(registry)).toThrow(/bundles in registry\.js.*adapt or drop the patch/s);
});
