/** Forms made of schemas: which fields, what they mean, and what the schema has against it. */
import { describe, expect, test } from "vitest";
import { checkValue } from "./check.ts";
import { beginDraft, buildValue, type Draft, fillDraft } from "./draft.ts";
import { type FormField, readFields } from "./fields.ts";

const object = (properties: object, more: object = {}) => ({ type: "object", properties, ...more });

function listKinds(properties: object): Record<string, string> {
  return Object.fromEntries((readFields(object(properties)) ?? []).map(({ name, kind }) => [name, kind]));
}

function build(schema: unknown, typed: readonly (readonly [string, Draft])[]) {
  const fields = readFields(schema) ?? [];
  return buildValue(fields, new Map([...beginDraft(fields), ...typed]));
}

describe("the fields of a schema", () => {
  test("are what a form can ask for, and JSON for the rest", () => {
    const union = { anyOf: [{ type: "string" }, { type: "number" }] };
    expect(
      listKinds({
        text: { type: "string" },
        short: { type: "string", maxLength: 10 },
        date: { type: "string", format: "date" },
        count: { type: "integer" },
        flag: { type: "boolean" },
        color: { enum: ["red", "green", 3] },
        fixed: { const: "v1" },
        maybe: { type: ["string", "null"] },
        perhaps: { anyOf: [{ type: "number" }, { type: "null" }] },
        names: { type: "array", items: { type: "string" } },
        place: object({ city: { type: "string" } }),
        union,
        unions: { type: "array", items: union },
        tuple: { type: "array", prefixItems: [{ type: "string" }] },
        map: { type: "object", additionalProperties: { type: "string" } },
        untyped: {},
        anything: true,
      }),
    ).toEqual({
      text: "text",
      short: "line",
      date: "line",
      count: "number",
      flag: "choice",
      color: "choice",
      fixed: "choice",
      maybe: "text",
      perhaps: "number",
      names: "list",
      place: "group",
      union: "json",
      unions: "json",
      tuple: "json",
      map: "json",
      untyped: "json",
      anything: "json",
    });
  });

  test("are none where the schema is none or wrong, and an empty form where nothing is asked for", () => {
    for (const schema of [undefined, null, true, "x", [], {}, { type: "string" }, { type: "object", properties: 3 }]) {
      expect([schema, readFields(schema)]).toEqual([schema, undefined]);
    }
    expect(readFields({ type: "object" })).toEqual([]);
    expect(readFields({ type: "object", additionalProperties: { type: "string" } })).toBeUndefined();
    expect(
      readFields(object(Object.fromEntries(Array.from({ length: 300 }, (_, at) => [`p${at}`, {}])))),
    ).toBeUndefined();
  });

  test("follow references, and end where a schema refers to itself or to nowhere", () => {
    const fields = readFields({
      ...object({
        one: { $ref: "#/$defs/a~1b", description: "d" },
        none: { $ref: "#/$defs/x" },
        out: { $ref: "http:x" },
      }),
      $defs: { "a/b": { type: "integer" } },
    });
    expect(fields?.map(({ kind, hint }) => [kind, hint])).toEqual([
      ["number", "d"],
      ["json", undefined],
      ["json", undefined],
    ]);

    const tree = { ...object({ child: { $ref: "#" } }) };
    let depth = 0;
    for (let at: readonly FormField[] | undefined = readFields(tree); at?.[0]?.kind === "group"; at = at[0].fields)
      depth += 1;
    expect(depth).toBe(4);
    expect(readFields({ $ref: "#" })).toBeUndefined();
  });

  test("have titles, hints and names of choices, cut where a server says too much", () => {
    const [field, choice] =
      readFields(
        object({
          a: { type: "string", title: "T".repeat(300), description: "one\n two", pattern: "^a+$" },
          b: { oneOf: [{ const: 1, title: "One" }, { const: 2 }] },
        }),
      ) ?? [];
    expect(field).toMatchObject({ label: `${"T".repeat(199)}…`, hint: "one two · ^a+$" });
    expect(choice).toMatchObject({
      choices: [
        { value: 1, label: "One" },
        { value: 2, label: "2" },
      ],
    });
  });
});

describe("the value of a form", () => {
  const schema = object(
    {
      text: { type: "string" },
      count: { type: "integer" },
      flag: { type: "boolean" },
      names: { type: "array", items: { type: "string" } },
      place: object({ city: { type: "string" }, zip: { type: "number" } }, { required: ["city"] }),
      free: {},
    },
    { required: ["text"] },
  );

  test("leaves out what is empty and need not be there", () => {
    expect(build(schema, [])).toEqual({ value: { text: "" }, problems: new Map() });
  });

  test("has everything that was typed, by its type", () => {
    const place = new Map([
      ["city", "Rome"],
      ["zip", "00184"],
    ]);
    const names = [
      { id: 0, draft: "a" },
      { id: 7, draft: "" },
    ];
    const typed = [
      ["text", "x\ny"],
      ["count", " 3 "],
      ["flag", "1"],
      ["names", names],
      ["place", place],
      ["free", '{"a": [null]}'],
    ] as const;

    expect(build(schema, typed)).toEqual({
      value: {
        text: "x\ny",
        count: 3,
        flag: false,
        names: ["a", ""],
        place: { city: "Rome", zip: 184 },
        free: { a: [null] },
      },
      problems: new Map(),
    });
  });

  test("says what cannot be read, and what is missing, where it is", () => {
    const missing = object({ a: { type: "number" }, "b/c": { enum: [1, 2] } }, { required: ["a", "b/c"] });
    expect([...build(missing, [["a", "1e999"]]).problems.keys()]).toEqual(["#/a", "#/b~1c"]);
    const typed = [
      ["count", "many"],
      ["free", "{"],
      ["place", new Map([["zip", "x"]])],
    ] as const;
    expect([...build(schema, typed).problems.keys()]).toEqual(["#/count", "#/place/zip", "#/free"]);
  });

  test("begins with the defaults that fit", () => {
    const fields =
      readFields(
        object({
          a: { type: "number", default: 3 },
          b: { enum: ["x", "y"], default: "y" },
          c: { type: "string", default: 5 },
          d: { type: "array", items: { type: "number" }, default: [1, 2] },
        }),
      ) ?? [];

    expect(buildValue(fields, beginDraft(fields)).value).toEqual({ a: 3, b: "y", d: [1, 2] });
  });

  test("comes back from JSON as it was, unless the fields cannot show it", () => {
    const fields = readFields(schema) ?? [];
    const value = { text: "", flag: true, names: ["", "b"], place: { city: "x" }, free: null };

    const draft = fillDraft(fields, value);
    expect(draft && buildValue(fields, draft).value).toEqual(value);
    for (const other of [
      { more: 1 },
      { text: 1 },
      { names: "a" },
      { flag: "true" },
      { place: { city: 1 } },
      [],
      null,
    ]) {
      expect([other, fillDraft(fields, other)]).toEqual([other, undefined]);
    }
  });

  test("may have members of any name", () => {
    const hostile = JSON.parse('{"type":"object","properties":{"__proto__":{"type":"string"},"constructor":{}}}');
    const { value } = build(hostile, [["__proto__", "p"]]);

    expect(JSON.stringify(value)).toBe('{"__proto__":"p"}');
  });
});

describe("what a schema has against a value", () => {
  test("is said where it is", () => {
    const schema = object(
      { a: object({ b: { type: "integer", minimum: 5 } }), c: { type: "string" } },
      { required: ["c"] },
    );

    expect([...checkValue(schema, { a: { b: 1 } }).keys()].sort()).toEqual(["#", "#/a/b"]);
    expect(checkValue(schema, { a: { b: 9 }, c: "" }).size).toBe(0);
  });

  test("is nothing when the schema cannot be used", () => {
    for (const schema of [undefined, 3, { $ref: "#/nowhere" }, { $ref: "#" }, { type: "rubbish" }, { properties: 3 }]) {
      expect(() => checkValue(schema, { a: 1 })).not.toThrow();
    }
    expect(checkValue({ $ref: "#" }, {}).size).toBe(0);
  });

  test("leaves patterns to the server, and takes a property of that name for a property", () => {
    const schema = object({ a: { type: "string", pattern: "^(a+)+$" }, pattern: { type: "number" } });

    expect([...checkValue(schema, { a: `${"a".repeat(40)}!`, pattern: "x" }).keys()]).toEqual(["#/pattern"]);
  });
});
