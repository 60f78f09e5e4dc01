/** Where the servers are in a client's settings: an object by their names or a list, at the place of each client. */
import { isRecord, toRecord } from "@toolhive/http/values";
import { type Inputs, readInputs } from "./placeholders.ts";

/** A server of a client's settings, before its entry is read. */
export interface FoundServer {
  readonly name: string;
  readonly settings: unknown;
  /** Questions of the client that its values may refer to. */
  readonly inputs: Inputs;
  /** Half a sentence, when the client does not start it although its entry is whole. */
  readonly off?: string;
}

/** Members that lead to the servers. */
const PLACES: readonly (readonly string[])[] = [
  ["mcpServers"],
  ["servers"],
  // VS Code's older settings and OpenCode's next version; then OpenCode and Crush.
  ["mcp", "servers"],
  ["mcp", "mcpServers"],
  ["mcp"],
  // Zed
  ["context_servers"],
  // Codex and others that write TOML or YAML
  ["mcp_servers"],
  ["mcp-servers"],
  // Goose
  ["extensions"],
  // Amp, in its own file and in an editor's
  ["amp.mcpServers"],
  ["amp", "mcpServers"],
  ["augment.advanced", "mcpServers"],
  ["augment", "mcpServers"],
  // A development container
  ["customizations", "vscode", "mcp", "servers"],
  // OpenHands, with a list for each transport
  ["mcp", "stdio_servers"],
  ["mcp", "sse_servers"],
  ["mcp", "shttp_servers"],
  // Continue's older file
  ["experimental", "modelContextProtocolServers"],
];
/** An entry has one of these, and hardly anything else does. */
const ENTRY_MEMBERS = [
  "command",
  "cmd",
  "url",
  "serverUrl",
  "httpUrl",
  "uri",
  "baseUrl",
  "transport",
  "type",
  "source",
];
/** What an address in a list of addresses speaks. */
const LISTED_TYPES: Readonly<Record<string, string>> = { sse_servers: "sse", shttp_servers: "streamable-http" };
/** Lists of servers that the client leaves out, and of those that alone it takes. */
const OFF_LISTS = [["mcp", "excluded"], ["excludeMCPServers"], ["disabledMcpServers"], ["disabledMcpjsonServers"]];
const ONLY_LISTS = [["mcp", "allowed"], ["allowMCPServers"]];

/**
 * The servers in a client's whole settings, or in what somebody has copied of them: entries by their names without the member
 * around them, or one entry, whose name is then empty.
 *
 * @returns `undefined` for settings that have neither.
 */
export function findServers(settings: unknown): readonly FoundServer[] | undefined {
  return findAtPlaces(toRecord(settings)) ?? findCopied(settings);
}

function findCopied(settings: unknown): readonly FoundServer[] | undefined {
  const inputs = readInputs(settings);
  if (isEntry(settings)) return [{ name: "", settings, inputs }];
  const entries = Object.entries(toRecord(settings));
  if (!entries.some(([, entry]) => isEntry(entry))) return undefined;
  return entries.map(([name, entry]) => ({ name, settings: entry, inputs }));
}

function findAtPlaces(root: Readonly<Record<string, unknown>>): readonly FoundServer[] | undefined {
  const found: FoundServer[] = [];
  let hasPlace = false;
  for (const [owner, path] of listOwners(root)) {
    const servers = follow(owner, path);
    const listed = readPlace(servers, path, found.length);
    if (listed === undefined) continue;
    hasPlace = true;
    const inputs = new Map([...readInputs(root), ...readInputs(follow(owner, path.slice(0, -1)))]);
    for (const [name, entry] of listed) {
      const off = findSwitch(name, [root, owner]);
      const isKnown = found.some(
        (each) => each.name === name && JSON.stringify(each.settings) === JSON.stringify(entry),
      );
      if (!isKnown) found.push({ name, settings: entry, inputs, ...(off !== undefined && { off }) });
    }
  }
  return hasPlace ? found : undefined;
}

/** Every place of the whole settings, and of each project of Claude Code. */
function listOwners(root: Readonly<Record<string, unknown>>): [owner: unknown, path: readonly string[]][] {
  const projects = Object.values(toRecord(root.projects)).filter(isRecord);
  return [
    ...PLACES.map((path): [unknown, readonly string[]] => [root, path]),
    ...projects.map((project): [unknown, readonly string[]] => [project, ["mcpServers"]]),
  ];
}

function follow(owner: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>((value, member) => (isRecord(value) ? value[member] : undefined), owner);
}

/** Servers by their names; a place that other settings have, too, counts only with an entry in it. */
function readPlace(
  value: unknown,
  path: readonly string[],
  before: number,
): [name: string, entry: unknown][] | undefined {
  const isShared = path.length === 1 && path[0] !== "mcpServers" && path[0] !== "servers";
  if (Array.isArray(value)) {
    const type = LISTED_TYPES[path.at(-1) ?? ""];
    const entries = value.map((each: unknown) => (type === undefined ? each : nameType(each, type))).filter(isEntry);
    const listed = entries.map((entry, index): [string, unknown] => [readName(entry, before + index), entry]);
    return listed.length === 0 && value.length > 0 ? undefined : listed;
  }
  if (!isRecord(value)) return undefined;
  const all = Object.entries(value);
  const entries = isShared ? all.filter(([, entry]) => isEntry(entry)) : all;
  return isShared && entries.length === 0 ? undefined : entries;
}

function nameType(entry: unknown, type: string): unknown {
  return isRecord(entry) ? { type, ...entry } : { type, url: entry };
}

function readName(entry: unknown, index: number): string {
  const { name } = toRecord(entry);
  return typeof name === "string" && name !== "" ? name : `server-${index + 1}`;
}

function isEntry(value: unknown): boolean {
  return isRecord(value) && ENTRY_MEMBERS.some((member) => Object.hasOwn(value, member));
}

function findSwitch(name: string, owners: readonly unknown[]): string | undefined {
  for (const owner of owners) {
    const off = OFF_LISTS.find((path) => listNames(follow(owner, path))?.includes(name));
    if (off) return `it is disabled there (${off.join(".")})`;
    const only = ONLY_LISTS.find((path) => listNames(follow(owner, path))?.includes(name) === false);
    if (only) return `it is disabled there (not in ${only.join(".")})`;
  }
  return undefined;
}

function listNames(value: unknown): readonly unknown[] | undefined {
  return Array.isArray(value) && value.length > 0 ? value : undefined;
}
