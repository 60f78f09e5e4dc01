import * as Type from "typebox";
import { describe, expect, test } from "vitest";
import { AuditConfigSchema } from "../access/audit-config.ts";
import { AuthzConfigSchema } from "../access/authz-config.ts";
import { ConfigSchema } from "../config/config-schema.ts";
import { PermissionProfileSchema, RegistryFileSchema } from "../registry/registry-schema.ts";
import { listSentences } from "../support/located-problem.ts";
import { describePattern, findPatternWords } from "./pattern-words.ts";
import { listProblems } from "./schema-problems.ts";

const Settings = Type.Object(
  {
    cpus: Type.Optional(Type.Number({ minimum: 0 })),
    env_vars: Type.Optional(Type.Array(Type.String())),
    code: Type.Optional(Type.String({ pattern: describePattern("^[a-f]+$", "letters from a to f") })),
    strange: Type.Optional(Type.String({ pattern: "^z$" })),
    port: Type.Optional(Type.Union([Type.Literal("auto"), Type.Integer(), Type.Object({ from: Type.Integer() })])),
    network: Type.Optional(
      Type.Object({ allow_host: Type.Optional(Type.Array(Type.String())) }, { additionalProperties: false }),
    ),
  },
  { additionalProperties: false },
);

function listPatterns(value: unknown): string[] {
  if (typeof value !== "object" || value === null) return [];
  const own = "pattern" in value && typeof value.pattern === "string" ? [value.pattern] : [];
  return [...own, ...Object.values(value).flatMap(listPatterns)];
}

describe("listProblems", () => {
  test.each([
    ["a number that is too small", { cpus: -1 }, "cpus is -1 but must be at least 0"],
    ["a mistyped member", { env_var: [] }, 'the file has the unknown member "env_var" (did you mean "env_vars"?)'],
    [
      "a mistyped member further down",
      { network: { allow_hosts: [] } },
      'network has the unknown member "allow_hosts" (did you mean "allow_host"?)',
    ],
    [
      "a member written with capitals",
      { envVars: [] },
      'the file has the unknown member "envVars" (did you mean "env_vars"?)',
    ],
    ["a part of a member's name", { env: [] }, 'the file has the unknown member "env" (did you mean "env_vars"?)'],
    [
      "a member like no other",
      { bogus: 1 },
      'the file has the unknown member "bogus" (known members: cpus, env_vars, code, strange, port, network)',
    ],
    ["a pattern", { code: "xyz" }, 'code is "xyz" but must be letters from a to f'],
    ["a pattern without words", { strange: "a" }, 'strange is "a", which does not have the required format'],
    ["a line break in a value", { code: "a\nb" }, 'code is "a\\nb" but must be letters from a to f'],
    ["none of several forms", { port: true }, 'port is true but must be "auto", an integer or an object with "from"'],
    ["another type", [], "the file is a list but must be an object"],
  ])("%s", (_what, value, expected) => {
    expect(listSentences(listProblems(Settings, value))).toEqual([expected]);
  });

  test("counts the members of an object that must have some", () => {
    const one = Type.Object({ names: Type.Optional(Type.Array(Type.String())) }, { minProperties: 1 });

    expect(listSentences(listProblems(one, {}, { root: "the body" }))).toEqual([
      "the body has 0 members but must have at least 1",
    ]);
  });

  test("says why a member that the reference knows is refused", () => {
    expect(
      listSentences(listProblems(PermissionProfileSchema, { network: { inbound: { allow_host: ["x"] } } })),
    ).toEqual([
      'network has "inbound", but profiles restrict no incoming connections here: who may connect to a server is said by --host and --allowed-host',
    ]);
  });

  test("reports every problem, and uses the given name of the whole", () => {
    expect(listSentences(listProblems(Settings, { cpus: "many", code: "x", bogus: 1 }, { root: "the body" }))).toEqual([
      expect.stringContaining('the body has the unknown member "bogus"'),
      "cpus is a string but must be a number",
      'code is "x" but must be letters from a to f',
    ]);
  });

  test.each<[string, Type.TSchema]>([
    ["registry", RegistryFileSchema],
    ["permission profile", PermissionProfileSchema],
    ["settings", ConfigSchema],
    ["audit", AuditConfigSchema],
    ["authorisation", AuthzConfigSchema],
  ])("every pattern of the %s schema is in words", (_name, schema) => {
    expect(listPatterns(schema).filter((pattern) => findPatternWords(pattern) === undefined)).toEqual([]);
  });
});
