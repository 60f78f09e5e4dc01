import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import { OPERATION_IDS } from "../contract/contract.ts";
import { ROUTES } from "../contract/routes.ts";
import { openApiDocument } from "./openapi.ts";

type Json = Readonly<Record<string, unknown>>;

const DOCUMENT = openApiDocument("v1.2.3");
const operations = Object.entries(DOCUMENT.paths as Record<string, Record<string, Json>>).flatMap(([path, item]) =>
  Object.entries(item).map(([method, operation]) => ({ path, method, operation })),
);

/** Every value below a member of this name. */
function* membersNamed(name: string, value: unknown): Generator<unknown> {
  if (typeof value !== "object" || value === null) return;
  for (const [key, member] of Object.entries(value)) {
    if (key === name) yield member;
    yield* membersNamed(name, member);
  }
}

describe("the OpenAPI document", () => {
  test("each description names what it describes, and does not begin with a word that joins it to something else", () => {
    const joined = [...membersNamed("description", DOCUMENT)].filter((text) =>
      /^(?:Of|By|From|Until|Since|As|To|For|Those|Also|Only) /.test(String(text)),
    );

    expect(joined).toEqual([]);
  });

  test("is OpenAPI 3.1, and a strict linter has nothing to say about it", async () => {
    const folder = await mkdtemp(join(tmpdir(), "thv-openapi-"));
    await writeFile(join(folder, "openapi.json"), JSON.stringify(DOCUMENT, null, 2));
    const program = createRequire(import.meta.url)
      .resolve("@redocly/cli/package.json")
      .replace("package.json", "bin/cli.js");
    const env = { ...process.env, REDOCLY_TELEMETRY: "off", REDOCLY_SUPPRESS_UPDATE_NOTICE: "true" };

    const args = [program, "lint", "openapi.json", "--extends", "recommended-strict", "--format", "json"];
    const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: folder, env }).catch((error) => error);
    await rm(folder, { recursive: true });

    expect(JSON.parse(stdout)).toMatchObject({ totals: { errors: 0, warnings: 0, ignored: 0 }, problems: [] });
    expect(DOCUMENT.openapi).toBe("3.1.0");
  });

  test("describes every route of the API, and no other", () => {
    const described = operations.map(({ path, method, operation }) => `${operation.operationId} ${method} ${path}`);

    expect(described.sort()).toEqual(
      OPERATION_IDS.map((id) => `${id} ${ROUTES[id].method.toLowerCase()} ${ROUTES[id].path}`).sort(),
    );
  });

  test("refers only to schemas that it has, and has none that nothing refers to", () => {
    const referred = [...membersNamed("$ref", DOCUMENT)].map((ref) => String(ref));
    const { schemas } = DOCUMENT.components as { schemas: Json };

    expect([...new Set(referred)].sort()).toEqual(
      Object.keys(schemas)
        .map((name) => `#/components/schemas/${name}`)
        .sort(),
    );
  });

  test("keeps no mark of the schema library", () => {
    expect(JSON.stringify(DOCUMENT)).not.toMatch(/"(~kind|~optional|\$id)"/);
  });

  test.each(operations.map((each) => [each.operation.operationId, each] as const))(
    "gives %s a summary, a declared tag, its path parameters and both forms of each error",
    (_id, { path, operation }) => {
      const tags = (DOCUMENT.tags as { name: string }[]).map(({ name }) => name);
      const parameters = (operation.parameters ?? []) as { name: string; in: string; required: boolean }[];
      const responses = operation.responses as Record<string, { description: string; content?: Json }>;

      expect(operation.summary).toMatch(/^[A-Z].*[^.]$/);
      for (const tag of operation.tags as string[]) expect(tags).toContain(tag);
      expect(parameters.filter((each) => each.in === "path").map(({ name, required }) => [name, required])).toEqual(
        [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => [name, true]),
      );
      for (const [status, { description, content }] of Object.entries(responses)) {
        expect(description).not.toBe("");
        // A request whose origin is refused gets its answer before the server reads anything of it.
        if (status === "403") expect(Object.keys(content ?? {})).toEqual(["text/plain"]);
        else if (Number(status) >= 400) {
          expect(Object.keys(content ?? {})).toEqual(["text/plain", "application/problem+json"]);
        }
      }
    },
  );
});
