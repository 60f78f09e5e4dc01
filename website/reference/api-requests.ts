/** Requests of the API reference: an example of each operation, in curl and TypeScript. */
import type { Entry, OpenApi, Schema } from "./openapi-types.ts";

type Schemas = OpenApi["components"]["schemas"];

export interface ExampleRequest {
  readonly method: Entry["method"];
  readonly url: string;
  /** As JSON. */
  readonly body: string | undefined;
}

export function createRequest({ method, path, operation }: Entry, base: string, schemas: Schemas): ExampleRequest {
  const body = operation.requestBody?.content["application/json"];
  return {
    method,
    url: base + path.replaceAll(/\{(\w+)\}/g, (_match, name: string) => exampleOfParameter(name, path)),
    body: body === undefined ? undefined : JSON.stringify(createExample(body.schema, schemas)),
  };
}

/** The values that the quickstart uses; the document has no examples of a path's parameters. */
export function exampleOfParameter(name: string, path: string): string {
  if (name === "key") return "github-token";
  if (name === "name" && path.includes("/clients/")) return "vscode";
  if (name === "name" && path.includes("/registry/")) return "default";
  if (name === "call_id") return "5f0c7d1e-6a0b-4c55-9f0a-3d1f2c8b7a90";
  if (name === "group" || (name === "name" && path.includes("/groups/"))) return "work";
  return "everything";
}

export function writeCurl({ method, url, body }: ExampleRequest): string {
  const lines = [`curl${method === "get" ? "" : ` --request ${method.toUpperCase()}`} ${url}`];
  if (body !== undefined) lines.push(`  --header 'content-type: application/json'`, `  --data '${body}'`);
  return lines.join(" \\\n");
}

export function writeTypescript({ method, url, body }: ExampleRequest): string {
  const target = JSON.stringify(url);
  if (method === "get")
    return `const answer = await fetch(${target});\nconsole.log(answer.status, await answer.text());`;
  const options = [`  method: ${JSON.stringify(method.toUpperCase())},`];
  if (body !== undefined) {
    options.push(`  headers: { "content-type": "application/json" },`, `  body: JSON.stringify(${body}),`);
  }
  return `const answer = await fetch(${target}, {\n${options.join("\n")}\n});\nconsole.log(answer.status);`;
}

/** The smallest value that the schema allows, with the examples of the schema itself. */
function createExample(schema: Schema, schemas: Schemas): unknown {
  if (schema.$ref !== undefined) {
    const referred = schemas[schema.$ref.split("/").at(-1) ?? ""];
    return referred === undefined ? undefined : createExample(referred, schemas);
  }
  const [given] = schema.examples ?? [];
  if (given !== undefined) return given;
  if (schema.type === "array") return schema.items === undefined ? [] : [createExample(schema.items, schemas)];
  const [first = schema.const ?? schema.default] = schema.enum ?? [];
  if (first !== undefined) return first;
  if (schema.type === "boolean") return true;
  if (schema.type === "integer" || schema.type === "number") return schema.minimum ?? 1;
  if (schema.anyOf?.[0] !== undefined) return createExample(schema.anyOf[0], schemas);
  if (schema.type !== "object") return "example";
  const members = Object.entries(schema.properties ?? {});
  const required = members.filter(([name]) => schema.required?.includes(name));
  const shown = required.length >= (schema.minProperties ?? 0) ? required : members.slice(0, schema.minProperties);
  return Object.fromEntries(shown.map(([name, member]) => [name, createExample(member, schemas)]));
}
