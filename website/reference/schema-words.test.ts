import { openApiDocument } from "@toolhive/api";
import { describe, expect, test } from "vitest";
import { docsFacts } from "./docs-facts.ts";
import type { OpenApi, Schema } from "./openapi-types.ts";
import { describeMeaning, describeType, listFields } from "./schema-words.ts";

const document = openApiDocument("v1.2.3") as unknown as OpenApi;
const { schemas } = document.components;
const keepName = (name: string) => name;

describe("bounds are whole sentences", () => {
  test.each<[Schema, string]>([
    [{ minimum: 0 }, "At least 0."],
    [{ maximum: 10 }, "At most 10."],
    [{ minimum: 0, maximum: 65_535 }, "0 to 65535."],
    [{ minLength: 1 }, "Not empty."],
    [{ minLength: 2, maxLength: 100 }, "2 to 100 characters."],
    [{ minLength: 64, maxLength: 64 }, "Exactly 64 characters."],
    [{ minLength: 0 }, ""],
    [{ maxItems: 50 }, "At most 50 items."],
    [{ description: "Memory.", default: 2, minimum: 0 }, "Memory. Default: `2`. At least 0."],
  ])("of %j", (schema, sentence) => {
    expect(describeMeaning(schema)).toBe(sentence);
  });

  test("of every field of the API", () => {
    const fields = Object.values(schemas).flatMap((schema) => listFields(schema));

    expect(fields.length).toBeGreaterThan(400);
    for (const field of fields) expect(describeMeaning(field.schema)).not.toMatch(/ to \.|undefined|NaN/);
  });
});

describe("types", () => {
  test.each<[Schema, string]>([
    [{ type: "number" }, "number"],
    [{ type: "integer" }, "whole number"],
    [{ type: "array", items: { type: "string" } }, "list of text"],
    [{ enum: ["a", "b"] }, "`a`, `b`"],
    [{ anyOf: [{ type: "string" }, { type: "null" }] }, "text or `null`"],
    [{ type: "object", patternProperties: { "^.*$": { type: "integer" } } }, "object with values of type whole number"],
    [{ type: "object", patternProperties: { "^.*$": {} } }, "object"],
    [{ $ref: "#/components/schemas/Group" }, "Group"],
    [{}, "any JSON value"],
  ])("of %j", (schema, words) => {
    expect(describeType(schema, keepName)).toBe(words);
  });

  test("are known for every field that the document gives a type", () => {
    const fields = Object.values(schemas).flatMap((schema) => listFields(schema));
    const unknown = fields.filter(
      ({ schema }) => schema.type !== undefined && describeType(schema, keepName) === "any JSON value",
    );

    expect(unknown).toEqual([]);
  });
});

describe("fields", () => {
  test("of an object begin with the required ones, each followed by its own", () => {
    const names = listFields(schemas.CreateWorkloadRequest ?? {}, schemas).map(({ name }) => name);

    expect(names[0]).toBe("image");
    expect(names).toContain("secrets[].target");
    expect(names.indexOf("limits.cpus")).toBeGreaterThan(names.indexOf("limits"));
  });

  test("of an object that holds itself end", () => {
    const tree: Schema = { type: "object", properties: { child: { $ref: "#/components/schemas/Tree" } } };

    expect(listFields(tree, { Tree: tree }).map(({ name }) => name)).toEqual([
      "child",
      "child.child",
      "child.child.child",
      "child.child.child.child",
    ]);
  });
});

test("programs that ask for an operation get its parameters and the fields of its body, required ones first", () => {
  const { operations } = docsFacts(`${import.meta.dirname}/../..`, document);
  const find = (id: string) => operations.find((operation) => operation.id === id);

  expect(find("createGroup")?.body.filter(({ required }) => required)).toMatchObject([{ name: "name", type: "text" }]);
  expect(find("createWorkload")?.body).toContainEqual({
    name: "limits.cpus",
    type: "number",
    required: false,
    description: "Processors. Default: `2`. At least 0.",
  });
  for (const { body, parameters } of operations)
    for (const fields of [parameters, body.filter(({ name }) => !/[.[]/.test(name))]) {
      const order = fields.map(({ required }) => required);
      expect(order).toEqual([...order].sort((left, right) => Number(right) - Number(left)));
    }
  const withBody = Object.values(document.paths).flatMap((item) =>
    Object.values(item).flatMap(({ operationId, requestBody }) => (requestBody === undefined ? [] : [operationId])),
  );
  expect(operations.filter(({ body }) => body.length > 0).map(({ id }) => id)).toEqual(
    expect.arrayContaining(withBody.filter((id) => id !== "addRegistry")),
  );
});
