/** No text of a validator reaches a person: each kind of problem of each of our schemas becomes a sentence of our own. */
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { listProblems, listSentences } from "@toolhive/core";
import { isRecord } from "@toolhive/http/values";
import { findRepositoryRoot } from "@toolhive/testing";
import type { TSchema } from "typebox";
import { describe, expect, test } from "vitest";

const ROOT = findRepositoryRoot();
const DECLARATION = "^export const ([A-Za-z]*Schema|[A-Z_]+_OPERATIONS)\\b";
const files = execFileSync("git", ["grep", "-lE", "--untracked", DECLARATION, "--", "packages/*/src/*.ts"], {
  cwd: ROOT,
  encoding: "utf8",
})
  .split("\n")
  .filter((file) => file !== "" && !file.endsWith(".test.ts"));

interface Found {
  readonly name: string;
  readonly schema: TSchema;
}

async function findSchemas(file: string): Promise<Found[]> {
  const module: Record<string, unknown> = await import(pathToFileURL(join(ROOT, file)).href);
  return Object.entries(module).flatMap(([name, value]) => {
    if (!isRecord(value)) return [];
    if (/Schema$/.test(name)) return [{ name, schema: value as TSchema }];
    if (!/_OPERATIONS$/.test(name)) return [];
    // Bodies of the API, of which some are no constants of their own.
    return Object.entries(value).flatMap(([id, operation]) =>
      isRecord(operation) && isRecord(operation.body) ? [{ name: id, schema: operation.body as TSchema }] : [],
    );
  });
}

/** Values that a part of a schema refuses, one for each of its words; `[]` for a part that takes everything. */
function* listWrong(part: Record<string, unknown>): Generator<unknown> {
  const { type, minimum, maximum, minItems, maxItems, minLength, maxLength, pattern, format, properties } = part;
  yield* [null, true, "wrong \u0001", -1.5, [], {}];
  if (minimum !== undefined) yield Number(minimum) - 1;
  if (maximum !== undefined) yield Number(maximum) + 1;
  if (minLength !== undefined) yield "";
  if (maxLength !== undefined) yield "a".repeat(Number(maxLength) + 1);
  if (pattern !== undefined || format !== undefined) yield "\u0001 no";
  if (minItems !== undefined) yield [];
  if (maxItems !== undefined && Number(maxItems) < 5_000) yield Array.from({ length: Number(maxItems) + 1 }, () => "a");
  if (part.uniqueItems) yield ["a", "a"];
  if (type === "object" || properties) yield { "no such member": 1 };
  for (const branch of [part.anyOf, part.oneOf, part.allOf].flat()) if (isRecord(branch)) yield* listWrong(branch);
  for (const [name, member] of Object.entries(isRecord(properties) ? properties : {}))
    if (isRecord(member)) for (const wrong of listWrong(member)) yield { [name]: wrong };
  if (isRecord(part.items)) for (const wrong of listWrong(part.items)) yield [wrong];
  for (const member of Object.values(isRecord(part.patternProperties) ? part.patternProperties : {}))
    if (isRecord(member)) for (const wrong of listWrong(member)) yield { "a name": wrong };
}

/** Words of ajv, of zod, and of the library of our own schemas, and our own for a problem that has none. */
const NOT_FOR_PEOPLE =
  /must NOT|must be of type|must match|must have required|does not match|expected|received|invalid_type|schemaPath|instancePath|additionalProperties|keyword|\[object|undefined|which is not allowed there|does not have the required format|which is not an allowed name/i;

describe.each(files)("the schemas of %s", (file) => {
  test("say what is wrong in words of our own", async () => {
    for (const { name, schema } of await findSchemas(file)) {
      const sentences = new Set<string>();
      for (const wrong of listWrong(schema as Record<string, unknown>))
        for (const sentence of listSentences(listProblems(schema, wrong))) sentences.add(sentence);

      expect(
        [...sentences].filter((sentence) => NOT_FOR_PEOPLE.test(sentence.replaceAll(/"(?:[^"\\]|\\.)*"/g, ""))),
        name,
      ).toEqual([]);
    }
  });
});

test("schemas are found in every package that checks what people write", () => {
  expect(new Set(files.map((file) => file.split("/")[1]))).toEqual(new Set(["api", "core", "operator"]));
  expect(files.length).toBeGreaterThan(15);
});
