/** The members of a server's entry by the names that clients give them: this reader uses a member, omits what only the client needs, or names it. */
import { isRecord, shorten, toRecord } from "@toolhive/http/values";
import type { ReadEntry } from "./imported-entry.ts";

export type Values = Readonly<Record<string, unknown>>;

/** Members with the program, the address, or what these get. */
const USED: ReadonlySet<string> = new Set([
  ...["command", "cmd", "args", "url", "serverUrl", "httpUrl", "uri", "baseUrl", "type", "transport", "transportType"],
  ...["env", "environment", "envs", "env_vars", "env_keys", "headers", "http_headers", "env_http_headers"],
  ...[
    "bearer_token_env_var",
    "requestOptions",
    "disabled",
    "enabled",
    "isActive",
    "active",
    "name",
    "source",
    "inputs",
  ],
]);
/** Tools that clients see, and no others. */
const ONLY_TOOLS = ["tools", "includeTools", "enabledTools", "enabled_tools", "available_tools", "allowedTools"];
/** Tools that are switched off. */
const OFF_TOOLS = ["disabledTools", "disabled_tools", "excludeTools", "excludedTools", "exclude_tools"];
/** They say how a client treats or shows the server, and change nothing of it. */
const OF_CLIENT: ReadonlySet<string> = new Set([
  ...["autoApprove", "alwaysAllow", "autoApprovedTools", "trust", "approval", "allow", "permissions"],
  ...["timeout", "initTimeout", "connectionTimeout", "timeoutMs", "startup_timeout_sec", "startup_timeout_ms"],
  ...["tool_timeout_sec", "toolTimeout", "networkTimeout", "startupTimeout", "sse_read_timeout", "connect_timeout"],
  ...["title", "description", "displayName", "display_name", "icon", "iconPath", "logoUrl", "tags", "note", "notes"],
  ...[
    "comment",
    "_comment",
    "$comment",
    "provider",
    "providerUrl",
    "gallery",
    "version",
    "id",
    "bundled",
    "registryUrl",
  ],
  ...["chatMenu", "serverInstructions", "startup", "start_on_launch", "startOnLaunch", "required", "watchPaths"],
  ...["fromGalleryId", "installSource", "isBuiltin", "longRunning", "default_tools_approval_mode", "dev", "scope"],
  ...[
    "preserve_cwd",
    "metadata",
    "settings",
    "maxRetries",
    "reconnect",
    "cache",
    "disableAutoUpdate",
    "enableSampling",
  ],
]);
const ENV_FILES = ["envFile", "env_file", "envFiles"];
const FOLDERS = ["cwd", "working_directory", "workingDirectory", "workdir", "dir", "directory"];
const SIGN_IN = [
  "oauth",
  "auth",
  "authorization",
  "authProviderType",
  "oauthScopes",
  "scopes",
  "headersHelper",
  "apiKey",
];

/** Members that name their server's state in other words. */
export function isSwitchedOff({ disabled, enabled, isActive, active }: Values): boolean {
  return disabled === true || [enabled, isActive, active].includes(false);
}

export interface ToolChoice {
  /** `undefined` where the entry says nothing: all. */
  readonly only?: string[];
  readonly off: readonly string[];
  /** Texts that stand for several tools. */
  readonly patterns: readonly string[];
}

export function readTools(settings: Values): ToolChoice {
  const listed = ONLY_TOOLS.map((member) => settings[member]).find((value) => value !== undefined && value !== null);
  const only = isRecord(listed) ? listTexts(listed.include) : listTexts(listed);
  const off = [...OFF_TOOLS.flatMap((member) => listTexts(settings[member])), ...listTexts(toRecord(listed).exclude)];
  const isAll = only.length === 0 || only.includes("*");
  const [patterns, plain] = [only.filter(isPattern), only.filter((tool) => !isPattern(tool))];
  if (isAll || plain.length === 0) return { off, patterns: isAll ? [] : patterns };
  return { only: plain.filter((tool) => !off.includes(tool)), off: [], patterns };
}

/** Some clients choose several tools with one text; here each has its name. */
function isPattern(tool: string): boolean {
  return tool.includes("*") || /^\/.*\/$/.test(tool);
}

function listTexts(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((each) => typeof each === "string") : [];
}

/** @returns Sentences without a full stop that name each member that is not used. */
export function describeUnused(name: string, settings: Values, { off, patterns }: ToolChoice): string[] {
  const given = Object.keys(settings).filter((member) => settings[member] !== undefined && settings[member] !== null);
  const rest = given.filter((member) => !USED.has(member));
  const take = (members: readonly string[]) => rest.filter((member) => members.includes(member));
  const tools = take([...ONLY_TOOLS, ...OFF_TOOLS]);
  const files = take(ENV_FILES);
  const folders = take(FOLDERS);
  const signIn = take(SIGN_IN);
  const ofClient = [...rest.filter((member) => OF_CLIENT.has(member)), ...listRequestOptions(settings)];
  const known = new Set([...tools, ...files, ...folders, ...signIn, ...ofClient]);
  const unknown = [...rest.filter((member) => !known.has(member)), ...listToolOptions(settings)];
  return [
    ...describeOffTools(name, off),
    ...patterns.map(
      (pattern) => `${shorten(pattern, 100)} stands for several tools, and was left out: write their names into tools`,
    ),
    ...files.map(
      (member) =>
        `${member}: the variables in ${showValue(settings[member])} are not read: add them to env and secrets`,
    ),
    ...folders.map(
      (member) =>
        `${member}: its working folder ${showValue(settings[member])} is not used: give it a folder as a volume`,
    ),
    ...(signIn.length > 0
      ? [
          `${signIn.join(", ")}: its sign-in was left out: ToolHive signs in when the server asks, and takes a client id with thv run --remote-auth-client-id`,
        ]
      : []),
    ...(ofClient.length > 0 ? [`only the client uses ${ofClient.join(", ")}, which was left out`] : []),
    ...(unknown.length > 0
      ? [`${unknown.map((member) => shorten(member, 100)).join(", ")}: without a counterpart, and left out`]
      : []),
  ];
}

function describeOffTools(name: string, off: readonly string[]): string[] {
  if (off.length === 0) return [];
  const tools = off.map((tool) => shorten(tool, 100));
  return [
    `${tools.join(", ")}: switched off there, and offered here until you run: thv tools deny ${name} ${tools.join(" ")}`,
  ];
}

/** Members beside those that choose tools, where one object holds all. */
function listToolOptions({ tools }: Values): string[] {
  if (!isRecord(tools)) return [];
  return Object.keys(tools)
    .filter((member) => member !== "include" && member !== "exclude")
    .map((member) => `tools.${member}`);
}

function listRequestOptions({ requestOptions }: Values): string[] {
  return Object.keys(toRecord(requestOptions))
    .filter((member) => member !== "headers")
    .map((member) => `requestOptions.${member}`);
}

function showValue(value: unknown): string {
  return typeof value === "string" ? shorten(value, 100) : "that it names";
}

/** A server that is a part of its client, or that an extension of it starts. */
export function findClientsOwn({
  type,
  source,
  command,
  url,
  uri,
}: Values): Extract<ReadEntry, { reason: string }> | undefined {
  if (source === "extension") return { reason: "an extension of the editor starts it" };
  if (typeof type === "string" && /^(?:builtin|platform|frontend|inline_python|inMemory)$/.test(type))
    return { reason: `it is a part of the client (type ${type})` };
  if (typeof type === "string" && /^(?:ws|websocket)$/i.test(type))
    return { reason: "it speaks WebSocket, which is no transport of MCP" };
  const address = [url, uri].find((each) => typeof each === "string" && /^(?:unix|pipe|npipe):/.test(each));
  if (command === undefined && address !== undefined)
    return { reason: "its url is a socket of this machine, and only http addresses can be imported" };
  return undefined;
}
