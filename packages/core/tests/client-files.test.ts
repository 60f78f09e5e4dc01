/**
 * Files of clients as people have them, written after the public documentation of each, with what becomes of them: requests,
 * secrets to store, servers that are left out, and the sentences that name what is not used.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { importClientFile } from "../src/project/import-client-file.ts";
import { readProject } from "../src/project/read-project.ts";

const CORPUS = join(import.meta.dirname, "client-files");
const TARGET = "/srv/shop/thv.yaml";

interface Expected {
  /** Requests by the names of the servers, without their names. */
  readonly servers: Readonly<Record<string, object>>;
  /** Each as `NAME TARGET SERVER`. */
  readonly secrets: readonly string[];
  /** Beginnings or parts of the reasons, by the names in the file. */
  readonly skipped: Readonly<Record<string, string>>;
  /** Parts of all notes in their order, by the names of the servers. */
  readonly notes: Readonly<Record<string, readonly string[]>>;
}

const names = readdirSync(CORPUS).filter((name) => /\.\w+$/.test(name));

test.each(names)("%s", (name) => {
  const text = readFileSync(join(CORPUS, name), "utf8");
  const expected = JSON.parse(readFileSync(join(CORPUS, "expected", `${name}.json`), "utf8")) as Expected;

  const project = importClientFile(text, name, TARGET);

  const requests = readProject(project.text, TARGET).servers.map(
    ({ request: { name: server, labels, ...request } }) => [server, request],
  );
  expect(Object.fromEntries(requests)).toEqual(expected.servers);
  expect(project.secrets.map((secret) => `${secret.name} ${secret.target} ${secret.server}`).sort()).toEqual(
    [...expected.secrets].sort(),
  );
  expect(Object.fromEntries(project.skipped.map(({ name: server, reason }) => [server, reason]))).toEqual(
    Object.fromEntries(
      Object.entries(expected.skipped).map(([server, part]) => [server, expect.stringContaining(part)]),
    ),
  );
  const notes: Record<string, string[]> = {};
  for (const { name: server, note } of project.notes) notes[server] = [...(notes[server] ?? []), note];
  expect(notes).toEqual(
    Object.fromEntries(
      Object.entries(expected.notes).map(([server, parts]) => [
        server,
        parts.map((part) => expect.stringContaining(part)),
      ]),
    ),
  );
});
