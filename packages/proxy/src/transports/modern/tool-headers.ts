/**
 * `Mcp-Param-*` headers of revision 2026-07-28: a tool's schema may ask that an argument is repeated in a header, so
 * that intermediaries can route by it. Header and body must agree.
 */
import type { IncomingMessage } from "node:http";
import { isRecord } from "@toolhive/http/values";
import { readHeader } from "../../http/http-exchange.ts";
import { readEnvelope } from "../../messages/json-rpc.ts";
import { createHeaderMismatch, decodeHeaderText, encodeHeaderText } from "./envelope.ts";

/** One argument that is repeated. */
interface RepeatedArgument {
  readonly path: readonly string[];
  /** In lower case, with its prefix. */
  readonly header: string;
}

const PREFIX = "mcp-param-";
/** A header name (RFC 9110, 5.6.2). */
const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
/** Tools whose schemas are remembered; more than any server lists. */
const MAX_TOOLS = 10_000;
/** Nesting of `properties` that is followed. */
const MAX_DEPTH = 16;

export class ToolHeaders {
  readonly #byTool = new Map<string, readonly RepeatedArgument[]>();

  /** Records the schemas of an answer to `tools/list`, where clients find them, too. */
  recordTools(response: Buffer): void {
    const result = readEnvelope(response)?.result;
    if (result === undefined) return;
    const value: unknown = JSON.parse(response.toString("utf8", result.start, result.end));
    const tools: unknown[] = isRecord(value) && Array.isArray(value.tools) ? value.tools : [];
    for (const tool of tools) {
      if (!isRecord(tool) || typeof tool.name !== "string") continue;
      const repeated = findRepeated(tool.inputSchema);
      if (repeated.length === 0) this.#byTool.delete(tool.name);
      else if (this.#byTool.size < MAX_TOOLS) this.#byTool.set(tool.name, repeated);
    }
  }

  /** @param params Of a `tools/call`. @returns The headers that repeat its arguments. */
  build(params: Readonly<Record<string, unknown>>): Record<string, string> {
    const headers: Record<string, string> = {};
    for (const { path, header } of (typeof params.name === "string" && this.#byTool.get(params.name)) || []) {
      const argument = formatHeaderValue(path.reduce<unknown>(readMember, params.arguments));
      if (argument !== undefined) headers[header] = encodeHeaderText(argument);
    }
    return headers;
  }

  /** @param params Of a `tools/call`. @throws {HttpRefusal} when a header is missing or says something else. */
  check(params: Readonly<Record<string, unknown>>, request: IncomingMessage): void {
    const repeated = typeof params.name === "string" ? this.#byTool.get(params.name) : undefined;
    for (const { path, header } of repeated ?? []) {
      const argument = formatHeaderValue(path.reduce<unknown>(readMember, params.arguments));
      if (argument === undefined) continue;
      const value = readHeader(request, header)?.trim();
      if (value === undefined)
        throw createHeaderMismatch(`The ${header} header is missing; it repeats ${path.join(".")}.`);
      if (!isSame(decodeHeaderText(value), argument))
        throw createHeaderMismatch(`${header} does not repeat ${path.join(".")}.`);
    }
  }
}

function findRepeated(schema: unknown, path: readonly string[] = []): RepeatedArgument[] {
  if (!isRecord(schema) || !isRecord(schema.properties) || path.length >= MAX_DEPTH) return [];
  return Object.entries(schema.properties).flatMap(([name, property]) => {
    if (!isRecord(property)) return [];
    const inner = findRepeated(property, [...path, name]);
    const header = property["x-mcp-header"];
    if (typeof header !== "string" || !TOKEN.test(header)) return inner;
    return [{ path: [...path, name], header: PREFIX + header.toLowerCase() }, ...inner];
  });
}

function readMember(value: unknown, name: string): unknown {
  return isRecord(value) ? value[name] : undefined;
}

function formatHeaderValue(value: unknown): string | undefined {
  if (typeof value === "string") return value;
  return typeof value === "number" || typeof value === "boolean" ? String(value) : undefined;
}

/** Numbers may be written in more than one way. */
function isSame(header: string | undefined, argument: string): boolean {
  if (header === argument) return true;
  const isNumber = header !== undefined && /^-?\d+(\.\d+)?$/.test(header) && /^-?\d/.test(argument);
  return isNumber && Number(header) === Number(argument);
}
