/** Every operation of the contract against whatever may come: the document must be true of each answer. */
import fc from "fast-check";
import { Errors } from "typebox/schema";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { OPERATION_IDS, OPERATIONS } from "./contract/contract.ts";
import { type Operation, ProblemSchema } from "./contract/parts/operation.ts";
import { ROUTES } from "./contract/routes.ts";
import { openApiDocument } from "./openapi/openapi.ts";
import { ServedWorld } from "./testing/served-world.ts";

interface Described {
  readonly parameters?: readonly { readonly name: string; readonly in: "path" | "query" }[];
  readonly requestBody?: { readonly content: { readonly "application/json": { readonly schema: JsonSchema } } };
  readonly responses: Readonly<Record<string, unknown>>;
}

interface JsonSchema {
  readonly $ref?: string;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
}

const DOCUMENT = openApiDocument("v1.2.3") as {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Described>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, JsonSchema>> };
};

const oddCharacter = fc.constantFrom(..."aZ09-._ /\\$&;|`\"'<>{}[]?#%+=:@\n\0ü\u202e😀");
const anyName = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom("alpha", "beta", "stop", "..", ".", "default", "__proto__", "constructor") },
  { weight: 2, arbitrary: fc.string({ unit: oddCharacter, minLength: 1, maxLength: 12 }) },
  { weight: 1, arbitrary: fc.integer({ min: 90, max: 400 }).map((length) => "n".repeat(length)) },
);
const anyValue = fc.oneof(
  fc.constantFrom<unknown>("mcp/echo:1", "no/such:1", "alpha", "stdio", "sse", "STDIO", "127.0.0.1", "", null, true),
  fc.constantFrom<unknown>(
    0,
    -1,
    1,
    65_535,
    65_536,
    1.5,
    1e308,
    ["A=1"],
    ["A"],
    ["=\0"],
    [[]],
    {},
    "none",
    "encrypted",
  ),
  fc.string({ unit: oddCharacter, maxLength: 20 }),
  fc.jsonValue({ maxDepth: 2 }),
);

/** Bodies near what the schema says, far from it, and not JSON at all. */
function generateBodies(schema: JsonSchema): fc.Arbitrary<string> {
  const resolved = schema.$ref ? DOCUMENT.components.schemas[schema.$ref.split("/").at(-1) ?? ""] : schema;
  const members = Object.keys(resolved?.properties ?? {});
  const near = fc.dictionary(fc.constantFrom(...members, "unknown", "__proto__"), anyValue, {
    maxKeys: members.length,
  });
  const text = (value: unknown) => JSON.stringify(value) ?? "";
  return fc.oneof(
    { weight: 5, arbitrary: near.map(text) },
    { weight: 1, arbitrary: fc.jsonValue().map(text) },
    { weight: 1, arbitrary: near.map((value) => text(value).slice(1)) },
    { weight: 1, arbitrary: fc.constantFrom("", " ", "null", "[", '{"a":', "\ufeff{}", "NaN") },
  );
}

describe("every operation, whatever it is given", () => {
  let served: ServedWorld;
  beforeAll(async () => {
    served = await ServedWorld.start();
  });
  afterAll(async () => {
    await served[Symbol.asyncDispose]();
  });

  test.each(OPERATION_IDS)("%s answers only as documented, and never with a bug", async (id) => {
    const { method, path } = ROUTES[id];
    const operation = OPERATIONS[id] as Operation;
    const described = DOCUMENT.paths[path]?.[method.toLowerCase()];
    if (!described) throw new Error(`${id} is not in the document`);
    const names = (described.parameters ?? []).filter((each) => each.in === "path").map(({ name }) => name);
    const queries = (described.parameters ?? []).filter((each) => each.in === "query").map(({ name }) => name);
    const body = described.requestBody;

    await fc.assert(
      fc.asyncProperty(
        fc.array(anyName, { minLength: names.length, maxLength: names.length }),
        fc.dictionary(fc.constantFrom(...queries, "other"), fc.oneof(fc.constantFrom("1", "TRUE", ""), anyName), {
          maxKeys: 2,
        }),
        body ? generateBodies(body.content["application/json"].schema) : fc.constantFrom(undefined, "", "{", '{"x":1}'),
        fc.constantFrom("*/*", "application/json"),
        async (values, query, text, accept) => {
          let url = path.replace(/\{(\w+)\}/g, (_whole, name: string) =>
            encodeURIComponent(values[names.indexOf(name)] ?? ""),
          );
          url += `?${new URLSearchParams(query)}`;

          const isStream = operation.success.contentType === "application/x-ndjson";
          const answer = await served[isStream ? "sendForLine" : "send"](method, url, {
            headers: {
              Accept: accept,
              ...(text !== undefined && { "Content-Length": String(Buffer.byteLength(text)) }),
            },
            body: text,
          });

          expect(served.bugs.splice(0)).toEqual([]);
          expect(Object.keys(described.responses)).toContain(String(answer.status));
          if (answer.status === operation.success.status) {
            const isJson = isStream || operation.success.contentType === "application/json";
            if (isJson && operation.success.schema && !(isStream && answer.body === "")) {
              expect(Errors(operation.success.schema, JSON.parse(answer.body))[1]).toEqual([]);
            }
          } else if (accept === "application/json") {
            const problem = JSON.parse(answer.body) as { code: string };
            expect(Errors(ProblemSchema, problem)[1]).toEqual([]);
            expect(problem.code).not.toBe("INTERNAL");
            // What a caller does wrong is not the server's failure; a port that is taken has always been 500.
            if (answer.status >= 500)
              expect(problem.code).toMatch(/^(PORT_IN_USE|SERVER_NOT_READY|NOT_SUPPORTED|SECRETS_|REGISTRY_)/);
          } else expect(answer.body).toMatch(/\S.*\n$/s);
        },
      ),
      { numRuns: 60 },
    );
  });
});
