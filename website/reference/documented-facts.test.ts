/** Sentences and tables of guides that count or list what the code has: each agrees with it. */
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { openApiDocument } from "@toolhive/api";
import { COMMANDS, isShown, listFlags } from "@toolhive/cli/commands";
import { expect, test } from "vitest";
import type { OpenApi } from "./openapi-types.ts";

const GUIDES = path.join(import.meta.dirname, "../docs/toolhive/guides-cli");
const readGuide = (name: string) => readFileSync(path.join(GUIDES, `${name}.mdx`), "utf8");
const document = openApiDocument("v1.2.3") as unknown as OpenApi;

test("every command has --format, but those that the guide names", () => {
  const sentence = /has this flag, but for ([^.]*)\./.exec(readGuide("manage-mcp-servers"))?.[1] ?? "";
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

test("the start page has a card for each guide", () => {
  const cards = [...readGuide("index").matchAll(/to="\/toolhive\/guides-cli\/([^"#]+)"/g)].map(([, name]) => name);
  const guides = readdirSync(GUIDES).map((file) => path.basename(file, ".mdx"));

  expect(cards.sort()).toEqual(guides.filter((name) => name !== "index").sort());
});
