import { openApiDocument } from "@toolhive/api";
import { describe, expect, test } from "vitest";
import { apiPage } from "./api-page.ts";
import type { OpenApi } from "./openapi-types.ts";

const document = openApiDocument("v1.2.3") as unknown as OpenApi;
const { content } = apiPage(document);

const operations = Object.entries(document.paths).flatMap(([path, item]) =>
  Object.entries(item).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
);

/** The page's text from an operation's heading to the next one. */
function findBlock(operationId: string): string {
  return content.split(/^(?=### )/m).find((block) => block.includes(`{#${operationId}}`)) ?? "";
}

describe("requests of the API reference", () => {
  test.each(operations.filter(({ operation }) => operation.requestBody !== undefined))(
    "the example body of $method $path holds what its schema requires, in curl, in TypeScript and in the console",
    ({ operation }) => {
      const block = findBlock(operation.operationId);
      const reference = operation.requestBody?.content["application/json"]?.schema.$ref?.split("/").at(-1) ?? "";
      const required = document.components.schemas[reference]?.required ?? [];
      const body = /--data '(.*)'/.exec(block)?.[1] ?? "null";

      expect(Object.keys(JSON.parse(body))).toEqual(required);
      expect(block).toContain(`JSON.stringify(${body})`);
      expect(block).toContain(`body={${JSON.stringify(body)}}`);
    },
  );

  test.each(operations.filter(({ path }) => path.includes("{")))(
    "$method $path is shown with every parameter of the path filled in",
    ({ path, operation }) => {
      const block = findBlock(operation.operationId);

      expect(/^curl.*$/m.exec(block)?.[0]).not.toContain("{");
      for (const [, name] of path.matchAll(/\{(\w+)\}/g)) {
        expect(block).toMatch(new RegExp(`"name":"${name}","in":"path","required":true,"example":"[^"]+"`));
      }
    },
  );
});
