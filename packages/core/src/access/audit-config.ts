/** Configuration of the audit log (api-behaviour 10.7, cli.md 2.11). */
import { isAbsolute } from "node:path";
import { isRecord, parseJson } from "@toolhive/http/values";
import * as Type from "typebox";
import { describeReadFailure, readBoundedText } from "../files/bounded-file.ts";
import { listProblems } from "../schemas/schema-problems.ts";
import { ThvError } from "../support/errors.ts";
import { describeWhole, type LocatedProblem, listSentences, moveProblems } from "../support/located-problem.ts";

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
  const isInline = text.trimStart().startsWith("{");
  const what = isInline ? "audit_config" : text;
  const given = parseAuditText(isInline ? text : await readAuditFile(text), what);
  const value = translateNames(given);
  const problems = [...findDuplicateNames(given), ...listProblems(AuditConfigSchema, value)];
  const { log_file } = value as AuditConfig;
  if (typeof log_file === "string" && log_file !== "" && !isAbsolute(log_file)) {
    problems.push({ path: ["log_file"], sentence: "log_file is not an absolute path" });
  }
  if (problems.length > 0) throw createInvalidError(what, problems);
  return value as AuditConfig;
}

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

async function readAuditFile(path: string): Promise<string> {
  try {
    return await readBoundedText(path);
  } catch (error) {
    throw createInvalidError(path, describeWhole(describeReadFailure(error)));
  }
}

function parseAuditText(text: string, what: string): object {
  const value = parseJson(text);
  if (isRecord(value)) return value;
  throw createInvalidError(what, describeWhole("it is not a JSON object"));
}

/** @param problems Each with its place in the file. */
function createInvalidError(what: string, problems: readonly LocatedProblem[]): ThvError {
  const sentences = listSentences(problems).join("; ");
  return new ThvError("INVALID_ARGUMENT", `The audit file ${what} cannot be used: ${sentences}.`, {
    problems: moveProblems(problems, "audit_config"),
    hint: `Event types are: ${AUDIT_EVENT_TYPES.join(", ")}.`,
  });
}
