/** The API reference as static text, made from the OpenAPI document that the server itself hands out. */
import type { GeneratedPage } from "./cli-pages.ts";
import { blocks, code, fence, pageHead, RARELY_MEANT, table, text } from "./markdown.ts";
import type { Media, OpenApi, Operation, Schema } from "./openapi-types.ts";
import { describeMeaning, describeType, listFields } from "./schema-words.ts";

const METHODS = ["get", "post", "put", "delete"] as const;

type Schemas = OpenApi["components"]["schemas"];

interface Entry {
  readonly method: (typeof METHODS)[number];
  readonly path: string;
  readonly operation: Operation;
}

export function apiPage(document: OpenApi): GeneratedPage {
  const entries = Object.entries(document.paths).flatMap(([path, item]) =>
    METHODS.flatMap((method): Entry[] => {
      const operation = item[method];
      return operation === undefined ? [] : [{ method, path, operation }];
    }),
  );
  const schemas = Object.entries(document.components.schemas);
  const base = document.servers[0]?.url ?? "";
  return {
    path: "api.mdx",
    content: blocks(
      pageHead({
        title: "API reference",
        description:
          "Every operation of the ToolHive API server: paths, parameters, bodies, responses, errors, and requests in curl and TypeScript.",
        keywords: ["rest", "http", "openapi", "endpoint", ...entries.map(({ path }) => path)],
      }),
      'import { ApiFacts, ApiOperation } from "@site/src/components/api.tsx";',
      RARELY_MEANT,
      `The API of \`thv serve\` is at ${code(base)}. [Use the API server](../guides-cli/api-server.mdx) shows the life cycle of a server in five calls.`,
      `<ApiFacts version=${JSON.stringify(document.info.version)} specification="/api-specs/toolhive-api.yaml" />`,
      "## Common to all operations {#what-holds-for-every-operation}",
      [
        "- The API listens only on this machine and refuses requests with a foreign `Host` or `Origin` header.",
        "- There is no authentication, unless you start the server with `--oidc-issuer`. Then every operation except the health check needs `authorization: Bearer TOKEN`.",
        "- Request bodies are JSON, sent with `content-type: application/json`.",
        "- An error is one line of plain text. With `accept: application/problem+json`, it is a [problem document](#schema-problem) with a code from the [error catalogue](./errors.mdx).",
        "- 201 and 202 mean that the operation continues after the response. Poll the workload until it has the `status` you want.",
        "- If a path exists but does not support the method, the response is 405 with an `Allow` header.",
        "- In `v1beta`, paths and fields do not change; new ones may be added.",
      ].join("\n"),
      ...document.tags.flatMap((tag) => {
        const own = entries.filter(({ operation }) => operation.tags.includes(tag.name));
        if (own.length === 0) return [];
        return [
          `## ${capitalizeTag(tag.name)} {#tag-${tag.name}}`,
          text(tag.description),
          ...own.map((entry) => operationBlock(entry, base, document.components.schemas)),
        ];
      }),
      "## Schemas",
      ...schemas.map(([name, schema]) => schemaBlock(name, schema, entries)),
    ),
  };
}

function operationBlock({ method, path, operation }: Entry, base: string, schemas: Schemas): string {
  const body = operation.requestBody?.content["application/json"];
  const parameters = operation.parameters ?? [];
  const example = body === undefined ? undefined : JSON.stringify(createExample(body.schema, schemas));
  const target = base + path.replaceAll(/\{(\w+)\}/g, (_match, name: string) => exampleOfParameter(name, path));
  const fields = parameters.map(({ name, in: where, required }) => ({
    name,
    in: where,
    required,
    example: required ? exampleOfParameter(name, path) : "",
  }));
  const properties = [
    `method=${JSON.stringify(method.toUpperCase())} path=${JSON.stringify(path)}`,
    ...(fields.length === 0 ? [] : [`parameters={${JSON.stringify(fields)}}`]),
    ...(example === undefined ? [] : [`body={${JSON.stringify(example)}}`]),
  ];
  return blocks(
    `### ${text(operation.summary)} {#${operation.operationId}}`,
    `<ApiOperation ${properties.join(" ")} />`,
    operation.description === undefined ? undefined : text(operation.description),
    parameters.length === 0
      ? undefined
      : table(
          ["Parameter", "In", "Type", "Required", "Meaning"],
          parameters.map(({ name, in: where, schema, required, description }) => [
            code(name),
            where,
            describeType(schema, schemaLink),
            required ? "Yes" : "No",
            text(description ?? ""),
          ]),
        ),
    body === undefined ? undefined : `Body: ${describeType(body.schema, schemaLink)}`,
    fence("bash", 'title="curl" norun="Needs the API server"', curl(method, target, example)),
    `<Aside summary="In TypeScript">\n\n${fence("typescript", "", typescript(method, target, example))}\n</Aside>`,
    table(
      ["Status", "Meaning", "Body"],
      Object.entries(operation.responses).map(([status, answer]) => [
        status,
        text(answer.description),
        answerBody(answer.content),
      ]),
    ),
  );
}

function answerBody(content: Readonly<Record<string, Media>> | undefined): string {
  if (content === undefined) return "none";
  const json = content["application/json"];
  if (json !== undefined) return describeType(json.schema, schemaLink);
  const plain = content["text/plain"];
  const example = plain?.example === undefined ? "text" : code(String(plain.example).trim());
  return content["application/problem+json"] === undefined ? example : `${example}, or ${schemaLink("Problem")}`;
}

function schemaBlock(name: string, schema: Schema, entries: readonly Entry[]): string {
  const users = entries.filter(({ operation }) => JSON.stringify(operation).includes(`#/components/schemas/${name}"`));
  return blocks(
    `### ${name} {#schema-${name.toLowerCase()}}`,
    schema.description === undefined ? undefined : text(schema.description),
    table(
      ["Field", "Type", "Required", "Meaning"],
      listFields(schema).map((field) => [
        code(field.name),
        describeType(field.schema, schemaLink),
        field.required ? "Yes" : "No",
        text(describeMeaning(field.schema)),
      ]),
    ),
    users.length === 0 || name === "Problem"
      ? undefined
      : `Used by ${users.map(({ operation }) => `[${text(operation.summary)}](#${operation.operationId})`).join(", ")}.`,
  );
}

function schemaLink(name: string): string {
  return `[${name}](#schema-${name.toLowerCase()})`;
}

/** The least that the schema asks for, with its own examples. */
function createExample(schema: Schema, schemas: Schemas): unknown {
  if (schema.$ref !== undefined) {
    const referred = schemas[schema.$ref.split("/").at(-1) ?? ""];
    return referred === undefined ? undefined : createExample(referred, schemas);
  }
  const [given] = schema.examples ?? [];
  if (given !== undefined) return given;
  if (schema.type === "array") return schema.items === undefined ? [] : [createExample(schema.items, schemas)];
  if (schema.type !== "object") return "example";
  const required = Object.entries(schema.properties ?? {}).filter(([name]) => schema.required?.includes(name));
  return Object.fromEntries(required.map(([name, member]) => [name, createExample(member, schemas)]));
}

/** The values that the quickstart uses; the document has no examples of a path's parameters. */
function exampleOfParameter(name: string, path: string): string {
  if (name === "key") return "github-token";
  if (name === "name" && path.includes("/clients/")) return "vscode";
  if (name === "name" && path.includes("/registry/")) return "default";
  return "everything";
}

function curl(method: Entry["method"], target: string, body: string | undefined): string {
  const lines = [`curl${method === "get" ? "" : ` --request ${method.toUpperCase()}`} ${target}`];
  if (body !== undefined) lines.push(`  --header 'content-type: application/json'`, `  --data '${body}'`);
  return lines.join(" \\\n");
}

function typescript(method: Entry["method"], target: string, body: string | undefined): string {
  const url = JSON.stringify(target);
  if (method === "get") return `const answer = await fetch(${url});\nconsole.log(answer.status, await answer.text());`;
  const options = [`  method: ${JSON.stringify(method.toUpperCase())},`];
  if (body !== undefined) {
    options.push(`  headers: { "content-type": "application/json" },`, `  body: JSON.stringify(${body}),`);
  }
  return `const answer = await fetch(${url}, {\n${options.join("\n")}\n});\nconsole.log(answer.status);`;
}

function capitalizeTag(tag: string): string {
  return tag.slice(0, 1).toUpperCase() + tag.slice(1);
}
