/**
 * What every start of `thv` loads is small: of other packages only single modules (`@toolhive/core/errors`), never an index,
 * which loads the whole package. A command's handler may, because it is behind `import()`.
 */
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";

const SOURCES = join(import.meta.dirname, "../src");

const INDEX = /^@toolhive\/(api|core|engine|proxy)$/;
const MCP_CLIENT = /^@modelcontextprotocol\/client$/;

/** Each import of a wanted package that stands in `file` or in a file it imports, as `file imports package`. Types load nothing. */
function findImports(wanted: RegExp, file: string, visited = new Set<string>()): string[] {
  if (visited.has(file)) return [];
  visited.add(file);
  const statements = readFileSync(file, "utf8").matchAll(
    /^(?:import|export)\s(?!type\s)(?:[^;"]*?\sfrom\s)?"([^"]+)"/gm,
  );
  return [...statements].flatMap(([, specifier = ""]) => {
    if (wanted.test(specifier)) return [`${file.slice(SOURCES.length + 1)} imports ${specifier}`];
    return /^\..*\.ts$/.test(specifier) ? findImports(wanted, join(dirname(file), specifier), visited) : [];
  });
}

test("no start of thv loads a whole package", () => {
  expect(findImports(INDEX, join(SOURCES, "thv.ts"))).toEqual([]);
});

test("a handler does, and that is found through the files it imports", () => {
  const found = findImports(INDEX, join(SOURCES, "commands/registry/list.ts"));

  expect(found).toContain("commands/shared/open-registry.ts imports @toolhive/core");
});

test.each(["run/run", "mcp/call", "mcp/list"])(
  "commands/%s loads none before it has something to say that only the whole package knows",
  (file) => {
    expect(findImports(INDEX, join(SOURCES, `commands/${file}.ts`))).toEqual([]);
  },
);

test.each(["run/run", "upgrade/upgrade", "tools/tools"])(
  "commands/%s loads no MCP client before it asks a server",
  (file) => {
    expect(findImports(MCP_CLIENT, join(SOURCES, `commands/${file}.ts`))).toEqual([]);
  },
);

test("a command that always speaks to a server does", () => {
  expect(findImports(MCP_CLIENT, join(SOURCES, "commands/mcp/list.ts"))).not.toEqual([]);
});
