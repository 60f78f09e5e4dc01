/**
 * Checks the JSON and YAML that pages show, with the schemas that the program itself uses. A sample names its schema in
 * its fence: `schema="registry"`; one that has none says why: `noschema="reason"`.
 */
import { isDeepStrictEqual } from "node:util";
import { OPERATIONS } from "@toolhive/api";
import {
  AuditConfigSchema,
  AuthzConfigSchema,
  CLIENTS,
  ConfigSchema,
  DEFAULT_CONFIG,
  inspectProject,
  listProblems,
  listRegistryProblems,
  listSentences,
  PermissionProfileSchema,
} from "@toolhive/core";
import { isRecord } from "@toolhive/http/values";
import { parse, stringify } from "yaml";
import { CHART_VALUES } from "../reference/data/chart-values.ts";
import {
  type FieldGroup,
  MCP_GROUP,
  MCP_REMOTE_PROXY,
  MCP_SERVER,
  MCP_TOOL_CONFIG,
} from "../reference/data/mcpserver-schema.ts";
import type { CodeBlock } from "./parse-text.ts";

type Check = (value: unknown) => readonly string[];
type Json = Readonly<Record<string, unknown>>;

/** Requests and answers of MCP: JSON-RPC 2.0. */
function checkMessage(value: unknown): string[] {
  if (!isRecord(value)) return ["is not an object"];
  const kinds = ["method", "result", "error"].filter((member) => member in value);
  return [
    ...(value.jsonrpc === "2.0" ? [] : ["jsonrpc is not 2.0"]),
    ...(kinds.length === 1 ? [] : [`has ${kinds.join(" and ") || "no method, result or error"}`]),
    ...(kinds[0] === "method" || "id" in value ? [] : ["answers without an id"]),
  ];
}

/** A body of the API; a member that the API does not know would be ignored, so it is a mistake here. */
function checkBody(operation: keyof typeof OPERATIONS): Check {
  const { body } = OPERATIONS[operation];
  if (body === undefined) throw new Error(`${operation} takes no body.`);
  const known = Object.keys((body as unknown as { properties: Json }).properties);
  return (value) => [
    ...listSentences(listProblems(body, value)),
    ...(isRecord(value) ? Object.keys(value).filter((member) => !known.includes(member)) : []).map(
      (member) => `${member} is not a member of the body`,
    ),
  ];
}

const findFields = (name: string): FieldGroup["fields"] =>
  [...MCP_SERVER, ...MCP_REMOTE_PROXY, ...MCP_GROUP, ...MCP_TOOL_CONFIG].find((group) => group.name === name)?.fields ??
  [];

/** Members, choices and ranges of the resource, by the data that its reference page is made from. */
function checkFields(value: unknown, group: string, at: string): string[] {
  if (!isRecord(value)) return [`${at} is not an object`];
  const fields = findFields(group);
  const unknown = Object.keys(value).filter(
    (member) => !fields.some(({ name }) => name === member || name.startsWith(`${member}.`)),
  );
  return [
    ...unknown.map((member) => `${at}.${member} is not a field`),
    ...fields.flatMap(({ name, required, type, of }) => {
      const member = value[name];
      if (member === undefined) return required ? [`${at}.${name} is missing`] : [];
      const choices = [...type.matchAll(/`([^`]+)`/g)].map(([, choice = ""]) => choice);
      if (choices.length > 0 && !choices.includes(String(member))) return [`${at}.${name} is none of ${choices}`];
      if (of === undefined || findFields(of).length === 0) return [];
      const isMap = type === "objects by name" && isRecord(member);
      return (Array.isArray(member) ? member : isMap ? Object.values(member) : [member]).flatMap((item) =>
        checkFields(item, of, `${at}.${name}`),
      );
    }),
  ];
}

function checkResource(
  value: unknown,
  kind: "MCPServer" | "MCPRemoteProxy" | "MCPGroup" | "MCPToolConfig" = "MCPServer",
): string[] {
  if (!isRecord(value)) return ["is not an object"];
  return [
    ...(value.apiVersion === "toolhive.stacklok.dev/v1alpha1" ? [] : ["apiVersion is another one"]),
    ...(value.kind === kind ? [] : [`kind is not ${kind}`]),
    ...(isRecord(value.metadata) && typeof value.metadata.name === "string" ? [] : ["metadata.name is missing"]),
    ...checkFields(value.spec, `${kind}Spec`, "spec"),
  ];
}

function checkChartValues(value: unknown, at = ""): string[] {
  if (!isRecord(value))
    return CHART_VALUES.some(({ name }) => name === at) ? [] : [`${at} is not a value of the chart`];
  if (CHART_VALUES.some(({ name }) => name === at)) return [];
  const isSection = at === "" || CHART_VALUES.some(({ name }) => name.startsWith(`${at}.`));
  if (!isSection) return [`${at} is not a value of the chart`];
  return Object.entries(value).flatMap(([member, inner]) =>
    checkChartValues(inner, at === "" ? member : `${at}.${member}`),
  );
}

/** An object of another Kubernetes API: its form is known, its fields are not ours to check. */
function checkObject(value: unknown): string[] {
  return isRecord(value) && ["apiVersion", "kind", "metadata"].every((member) => member in value)
    ? []
    : ["is not an object of Kubernetes"];
}

/** What `thv` itself writes into the client's file. */
function checkClientEntry(id: string): Check {
  const client = CLIENTS.find((candidate) => candidate.id === id);
  if (client === undefined) throw new Error(`There is no client "${id}".`);
  return (value) => {
    const text = JSON.stringify(value);
    const program = /"command":"([^"]+)"/.exec(text)?.[1] ?? "";
    const url = /"(https?:[^"]+)"/.exec(text)?.[1] ?? "";
    // The innermost object is the entry.
    const name = [...text.matchAll(/"([^"]+)":\{/g)].at(-1)?.[1] ?? "";
    const bridge = [program, "proxy", "stdio", name] as const;
    const entry = client.entry({ name, url, transport: "streamable-http", bridge });
    const accepted = client.files.map(({ servers }) =>
      [...servers, name].reduceRight<unknown>((inner, member) => ({ [member]: inner }), entry),
    );
    return accepted.some((wanted) => isDeepStrictEqual(wanted, value))
      ? []
      : [`differs from what thv writes: ${JSON.stringify(accepted[0])}`];
  };
}

const CHECKS: Readonly<Record<string, Check>> = {
  registry: listRegistryProblems,
  "permission-profile": (value) => listSentences(listProblems(PermissionProfileSchema, value)),
  audit: (value) => listSentences(listProblems(AuditConfigSchema, value)),
  project: (value) => inspectProject(stringify(value), "/thv.yaml").problems.map(({ sentence }) => sentence),
  authz: (value) => listSentences(listProblems(AuthzConfigSchema, value)),
  config: (value) => listSentences(listProblems(ConfigSchema, isRecord(value) ? mergeDefaults(value) : value)),
  "mcp-message": checkMessage,
  MCPServer: (value) => checkResource(value),
  MCPRemoteProxy: (value) => checkResource(value, "MCPRemoteProxy"),
  MCPGroup: (value) => checkResource(value, "MCPGroup"),
  MCPToolConfig: (value) => checkResource(value, "MCPToolConfig"),
  "MCPRemoteProxy.spec": (value) => checkFields(value, "MCPRemoteProxySpec", "spec"),
  "MCPServer.spec": (value) => checkFields(value, "MCPServerSpec", "spec"),
  "helm-values": (value) => checkChartValues(value),
  kubernetes: checkObject,
  ...Object.fromEntries(CLIENTS.map(({ id }) => [`client:${id}`, checkClientEntry(id)])),
  ...Object.fromEntries(
    Object.entries(OPERATIONS)
      .filter(([, { body }]) => body !== undefined)
      .map(([id]) => [`body:${id}`, checkBody(id as keyof typeof OPERATIONS)]),
  ),
};

function mergeDefaults(value: Json): Json {
  return Object.fromEntries(
    Object.entries({ ...DEFAULT_CONFIG, ...value }).map(([name, section]) => {
      const fallback = (DEFAULT_CONFIG as Json)[name];
      return [name, isRecord(section) && isRecord(fallback) ? { ...fallback, ...section } : section];
    }),
  );
}

/** @returns What is wrong, `[]` when nothing is. Blocks of other languages have nothing to check. */
export function checkSample({ language, meta, content }: CodeBlock): readonly string[] {
  if (language !== "json" && language !== "yaml") return [];
  if (/\bnoschema="[^"]+"/.test(meta)) return [];
  const name = /\bschema="([^"]+)"/.exec(meta)?.[1];
  if (name === undefined) return ['says neither schema="…" nor noschema="reason"'];
  const check = CHECKS[name];
  if (check === undefined) return [`names the schema "${name}", which there is none of`];
  let value: unknown;
  try {
    value = language === "json" ? JSON.parse(content) : parse(content);
  } catch (error) {
    return [`is not ${language}: ${String(error)}`];
  }
  return check(value);
}
