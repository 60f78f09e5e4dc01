/** Writes the contract as an OpenAPI 3.1 document. */
import { BRAND, ERRORS, type ErrorCode } from "@toolhive/core";
import { OPERATION_IDS, OPERATIONS } from "../contract/contract.ts";
import { MCP_TEXT, type Operation, ProblemSchema, TYPE_TEXT } from "../contract/parts/operation.ts";
import { ROUTES } from "../contract/routes.ts";

type Json = Record<string, unknown>;

const TAGS: Readonly<Record<Operation["tag"], string>> = {
  system: "The API server itself, and the program that serves it.",
  version: "The version of the API server.",
  workloads: "MCP servers that run in containers, each behind its own proxy.",
  settings: "The settings of workloads: preview, replace and export them, one or all of them as a project file.",
  upgrades: "Newer images in the registry.",
  permissions: "What workloads may reach, and which of their tools clients may see.",
  "sign-ins": "Sign-ins of workloads at their remote servers.",
  logs: "The output of servers, the logs of their proxies, and refused connections.",
  calls: "Tools, prompts and resources of servers, and calls of them through the proxy.",
  events: "All changes, as one stream.",
  usage: "How often servers, tools and clients are used, and metrics.",
  groups: "Sets of workloads that share one URL.",
  clients: "MCP clients whose settings ToolHive keeps up to date.",
  discovery: "The MCP clients on this machine.",
  registry: "The registry of MCP servers.",
  secrets: "Tokens, passwords and other confidential values for servers.",
};

const STATUS_TITLES: Readonly<Record<number, string>> = {
  400: "Invalid request.",
  401: "The request needs a valid bearer token, because the API server was started with OIDC.",
  404: "Not found.",
  405: "The secrets provider cannot do this.",
  409: "Conflict with what exists.",
  413: "The body is too large.",
  415: "The `Content-Type` is not JSON.",
  429: "Too many requests of this kind at a time.",
  500: "The server or the container engine failed.",
  501: "Not offered by this version.",
  503: "The container engine does not answer.",
};

export function openApiDocument(version: string): Json {
  const schemas: Json = {};
  const paths: Record<string, Json> = {};
  for (const id of OPERATION_IDS) {
    const { method, path } = ROUTES[id];
    const item = paths[path] ?? {};
    item[method.toLowerCase()] = describeOperation(id, OPERATIONS[id] as Operation, schemas);
    paths[path] = item;
  }
  return {
    openapi: "3.1.0",
    info: {
      title: `${BRAND.product} API`,
      version,
      summary: "Run and manage MCP servers on this machine.",
      description:
        "A member of a body that is `null` counts as absent, as existing clients send it. Members that no operation knows are ignored, unless one resembles a member of the operation.",
      license: { name: "Apache-2.0", identifier: "Apache-2.0" },
    },
    servers: [{ url: "http://127.0.0.1:8080", description: "The local server" }],
    // Open, unless the server was started with OIDC.
    security: [{}, { bearerToken: [] }],
    tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
    paths,
    components: {
      schemas: sortKeys(schemas),
      securitySchemes: {
        bearerToken: {
          type: "http",
          scheme: "bearer",
          bearerFormat: "JWT",
          description: "A token of the issuer that `thv serve --oidc-issuer` names.",
        },
      },
    },
  };
}

function describeOperation(operationId: string, operation: Operation, schemas: Json): Json {
  const { tag, summary, description, params, query, body, success } = operation;
  const parameters = [...describeParameters("path", params), ...describeParameters("query", query)];
  return {
    operationId,
    tags: [tag],
    ...(operationId === "getHealth" && { security: [] }),
    summary,
    ...(description && { description }),
    ...(parameters.length > 0 && { parameters }),
    ...(body && {
      requestBody: { required: true, content: { "application/json": { schema: refer(body, schemas) } } },
    }),
    responses: {
      [success.status]: {
        description: success.description,
        ...(success.contentType &&
          success.schema && { content: { [success.contentType]: { schema: refer(success.schema, schemas) } } }),
      },
      ...describeErrors(operationId, operation, schemas),
    },
  };
}

function describeParameters(where: "path" | "query", schema: Operation["params"]): Json[] {
  return Object.entries(schema.properties).map(([name, raw]) => {
    const { description, ...rest } = plain(raw) as Json;
    return {
      name,
      in: where,
      ...(typeof description === "string" && { description }),
      required: where === "path",
      schema: rest,
    };
  });
}

/** What a page of another origin gets from the port, whatever it asks for. */
const FOREIGN_CALLER: Json = {
  description:
    "The `Host` or `Origin` header names a caller that is not allowed. Does not apply to the private socket.",
  content: {
    "text/plain": { schema: { type: "string" }, example: 'Origin "https://example.com" may not use this API\n' },
  },
};

function describeErrors(operationId: string, operation: Operation, schemas: Json): Json {
  const byStatus = new Map<number, string[]>();
  const add = (status: number, line: string) => byStatus.set(status, [...(byStatus.get(status) ?? []), line]);
  if (operation.body) {
    add(400, operation.decodeError);
    if (operation.missingError) add(400, operation.missingError);
    add(413, "Request body is too large");
  }
  if (ROUTES[operationId as keyof typeof ROUTES].method !== "GET") add(415, TYPE_TEXT);
  if (operationId !== "getHealth") add(401, "Authorization header required");
  for (const [code, text] of Object.entries(operation.errors))
    add(findErrorStatus(operationId, code as ErrorCode), text);
  // Whether it takes a body or not: what leads clients of MCP here chooses the operation. Behind its own texts, of which the
  // first is the example.
  add(400, MCP_TEXT);
  if (!byStatus.has(500) && operationId !== "getHealth") add(500, "Internal server error");
  const answers: Json = { 403: FOREIGN_CALLER };
  for (const [status, texts] of [...byStatus].sort(([left], [right]) => left - right)) {
    answers[status] = {
      description: STATUS_TITLES[status] ?? "The request failed.",
      content: {
        "text/plain": { schema: { type: "string" }, example: `${texts[0]}\n` },
        "application/problem+json": { schema: refer(ProblemSchema, schemas) },
      },
    };
  }
  return answers;
}

/** Operations whose body says how a workload is run. */
const CREATE_LIKE: ReadonlySet<string> = new Set(["createWorkload", "planWorkload", "editWorkload", "upgradeWorkload"]);

/**
 * An engine that does not answer is what `/health` reports, so it is 503 there and 500 elsewhere (api-behaviour D14). That the
 * provider holds no values makes a workload's secrets wrong; 405 would say that no workload can be created at all.
 */
export function findErrorStatus(operationId: string, code: ErrorCode): number {
  if (CREATE_LIKE.has(operationId) && code === "SECRETS_NOT_READABLE") return 400;
  return operationId === "getHealth" && code.startsWith("ENGINE_") ? 503 : ERRORS[code].status;
}

/** Named schemas move to the components and are referred to. */
function refer(schema: unknown, schemas: Json): unknown {
  const copy = plain(schema);
  return moveNamed(copy, schemas);
}

function moveNamed(value: unknown, schemas: Json): unknown {
  if (Array.isArray(value)) return value.map((item) => moveNamed(item, schemas));
  if (typeof value !== "object" || value === null) return value;
  const { $id, ...rest } = value as Json;
  const moved = Object.fromEntries(Object.entries(rest).map(([key, item]) => [key, moveNamed(item, schemas)]));
  if (typeof $id !== "string") return moved;
  schemas[$id] = moved;
  return { $ref: `#/components/schemas/${$id}` };
}

/** Schemas carry hidden marks of the schema library; JSON does not. A more exact documented form replaces them. */
function plain(schema: unknown): unknown {
  return JSON.parse(JSON.stringify(schema), (_key, value: unknown) => {
    if (typeof value !== "object" || value === null || !("documented" in value)) return value;
    const { documented, ...rest } = value as Json & { documented: Json };
    const isMap = "additionalProperties" in documented;
    return { ...(isMap ? withoutPatterns(rest) : rest), ...documented };
  });
}

/** A map's own keywords are replaced by those for its names and values. */
function withoutPatterns({ patternProperties: _patterns, ...rest }: Json): Json {
  return rest;
}

function sortKeys(value: Json): Json {
  return Object.fromEntries(Object.entries(value).sort(([left], [right]) => (left < right ? -1 : 1)));
}
