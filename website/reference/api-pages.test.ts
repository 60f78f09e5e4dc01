import { openApiDocument } from "@toolhive/api";
import { Errors } from "typebox/schema";
import { describe, expect, test } from "vitest";
import { apiPages } from "./api-pages.ts";
import { API_PLACES } from "./api-places.ts";
import { COMMON_RESPONSES } from "./common-responses.ts";
import { listEntries, type OpenApi } from "./openapi-types.ts";

const document = openApiDocument("v1.2.3") as unknown as OpenApi;
const [index = { path: "", content: "" }, ...places] = apiPages(document);
const entries = listEntries(document).map((entry) => ({ ...entry, id: entry.operation.operationId }));
const schemas = Object.keys(document.components.schemas);

/** The page's text from an operation's heading to the next one, and the page. */
function findBlock(operationId: string): { block: string; path: string } {
  const found = places.flatMap(({ path, content }) =>
    content
      .split(/^(?=## )/m)
      .filter((block) => block.includes(`{#${operationId}}`))
      .map((block) => ({ block, path })),
  );
  expect(found).toHaveLength(1);
  return found[0] ?? { block: "", path: "" };
}

describe("requests of the API reference", () => {
  test.each(entries.filter(({ operation }) => operation.requestBody !== undefined))(
    "the example body of $method $path is what its schema takes, in curl, in TypeScript and in the console",
    ({ operation }) => {
      const { block } = findBlock(operation.operationId);
      const reference = operation.requestBody?.content["application/json"]?.schema.$ref?.split("/").at(-1) ?? "";
      const required = document.components.schemas[reference]?.required ?? [];
      const body = /--data '(.*)'/.exec(block)?.[1] ?? "null";

      expect(Object.keys(JSON.parse(body))).toEqual(expect.arrayContaining([...required]));
      const schema = { $ref: `#/components/schemas/${reference}`, components: document.components };
      expect(Errors(schema, JSON.parse(body))[1]).toEqual([]);
      expect(block).toContain(`JSON.stringify(${body})`);
      expect(block).toContain(`body={${JSON.stringify(body)}}`);
    },
  );

  test.each(entries.filter(({ path }) => path.includes("{")))(
    "$method $path is shown with every parameter of the path filled in",
    ({ path, id }) => {
      const { block } = findBlock(id);

      expect(/^curl.*$/m.exec(block)?.[0]).not.toContain("{");
      for (const [, name] of path.matchAll(/\{(\w+)\}/g)) {
        expect(block).toMatch(new RegExp(`"name":"${name}","in":"path","required":true,"example":"[^"]+"`));
      }
    },
  );
});

describe("the pages of the resources", () => {
  test("have every tag of the document once", () => {
    const tags = API_PLACES.flatMap((place) => place.tags);

    expect([...tags].sort()).toEqual(document.tags.map(({ name }) => name).sort());
  });

  test("title an operation by its summary, with method and path in sight", () => {
    for (const { method, path, id, operation } of entries) {
      const { block } = findBlock(id);
      expect(block.split("\n")[0]).toBe(`## ${operation.summary} {#${id}}`);
      expect(block).toContain(`<ApiOperation method="${method.toUpperCase()}" path="${path}"`);
    }
  });

  test("have each schema on one page, and those of one operation below it", () => {
    const headings = places.flatMap(({ path, content }) =>
      [...content.matchAll(/^##+ .*\{#(schema-\w+)\}$/gm)].map(([, anchor]) => ({ path, anchor })),
    );

    expect(headings.map(({ anchor }) => anchor).sort()).toEqual(
      schemas
        .filter((name) => name !== "Problem")
        .map((name) => `schema-${name.toLowerCase()}`)
        .sort(),
    );
    expect(findBlock("beginSignIn").block).toContain("### Body: BeginSignInRequest {#schema-beginsigninrequest}");
    expect(findBlock("beginSignIn").block).toContain("| `method` |");
    expect(findBlock("decideCall").block).toContain("| `is_allowed` | `true` or `false` | Yes |");
  });

  test("show the fields of every form of a line in a stream", () => {
    const { block } = findBlock("callWorkload");

    expect(block).toContain('With `"type": "end"`: The last line');
    expect(block).toContain("| `error.code` |");
  });

  test("have no table of fields whose column of meanings is empty", () => {
    const tables = places.flatMap(({ content }) =>
      content.split(/\n{2,}/).filter((block) => /^\| Field .*\| Meaning/.test(block)),
    );
    const rows = tables.map((each) => each.split("\n").slice(2));

    expect(tables.length).toBeGreaterThan(10);
    expect(rows.filter((lines) => lines.every((line) => /\|\s*\|$/.test(line)))).toEqual([]);
    expect(places.some(({ content }) => /^\| Field \| Type \| Required \|$/m.test(content))).toBe(true);
  });

  test("say what all operations return once, on the index", () => {
    for (const { status } of COMMON_RESPONSES) {
      expect(index.content).toContain(`| ${status} | `);
      for (const { content } of places) {
        expect(content).not.toContain("This is not an MCP server");
        if (status !== "400") expect(content).not.toContain(`\n| ${status} | `);
      }
    }
  });
});

describe("a common response is of the operations that the index names, with one description", () => {
  test.each([
    ["400", entries],
    ["401", entries.filter(({ id }) => id !== "getHealth")],
    ["403", entries],
    ["413", entries.filter(({ operation }) => operation.requestBody !== undefined)],
    ["415", entries.filter(({ method }) => method !== "get")],
    ["500", entries.filter(({ id }) => id !== "getHealth")],
  ])("%s", (status, wanted) => {
    const having = entries.filter(({ operation }) => operation.responses[status] !== undefined);

    expect(having.map(({ id }) => id)).toEqual(wanted.map(({ id }) => id));
    expect(new Set(having.map(({ operation }) => operation.responses[status]?.description)).size).toBe(1);
  });
});

describe("an anchor that the reference had when it was one page", () => {
  const links = new Map(
    [...index.content.matchAll(/<span id="([^"]+)">\[[^\]]+\]\(\.\/(api\/[\w-]+)\.mdx(?:#([\w-]+))?\)<\/span>/g)].map(
      ([, id = "", path, anchor]) => [id, { path: `${path}.mdx`, anchor }],
    ),
  );

  test.each([
    ...entries.map(({ id }) => id),
    ...schemas.filter((name) => name !== "Problem").map((name) => `schema-${name.toLowerCase()}`),
  ])("#%s leads to the same anchor of its page", (id) => {
    const { path, anchor } = links.get(id) ?? {};
    const page = places.find((place) => place.path === path);

    expect(anchor).toBe(id);
    expect(page?.content).toContain(`{#${id}}`);
  });

  test.each(document.tags.map(({ name }) => name))("#tag-%s leads to the page of its resource", (tag) => {
    expect(places.map(({ path }) => path)).toContain(links.get(`tag-${tag}`)?.path);
  });

  test.each(["what-holds-for-every-operation", "schema-problem"])("#%s stays on the index", (id) => {
    expect(index.content).toContain(`{#${id}}`);
  });
});
