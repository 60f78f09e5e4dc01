import { loadYaml } from "@kubernetes/client-node/dist/yaml.js";
import { expect, test } from "vitest";
import { createCrds, printCrd } from "./crd.ts";
import type { JsonObject } from "./object.ts";

const DEFINITIONS = Object.values(createCrds()).map((definition) => [definition.spec.names.kind, definition] as const);
const readSchema = (definition: JsonObject): JsonObject => definition.spec.versions[0].schema.openAPIV3Schema;

/** Every schema within a schema, with the path of its member. */
function* walk(part: JsonObject, path: string): Generator<readonly [string, JsonObject]> {
  yield [path, part];
  for (const [name, member] of Object.entries<JsonObject>(part.properties ?? {}))
    yield* walk(member, `${path}.${name}`);
  if (part.items) yield* walk(part.items, `${path}[]`);
  if (part.additionalProperties) yield* walk(part.additionalProperties, `${path}.*`);
}

test.each(DEFINITIONS)(
  "every part of the schema of %s has what a structural schema needs, and a description",
  (_kind, definition) => {
    for (const [path, part] of walk(readSchema(definition), "")) {
      // A member of two types has none.
      const isOpen = part["x-kubernetes-preserve-unknown-fields"] === true;
      expect(part.type ?? isOpen, path).not.toBe(false);
      expect(Object.keys(part), path).not.toContain("patternProperties");
      expect(part.properties && part.additionalProperties, `${path} is a map or has members`).toBeUndefined();
      if (/\.(spec|status)\./.test(path) && !/(\[\]|\.\*)$/.test(path)) expect(part.description, path).toBeTruthy();
    }
  },
);

test.each(DEFINITIONS)(
  "every rule of %s has a message that begins with the path of the member that it is about",
  (_kind, definition) => {
    const rules = [...walk(readSchema(definition), "")].flatMap(([path, part]) =>
      (part["x-kubernetes-validations"] ?? []).map(({ message }: { message: string }) => ({ path, message })),
    );

    expect(rules.length).toBeGreaterThan(0);
    for (const { path, message } of rules) {
      expect(message, path).toMatch(new RegExp(`^${path.slice(1).replaceAll(".", "\\.")}\\.\\w+ `));
    }
  },
);

test.each(DEFINITIONS)("the printed definition of %s is the definition", (_kind, definition) => {
  expect(loadYaml(printCrd(definition))).toEqual(definition);
});

test("what servers and remote proxies both have is the same in both", () => {
  const [server, remote] = DEFINITIONS.map(([, definition]) => readSchema(definition).properties.spec.properties);
  const shared = [
    "oidcConfig",
    "authzConfig",
    "audit",
    "telemetry",
    "tools",
    "toolConfigRef",
    "resources",
    "resourceOverrides",
  ];

  for (const member of shared) expect(remote[member], member).toEqual(server[member]);
});

test("what servers and groups both have is the same in both", () => {
  const schemas = new Map(DEFINITIONS.map(([kind, each]) => [kind, readSchema(each).properties.spec.properties]));
  const [server, group] = [schemas.get("MCPServer"), schemas.get("MCPGroup")];
  const shared = ["toolConfigRef", "oidcConfig", "authzConfig", "audit", "telemetry", "resources", "resourceOverrides"];

  for (const member of shared) expect(group[member], member).toEqual(server[member]);
});
