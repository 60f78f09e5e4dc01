/** The API reference as static text, made from the OpenAPI document that the server itself hands out. */
import {
  API_PLACES,
  type ApiPlace,
  arrangeApi,
  type Places,
  PROBLEM,
  pathOfPlace,
  schemaAnchor,
} from "./api-places.ts";
import { createRequest, exampleOfParameter, writeCurl, writeTypescript } from "./api-requests.ts";
import { askWhich } from "./ask-questions.ts";
import type { GeneratedPage } from "./cli-pages.ts";
import { COMMON_RESPONSES, isCommonResponse } from "./common-responses.ts";
import { blocks, code, fence, pageHead, RARELY_MEANT, table, text } from "./markdown.ts";
import { type Entry, listEntries, type Media, type OpenApi, type Schema } from "./openapi-types.ts";
import { describeMeaning, describeType, listFields } from "./schema-words.ts";

/** What the blocks of one page need to know. */
interface Context {
  readonly document: OpenApi;
  readonly places: Places;
  /** The page itself; `undefined` for the index. */
  readonly place: ApiPlace | undefined;
}

/** The index at the specified address, and a page for each resource. */
export function apiPages(document: OpenApi): GeneratedPage[] {
  const places = arrangeApi(document);
  return [indexPage(document, places), ...API_PLACES.map((place) => placePage(place, document, places))];
}

function indexPage(document: OpenApi, places: Places): GeneratedPage {
  const { schemas } = document.components;
  const context: Context = { document, places, place: undefined };
  const names = Object.keys(schemas).filter((name) => name !== PROBLEM);
  return {
    path: "api.mdx",
    content: blocks(
      pageHead({
        title: "API reference",
        description:
          "Every operation of the ToolHive API server, by resource, with the rules, responses and errors that all operations share.",
        keywords: ["rest", "http", "openapi", "endpoint", "endpoints"],
      }),
      'import { ApiFacts, MovedAnchors } from "@site/src/components/api.tsx";',
      `The API of \`thv serve\` is at ${code(readBase(document))}. [Use the API server](../guides-cli/api-server.mdx) shows the life cycle of a server in five calls.`,
      `<ApiFacts version=${JSON.stringify(document.info.version)} specification="/api-specs/toolhive-api.yaml" />`,
      "<MovedAnchors />",
      "## OpenAPI document {#openapi}",
      `The OpenAPI 3.1 specification of the API describes every operation with its parameters, bodies and responses. Download the file above, or get it from a running server at [${code("GET /api/openapi.json")}](./api/system.mdx#getOpenApi), to generate a client or to import the API into another program.`,
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
      "## Responses common to all operations {#common-responses}",
      "The page of each resource lists the other responses of its operations.",
      table(
        ["Status", "Meaning", "Operations"],
        COMMON_RESPONSES.map(({ status, of }) => [status, text(findDescription(document, status)), text(of)]),
      ),
      ...API_PLACES.flatMap((place) => placeOverview(place, document, places)),
      "## Errors {#errors}",
      schemaBlock(PROBLEM, context),
      "## Schemas",
      // Readers arrive here from links to the anchors of the page that all of this once was; the search leads to the pages.
      `<div data-search-exclude="">\n\n${names
        .map((name) => `<span id="${schemaAnchor(name)}">[${name}](${linkToSchema(name, context)})</span>`)
        .join(", ")}\n\n</div>`,
    ),
  };
}

function placeOverview(place: ApiPlace, document: OpenApi, places: Places): string[] {
  const link = `./${pathOfPlace(place)}.mdx`;
  const tags = document.tags.filter(({ name }) => place.tags.includes(name));
  if (tags.length === 0)
    return [`## ${place.label} {#${place.slug}}`, `[${place.title}](${link}): ${text(place.description)}`];
  return [
    `## ${place.label} {#${place.slug}}`,
    tags
      .map(({ name, description }, index) => {
        const title = index === 0 ? place.title : name.slice(0, 1).toUpperCase() + name.slice(1);
        return `<span id="tag-${name}">[${title}](${link})</span>: ${text(description)}`;
      })
      .join(" "),
    table(
      ["Operation", "Request"],
      places.entries(place).map(({ method, path, operation: { operationId, summary } }) => [
        // The anchor is the address that the operation had when all were on this page.
        `<span id="${operationId}">[${text(summary)}](${link}#${operationId})</span>`,
        code(`${method.toUpperCase()} ${path}`),
      ]),
    ),
  ];
}

function placePage(place: ApiPlace, document: OpenApi, places: Places): GeneratedPage {
  const context: Context = { document, places, place };
  const entries = places.entries(place);
  const schemas = Object.keys(document.components.schemas).filter(
    (name) => places.findHome(name) === place && places.findOwner(name) === undefined,
  );
  const head = pageHead({
    title: place.title,
    sidebarLabel: place.label,
    description: place.description,
    keywords: ["rest", "http", "endpoint", ...new Set(entries.map(({ path }) => path))],
    tocDepth: 2,
  });
  const path = `${pathOfPlace(place)}.mdx`;
  if (entries.length === 0) {
    const [first = "", ...others] = place.schemas ?? [];
    const rest = schemas.filter((name) => name !== first && !others.includes(name));
    const body = [first, ...others, ...rest].map((name) => schemaBlock(name, context, { level: 2 }));
    return { path, content: blocks(head, RARELY_MEANT, text(place.description), ...body) };
  }
  const tags = document.tags.filter(({ name }) => place.tags.includes(name));
  return {
    path,
    sectionQuestions: Object.fromEntries(entries.map(({ operation }) => [operation.operationId, askAbout(operation)])),
    content: blocks(
      head,
      'import { ApiOperation } from "@site/src/components/api.tsx";',
      RARELY_MEANT,
      tags.map(({ description }) => text(description)).join(" "),
      `All paths begin at ${code(readBase(document))}. The [API reference](../api.mdx#what-holds-for-every-operation) says what is common to all operations, with their [common responses](../api.mdx#common-responses).`,
      ...entries.map((entry) => operationBlock(entry, context)),
      schemas.length === 0 ? undefined : blocks("## Schemas", ...schemas.map((name) => schemaBlock(name, context))),
    ),
  };
}

/** Asks for an operation by its task and by its name: the page has the name in addresses only. */
function askAbout({ operationId, summary }: Entry["operation"]): string[] {
  return [...askWhich("request", summary), `What does ${operationId} do?`];
}

function operationBlock(entry: Entry, context: Context): string {
  const { method, path, operation } = entry;
  const { document } = context;
  const parameters = operation.parameters ?? [];
  const request = createRequest(entry, readBase(document), document.components.schemas);
  const fields = parameters.map(({ name, in: where, required }) => ({
    name,
    in: where,
    required,
    example: required ? exampleOfParameter(name, path) : "",
  }));
  const properties = [
    `method=${JSON.stringify(method.toUpperCase())} path=${JSON.stringify(path)}`,
    ...(fields.length === 0 ? [] : [`parameters={${JSON.stringify(fields)}}`]),
    ...(request.body === undefined ? [] : [`body={${JSON.stringify(request.body)}}`]),
  ];
  const nameType = (schema: Schema) => describeType(schema, (name) => `[${name}](${linkToSchema(name, context)})`);
  const body = operation.requestBody?.content["application/json"]?.schema;
  return blocks(
    `## ${text(operation.summary)} {#${operation.operationId}}`,
    `<ApiOperation ${properties.join(" ")} />`,
    operation.description === undefined ? undefined : text(operation.description),
    parameters.length === 0
      ? undefined
      : table(
          ["Parameter", "In", "Type", "Required", "Meaning"],
          parameters.map(({ name, in: where, schema, required, description }) => [
            code(name),
            where,
            nameType(schema),
            required ? "Yes" : "No",
            text(describeMeaning({ ...schema, ...(description !== undefined && { description }) })),
          ]),
        ),
    body === undefined ? undefined : `Body: ${nameType(body)}`,
    fence("bash", 'title="curl" norun="Needs the API server"', writeCurl(request)),
    `<Aside summary="In TypeScript">\n\n${fence("typescript", "", writeTypescript(request))}\n</Aside>`,
    table(
      ["Status", "Meaning", "Body"],
      Object.entries(operation.responses)
        .filter(([status, answer]) => !isCommonResponse(status, answer))
        .map(([status, answer]) => [status, text(answer.description), responseBody(answer.content, nameType)]),
    ),
    ...ownSchemas(entry, context),
  );
}

/** The schemas of body and response that belong to this operation alone, and that of a response without a name. */
function ownSchemas({ operation }: Entry, context: Context): (string | undefined)[] {
  const bodies = Object.values(operation.requestBody?.content ?? {}).map((media) => ({ what: "Body", media }));
  const responses = Object.entries(operation.responses).flatMap(([status, { content = {} }]) =>
    Number(status) >= 400 ? [] : Object.values(content).map((media) => ({ what: "Response", media })),
  );
  return [...bodies, ...responses].map(({ what, media }) => {
    const name = media.schema.$ref?.split("/").at(-1);
    if (name === undefined) {
      const fields = fieldTable(media.schema, context);
      return fields === ""
        ? undefined
        : blocks(`### ${what} {#${operation.operationId}-${what.toLowerCase()}}`, fields);
    }
    if (context.places.findOwner(name) !== operation.operationId) return undefined;
    return schemaBlock(name, context, { title: `${what}: ${name}` });
  });
}

function responseBody(
  content: Readonly<Record<string, Media>> | undefined,
  nameType: (schema: Schema) => string,
): string {
  if (content === undefined) return "none";
  const [type = "", media] =
    Object.entries(content).find(([name]) => name === "application/json") ?? Object.entries(content)[0] ?? [];
  if (media === undefined) return "none";
  if (type === "text/plain") return media.example === undefined ? "plain text" : code(String(media.example).trim());
  return type === "application/json" ? nameType(media.schema) : `lines of JSON, each ${nameType(media.schema)}`;
}

function schemaBlock(name: string, context: Context, { title = name, level = 3 } = {}): string {
  const schema = context.document.components.schemas[name] ?? {};
  const users = title === name && name !== PROBLEM ? context.places.listUsers(name) : [];
  return blocks(
    `${"#".repeat(level)} ${title} {#${schemaAnchor(name)}}`,
    schema.description === undefined ? undefined : text(schema.description),
    fieldTable(schema, context),
    users.length === 0
      ? undefined
      : `Used by ${users.map(({ operation }) => `[${text(operation.summary)}](${linkToOperation(operation, context)})`).join(", ")}.`,
  );
}

const FIELD_COLUMNS = ["Field", "Type", "Required", "Meaning"];

/** The fields of an object; for several forms, the fields of each below the member that names the form. */
function fieldTable(schema: Schema, context: Context): string {
  if (schema.anyOf !== undefined) {
    return blocks(
      ...schema.anyOf.flatMap((form) => {
        const [kind] = Object.entries(form.properties ?? {}).filter(([, { const: value }]) => value !== undefined);
        const mark = kind === undefined ? "" : `With ${code(`"${kind[0]}": "${String(kind[1].const)}"`)}: `;
        return [`${mark}${text(form.description ?? "")}`, fieldTable(form, context)];
      }),
    );
  }
  const fields = listFields(schema);
  if (fields.length === 0) return "";
  const rows = fields.map((field) => [
    code(field.name),
    describeType(field.schema, (name) => `[${name}](${linkToSchema(name, context)})`),
    field.required ? "Yes" : "No",
    text(describeMeaning(field.schema)),
  ]);
  // Without meanings, their empty column would push the others off a phone's screen.
  const columns = rows.some((row) => row[3] !== "") ? FIELD_COLUMNS : FIELD_COLUMNS.slice(0, 3);
  return table(
    columns,
    rows.map((row) => row.slice(0, columns.length)),
  );
}

function linkToSchema(name: string, { places, place }: Context): string {
  return linkTo(name === PROBLEM ? undefined : places.findHome(name), schemaAnchor(name), place);
}

function linkToOperation({ operationId }: Entry["operation"], { places, place }: Context): string {
  const home = API_PLACES.find((each) =>
    places.entries(each).some(({ operation }) => operation.operationId === operationId),
  );
  return linkTo(home, operationId, place);
}

/** Between pages of the reference; `undefined` is the index. */
function linkTo(target: ApiPlace | undefined, anchor: string, from: ApiPlace | undefined): string {
  if (target === from) return `#${anchor}`;
  if (target === undefined) return `../api.mdx#${anchor}`;
  return from === undefined ? `./${pathOfPlace(target)}.mdx#${anchor}` : `./${target.slug}.mdx#${anchor}`;
}

function findDescription(document: OpenApi, status: string): string {
  for (const { operation } of listEntries(document)) {
    const answer = operation.responses[status];
    if (answer !== undefined) return answer.description;
  }
  throw new Error(`No operation returns ${status}: take it out of COMMON_RESPONSES.`);
}

function readBase({ servers }: OpenApi): string {
  return servers[0]?.url ?? "";
}
