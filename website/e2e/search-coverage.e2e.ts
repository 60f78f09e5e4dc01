/**
 * Each command, operation, error and setting is found among the first three pages by a query that follows from what it is: its name,
 * or what it is for. What there is, the build says in `docs-facts.json`.
 */
import { readFileSync } from "node:fs";
import path from "node:path";
import { askWhatToDo, askWhich } from "../reference/ask-questions.ts";
import { SETTING_GUIDE } from "../reference/data/settings.ts";
import { askSearch } from "./support/ask-search.ts";
import { expect, test } from "./support/site.ts";

interface Facts {
  readonly commands: readonly { readonly path: string; readonly name: string; readonly summary: string }[];
  readonly operations: readonly {
    readonly path: string;
    readonly method: string;
    readonly route: string;
    readonly summary: string;
  }[];
  readonly errors: readonly { readonly path: string; readonly code: string; readonly short: string }[];
}

interface Subject {
  /** Of its page, from the root of the site; with an anchor on a page of several. */
  readonly path: string;
  readonly queries: readonly string[];
}

const facts = JSON.parse(readFileSync(path.join(__dirname, "../dist/docs-facts.json"), "utf8")) as Facts;
const FIRST_PAGES = 3;

const SUBJECTS: Readonly<Record<string, readonly Subject[]>> = {
  command: facts.commands.map(({ path: at, name, summary }) => ({
    path: at,
    queries: [name, ...askWhich("command", summary)],
  })),
  operation: facts.operations.map(({ path: at, method, route, summary }) => ({
    path: at,
    queries: [`${method} ${route}`, summary],
  })),
  error: facts.errors.map(({ path: at, code, short }) => ({ path: at, queries: [code, short, ...askWhatToDo(short)] })),
  setting: Object.entries(SETTING_GUIDE).map(([name, { meaning }]) => ({
    path: "/toolhive/reference/configuration",
    queries: [name, `${name} config.yaml`, meaning],
  })),
};

/** Pages of the first hits. */
async function findPages(query: string): Promise<string[]> {
  const pages = (await askSearch(query)).map((url) => new URL(url).pathname);
  return [...new Set(pages)].slice(0, FIRST_PAGES);
}

async function isFound({ path: at, queries }: Subject): Promise<boolean> {
  for (const query of queries) if ((await findPages(query)).includes(at.split("#")[0] ?? "")) return true;
  return false;
}

for (const [kind, subjects] of Object.entries(SUBJECTS)) {
  test(`each ${kind} is among the first three pages for a query about it`, async () => {
    expect(subjects.length).toBeGreaterThan(5);
    const missed: string[] = [];
    for (const subject of subjects) if (!(await isFound(subject))) missed.push(subject.queries.join(" | "));

    expect(missed).toEqual([]);
  });
}
