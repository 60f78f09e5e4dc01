import { loadYaml } from "@kubernetes/client-node";
import { expect, test } from "vitest";
import { createCrd, printCrd } from "./crd.ts";
import type { JsonObject } from "./mcp-server.ts";

const schema: JsonObject = createCrd().spec.versions[0].schema.openAPIV3Schema;

/** Every schema within a schema, with the path of its member. */
function* walk(part: JsonObject, path: string): Generator<readonly [string, JsonObject]> {
  yield [path, part];
  for (const [name, member] of Object.entries<JsonObject>(part.properties ?? {}))
    yield* walk(member, `${path}.${name}`);
  if (part.items) yield* walk(part.items, `${path}[]`);
  if (part.additionalProperties) yield* walk(part.additionalProperties, `${path}.*`);
}

test("every part of the schema has what a structural schema needs, and a description", () => {
  for (const [path, part] of walk(schema, "")) {
    expect(part.type, path).toBeDefined();
    expect(Object.keys(part), path).not.toContain("patternProperties");
    expect(part.properties && part.additionalProperties, `${path} is a map or has members`).toBeUndefined();
    if (/\.(spec|status)\./.test(path) && !/(\[\]|\.\*)$/.test(path)) expect(part.description, path).toBeTruthy();
  }
});

test("every rule's message begins with the path of the member that it is about", () => {
  const rules = [...walk(schema, "")].flatMap(([path, part]) =>
    (part["x-kubernetes-validations"] ?? []).map(({ message }: { message: string }) => ({ path, message })),
  );

  expect(rules.length).toBeGreaterThan(0);
  for (const { path, message } of rules) {
    expect(message, path).toMatch(new RegExp(`^${path.slice(1).replaceAll(".", "\\.")}\\.\\w+ `));
  }
});

test("the printed definition is the definition", () => {
  expect(loadYaml(printCrd())).toEqual(createCrd());
});
