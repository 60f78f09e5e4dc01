/** Sentences and tables of guides that count or list what the code has: each agrees with it. */
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { openApiDocument } from "@toolhive/api";
import { COMMANDS, isShown, listFlags } from "@toolhive/cli/commands";
import { WORKLOAD_STATUSES } from "@toolhive/core/workload-status";
import { expect, test } from "vitest";
import type { OpenApi } from "./openapi-types.ts";

const ROOT = path.join(import.meta.dirname, "../..");
const DOCS = path.join(ROOT, "website/docs/toolhive");
const GUIDES = path.join(DOCS, "guides-cli");
const readGuide = (name: string) => readFileSync(path.join(GUIDES, `${name}.mdx`), "utf8");
const document = openApiDocument("v1.2.3") as unknown as OpenApi;

test("every command has --format, but those that the guide names", () => {
  const sentence = /has this flag, except ([^.]*)\./.exec(readGuide("manage-mcp-servers"))?.[1] ?? "";
  const named = [...sentence.matchAll(/`([^`]+)`/g)].map(([, words]) => words);
  const without = COMMANDS.filter(isShown).filter(
    (command) => !listFlags(command).some(({ name }) => name === "format"),
  );

  const words = without.map((command) => command.path.join(" ")).filter((each) => !each.startsWith("completion"));

  expect([...named].sort()).toEqual(["completion", ...words].sort());
});

test("the table of operations has a row for each of them", () => {
  const rows = [...readGuide("api-server").matchAll(/^\| `(GET|POST|PUT|DELETE) ([^`]+)` \|/gm)];
  const operations = Object.entries(document.paths).flatMap(([at, item]) =>
    Object.keys(item).map((method) => `${method.toUpperCase()} ${at}`),
  );

  expect(rows.map(([, method, at]) => `${method} ${at}`).sort()).toEqual(operations.sort());
});

test("the table of statuses has a row for each of them", () => {
  const [, section = ""] = readGuide("manage-mcp-servers").split("{#read-the-status}");
  const rows = section.split("\n## ")[0]?.matchAll(/^\| `(\w+)` \|/gm) ?? [];

  expect([...rows].map(([, status]) => status).sort()).toEqual([...WORKLOAD_STATUSES].sort());
});

test("the table of events has each type", () => {
  const [, table = ""] = readGuide("api-server").split("| Type | Meaning |");
  const rows = table.split("\n\n")[0]?.matchAll(/^\| ((?:`\w+`(?:, )?)+) \|/gm) ?? [];
  const named = [...rows].flatMap(([, types = ""]) => [...types.matchAll(/`(\w+)`/g)].map(([, type]) => type));
  const schema = document.components.schemas.Event;
  const types = schema?.anyOf?.map(({ properties }) => properties?.type?.const ?? properties?.type?.enum?.[0]);

  expect([...named].sort()).toEqual([...(types ?? [])].sort());
});

/** Operation ids that a command calls, with the words of its folder. */
function listCalledOperations(): Map<string, string> {
  const commands = path.join(ROOT, "packages/cli/src/commands");
  const files = readdirSync(commands, { recursive: true, encoding: "utf8" }).filter((file) =>
    /(?<!\.test)\.ts$/.test(file),
  );
  return new Map(
    files.flatMap((file) =>
      [...readFileSync(path.join(commands, file), "utf8").matchAll(/\.call\("(\w+)"/g)].map(
        ([, id = ""]) => [id, file] as const,
      ),
    ),
  );
}

test("the table of operations has a command for each operation that a command is the counterpart of", () => {
  const rows = readGuide("api-server").matchAll(/^\| `(GET|POST|PUT|DELETE) ([^`]+)` \|.*\| ([^|]*)\|(?: \{.*)?$/gm);
  const shown = new Map([...rows].map(([, method, at, command]) => [`${method} ${at}`, command?.trim() ?? ""]));
  const called = listCalledOperations();
  // What commands only ask on their way.
  for (const id of ["getHealth", "getSecretsProvider"]) called.delete(id);
  const operations = Object.entries(document.paths).flatMap(([at, item]) =>
    Object.entries(item as Record<string, { operationId: string }>).map(([method, { operationId }]) => ({
      row: `${method.toUpperCase()} ${at}`,
      operationId,
    })),
  );

  const without = operations.filter(
    ({ row, operationId }) => called.has(operationId) && !shown.get(row)?.includes("`thv "),
  );

  expect(without.map(({ row, operationId }) => `${row}: ${called.get(operationId)}`)).toEqual([]);
});

test.each(["guides-cli", "guides-ui", "guides-k8s", "concepts", "tutorials"])(
  "the start page of %s has a card for each of its pages",
  (folder) => {
    const pages = path.join(DOCS, folder);
    const index = readFileSync(path.join(pages, "index.mdx"), "utf8");
    const cards = [...index.matchAll(/ to="\/toolhive\/([\w-]+)\/([^"#]+)"/g)].flatMap(([, place, name]) =>
      place === folder && name !== undefined ? [name] : [],
    );
    const names = readdirSync(pages).map((file) => path.basename(file, ".mdx"));

    expect(cards.sort()).toEqual(names.filter((name) => name !== "index").sort());
  },
);

test("cards of a tutorial all say how long it takes, and as the tutorial itself does", () => {
  const WORDS = ["five", "ten", "fifteen", "twenty"];
  const files = readdirSync(DOCS, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".mdx"));
  const sources = [...files.map((file) => path.join(DOCS, file)), path.join(ROOT, "website/src/pages/index.tsx")];
  const cards = sources.flatMap((file) => [
    ...readFileSync(file, "utf8").matchAll(/to="\/toolhive\/tutorials\/([\w-]+)"\s+note="(\d+) minutes/g),
  ]);

  expect(cards.length).toBeGreaterThan(5);
  for (const [, name, minutes] of cards) {
    const tutorial = readFileSync(path.join(DOCS, `tutorials/${name}.mdx`), "utf8");
    const said = /about\s+(\w+)\s+minutes/.exec(tutorial.split("---").slice(2).join())?.[1] ?? "";
    expect([name, (WORDS.indexOf(said) + 1) * 5]).toEqual([name, Number(minutes)]);
  }
});
