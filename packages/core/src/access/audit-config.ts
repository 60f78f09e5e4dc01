/** Configuration of the audit log (api-behaviour 10.7, cli.md 2.11). */
import { isAbsolute } from "node:path";
import { isRecord, parseJson } from "@toolhive/http/values";
import * as Type from "typebox";
import { listProblems } from "../schemas/schema-problems.ts";
import { describeWhole, type LocatedProblem } from "../support/located-problem.ts";
import { createAccessError, readAccessText } from "./access-file.ts";

export const AUDIT_EVENT_TYPES = [
  "mcp_initialize",
  "mcp_tool_call",
  "mcp_tools_list",
  "mcp_resource_read",
  "mcp_resources_list",
  "mcp_prompt_get",
  "mcp_prompts_list",
  "mcp_notification",
  "mcp_ping",
  "mcp_logging",
  "mcp_completion",
  "mcp_roots_list_changed",
  "mcp_request",
  "http_request",
  "sse_connection",
] as const;
export type AuditEventType = (typeof AUDIT_EVENT_TYPES)[number];

/** Default for the bytes of a request's or response's data that are kept. */
export const DEFAULT_MAX_DATA_SIZE = 1024;

export const AuditConfigSchema = Type.Object(
  {
    /** Default: the workload's name. */
    component: Type.Optional(Type.String()),
    /** Default: all. */
    event_types: Type.Optional(Type.Array(Type.Enum([...AUDIT_EVENT_TYPES]))),
    /** Takes precedence over `event_types`. */
    exclude_event_types: Type.Optional(Type.Array(Type.Enum([...AUDIT_EVENT_TYPES]))),
    include_request_data: Type.Optional(Type.Boolean()),
    include_response_data: Type.Optional(Type.Boolean()),
    max_data_size: Type.Optional(Type.Integer({ minimum: 0, maximum: 1024 * 1024 })),
    /** Absolute path; appended to. Default: standard output. */
    log_file: Type.Optional(Type.String()),
    /** Refuses calls while the log cannot be written. Default: calls continue, and events are lost once 4 MiB are queued. */
    required: Type.Optional(Type.Boolean()),
  },
  { additionalProperties: false },
);
export type AuditConfig = Readonly<Type.Static<typeof AuditConfigSchema>>;

/**
 * @param text Absolute path of a JSON file, or the JSON itself.
 * @throws {ThvError} `INVALID_ARGUMENT` with every problem; what the file holds is not repeated.
 */
export async function readAuditConfig(text: string): Promise<AuditConfig> {
  const { what, content } = await readAccessText(text, AUDIT_FILE);
  const given = parseAuditText(content, what);
  const value = translateNames(given);
  const problems = [...findDuplicateNames(given), ...listProblems(AuditConfigSchema, value)];
  const { log_file } = value as AuditConfig;
  if (typeof log_file === "string" && log_file !== "" && !isAbsolute(log_file)) {
    problems.push({ path: ["log_file"], sentence: "log_file is not an absolute path" });
  }
  if (problems.length > 0) throw createAccessError(what, problems, AUDIT_FILE);
  return value as AuditConfig;
}

const AUDIT_FILE = {
  member: "audit_config",
  words: "audit file",
  hint: `Event types are: ${AUDIT_EVENT_TYPES.join(", ")}.`,
} as const;

/** The reference's guides write members so; its program reads both. */
const OTHER_NAMES: Readonly<Record<string, keyof AuditConfig>> = {
  eventTypes: "event_types",
  excludeEventTypes: "exclude_event_types",
  includeRequestData: "include_request_data",
  includeResponseData: "include_response_data",
  maxDataSize: "max_data_size",
  logFile: "log_file",
};

function findDuplicateNames(given: object): LocatedProblem[] {
  return Object.entries(OTHER_NAMES)
    .filter(([other, name]) => Object.hasOwn(given, other) && Object.hasOwn(given, name))
    .map(([other, name]) => ({ path: [name], sentence: `${name} is there twice, as ${name} and as ${other}` }));
}

function translateNames(given: object): object {
  const resolveName = (name: string) => (Object.hasOwn(OTHER_NAMES, name) ? (OTHER_NAMES[name] as string) : name);
  return Object.fromEntries(Object.entries(given).map(([name, value]) => [resolveName(name), value]));
}

function parseAuditText(text: string, what: string): object {
  const value = parseJson(text);
  if (isRecord(value)) return value;
  throw createAccessError(what, describeWhole("it is not a JSON object"), AUDIT_FILE);
}
