import { expect, test } from "vitest";
import { createServer } from "../testing/servers.ts";
import { listReferences } from "./references.ts";

test("members that are called like those of every object name nothing", () => {
  const names = ["constructor", "toString", "valueOf", "hasOwnProperty", "isPrototypeOf", "__defineGetter__"];
  const spec = Object.fromEntries(names.map((name) => [name, { name: "victim" }]));
  const server = createServer({
    podTemplateSpec: { spec: { ...spec, deep: { ...spec, ...JSON.parse('{"__proto__":{"name":"victim"}}') } } },
  });

  expect(listReferences(server)).toEqual([]);
});

test("Secrets and ConfigMaps of a template are found", () => {
  const volumes = [
    { name: "a", secret: { secretName: "one" } },
    { name: "b", configMap: { name: "two", optional: true } },
  ];

  expect(listReferences(createServer({ podTemplateSpec: { spec: { volumes } } }))).toMatchObject([
    { kind: "Secret", name: "one" },
    { kind: "ConfigMap", name: "two", isOptional: true },
  ]);
});
