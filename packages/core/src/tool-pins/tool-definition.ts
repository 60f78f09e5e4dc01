/**
 * A server's definition of a tool: the part that a model reads, as one text that is the same whatever the order of its members.
 */
import { createHash } from "node:crypto";
import { isRecord } from "@toolhive/http/values";
import type { ToolDefinition } from "../ports/mcp-endpoint.ts";

/** What a model, or a client that asks for permission, goes by. Icons are for display, and not among them. */
const DEFINITION_MEMBERS = ["name", "title", "description", "inputSchema", "outputSchema", "annotations"] as const;

/** Objects in objects; a schema that is deeper is none that anybody reads. */
const MAX_DEPTH = 64;

/** The members that count, in the order of the protocol's pages; of `_meta` only what names the page that a client draws. */
export function pickDefinition(tool: ToolDefinition): ToolDefinition {
  const meta = pickInterface(tool._meta);
  const picked = omitInterface(tool);
  return meta === undefined ? picked : { ...picked, _meta: meta };
}

/** The members that count, without the page that a client draws: what records held before they held that. */
export function omitInterface(tool: ToolDefinition): ToolDefinition {
  const members = DEFINITION_MEMBERS.filter((member) => tool[member] !== undefined);
  return Object.fromEntries(members.map((member) => [member, tool[member]])) as unknown as ToolDefinition;
}

/** MCP Apps names it in `ui`, earlier in `ui/resourceUri`; the Apps SDK of OpenAI in a member of its own. */
function pickInterface(meta: unknown): Readonly<Record<string, unknown>> | undefined {
  if (!isRecord(meta)) return undefined;
  const members = Object.entries(meta).filter(
    ([name]) => name === "ui" || name.startsWith("ui/") || name === "openai/outputTemplate",
  );
  return members.length === 0 ? undefined : Object.fromEntries(members);
}

/** JSON without spaces, members sorted by name. @throws {RangeError} For a value that is too deep. */
export function formatCanonical(value: unknown, depth = 0): string {
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  if (depth >= MAX_DEPTH) throw new RangeError(`it has more than ${MAX_DEPTH} levels`);
  if (Array.isArray(value)) return `[${value.map((item) => formatCanonical(item, depth + 1)).join(",")}]`;
  // Written piece by piece: in a new object, a member "__proto__" would be lost.
  const members = Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .sort(([left], [right]) => (left < right ? -1 : 1))
    .map(([name, member]) => `${JSON.stringify(name)}:${formatCanonical(member, depth + 1)}`);
  return `{${members.join(",")}}`;
}

/** SHA-256 of the canonical text of a definition, in hexadecimal. @throws {RangeError} For one that is too deep. */
export function hashDefinition(definition: ToolDefinition): string {
  return hashText(formatCanonical(pickDefinition(definition)));
}

/** SHA-256 in hexadecimal. */
export function hashText(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
