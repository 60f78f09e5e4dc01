/** The API's document as a page for people: one file without scripts, so that nothing is fetched and nothing can be run. */
import { createHash } from "node:crypto";
import { BRAND } from "@toolhive/core";
import { escapeHtml } from "@toolhive/http/values";

type Json = Readonly<Record<string, unknown>>;

const STYLE =
  "body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem}" +
  "code,pre{font:14px/1.5 ui-monospace,monospace}pre{overflow:auto;padding:1rem;border:1px solid #8886;border-radius:6px}" +
  "summary{cursor:pointer}table{border-collapse:collapse}td,th{text-align:left;vertical-align:top;padding:.2rem 1rem .2rem 0}" +
  ":root{color-scheme:light dark}";

/** What the page may load and run: nothing but its own style. */
export const DOCUMENT_PAGE_POLICY = `default-src 'none'; style-src 'sha256-${createHash("sha256")
  .update(STYLE)
  .digest("base64")}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;

/** @param document An OpenAPI 3.1 document. @returns HTML that lists its operations by tag, each with what it takes and answers. */
export function documentPage(document: Json): string {
  const { info, tags, paths, components } = document as unknown as {
    info: { title: string; version: string; description?: string };
    tags: readonly { name: string; description?: string }[];
    paths: Readonly<Record<string, Readonly<Record<string, Json>>>>;
    components: { schemas: Readonly<Record<string, unknown>> };
  };
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  );
  const sections = tags.map(({ name, description = "" }) => {
    const own = operations.filter(({ operation }) => (operation.tags as readonly string[]).includes(name));
    return `<h2>${showText(name)}</h2><p>${showText(description)}</p>${own.map(describeOperation).join("")}`;
  });
  const schemas = Object.entries(components.schemas).map(
    ([name, schema]) =>
      `<details id="${showText(name)}"><summary><code>${showText(name)}</code></summary>${show(schema)}</details>`,
  );
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${showText(info.title)}</title>
<meta name="viewport" content="width=device-width"><style>${STYLE}</style></head><body>
<h1>${showText(info.title)} <small>${showText(info.version)}</small></h1><p>${showText(info.description ?? "")}</p>
<p>For programs: <a href="/api/openapi.json">the OpenAPI document</a>. For people: <a href="${showText(BRAND.siteUrl)}">the documentation</a>.</p>
${sections.join("\n")}<h2>Schemas</h2>${schemas.join("\n")}</body></html>
`;
}

function describeOperation({ path, method, operation }: { path: string; method: string; operation: Json }): string {
  const { summary = "", description = "", parameters = [], requestBody, responses = {} } = operation;
  const rows = (parameters as readonly Json[]).map(
    ({ name, in: where, description: meaning = "" }) =>
      `<tr><td><code>${showText(name)}</code></td><td>${showText(where)}</td><td>${showText(meaning)}</td></tr>`,
  );
  const answers = Object.entries(responses as Json).map(
    ([status, answer]) => `<tr><td>${showText(status)}</td><td>${showText((answer as Json).description)}</td></tr>`,
  );
  const parts = [
    `<p>${showText(description)}</p>`,
    rows.length > 0 ? `<table>${rows.join("")}</table>` : "",
    requestBody === undefined ? "" : `<p>Body</p>${show((requestBody as Json).content)}`,
    `<p>Answers</p><table>${answers.join("")}</table>`,
  ];
  const head = `<code>${showText(method.toUpperCase())} ${showText(path)}</code> ${showText(summary)}`;
  return `<details><summary>${head}</summary>${parts.join("")}</details>`;
}

function show(value: unknown): string {
  return `<pre>${showText(JSON.stringify(value, null, 2))}</pre>`;
}

/** Members of the document may be missing or of another type than a text. */
function showText(value: unknown): string {
  return escapeHtml(String(value));
}
