import { expect, test } from "vitest";
import { MemoryApi } from "../testing/memory-api.ts";
import { createServer } from "../testing/servers.ts";
import { listReferences, resolveReferences } from "./references.ts";

test("members that are called like those of every object name nothing", () => {
  const names = ["constructor", "toString", "valueOf", "hasOwnProperty", "isPrototypeOf", "__defineGetter__"];
  const spec = Object.fromEntries(names.map((name) => [name, { name: "victim" }]));
  const server = createServer({
    podTemplateSpec: { spec: { ...spec, deep: { ...spec, ...JSON.parse('{"__proto__":{"name":"victim"}}') } } },
  });

  expect(listReferences(server)).toEqual([]);
});

test("a key that is called like a member of every object is missing where it is not there", async () => {
  const api = new MemoryApi();
  const at = "/api/v1/namespaces/tools";
  api.add(`${at}/secrets/s`, { data: { real: "eA==" } });
  api.add(`${at}/configmaps/p`, { data: { real: "x" } });
  const signal = new AbortController().signal;
  for (const key of ["constructor", "toString", "__proto__"]) {
    const secrets = [{ name: "s", key }];
    const authzConfig = { type: "configMap", configMap: { name: "p", key } } as const;
    const server = createServer({ secrets, authzConfig, permissionProfile: { type: "configmap", name: "p", key } });

    const { problems } = await resolveReferences(api.client, server, signal);

    expect(problems.map(({ reason }) => reason)).toEqual(["SecretMissing", "ConfigMapMissing", "ConfigMapMissing"]);
  }
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
