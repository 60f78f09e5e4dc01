/** What a group says of itself: when a client initializes, and beside its lists. */
import { BRAND } from "@toolhive/core/brand";
import type { HiddenOffer } from "./catalog/catalog.ts";
import type { Backend } from "./members/backend.ts";

const CAPABILITIES = {
  tools: { listChanged: true },
  prompts: { listChanged: true },
  resources: { listChanged: true, subscribe: true },
  completions: {},
  logging: {},
};

export interface GroupDescription {
  readonly group: string;
  readonly protocolVersion: string;
  readonly backends: Iterable<Backend>;
  /** Characters of the instructions. */
  readonly maxInstructions: number;
}

/** @returns The result of `initialize`, as JSON. */
export function formatInitializeResult({ group, protocolVersion, ...servers }: GroupDescription): string {
  return JSON.stringify({
    protocolVersion,
    capabilities: CAPABILITIES,
    serverInfo: { name: `${BRAND.command} group ${group}`, version: "1" },
    instructions: formatInstructions(servers),
  });
}

function formatInstructions({
  backends,
  maxInstructions,
}: Pick<GroupDescription, "backends" | "maxInstructions">): string {
  const servers = [...backends].sort((left, right) => (left.name < right.name ? -1 : 1));
  const names = servers.map(({ name }) => name).join(", ");
  const parts = [
    `These are the tools of several servers: ${names || "none yet"}. A name that several of them have begins with the server's: server__name.`,
    ...servers.flatMap(({ name, definitions: { instructions } }) =>
      instructions === undefined ? [] : [`${name}: ${instructions}`],
    ),
  ];
  return parts.join("\n\n").slice(0, maxInstructions);
}

/**
 * Formats what a client could not know from a list alone: servers that do not answer, and names that were left out.
 *
 * @returns A member of a JSON object with a comma before it; empty when there is nothing.
 */
export function formatListMeta(backends: Iterable<Backend>, hidden: readonly HiddenOffer[]): string {
  const unavailable = [...backends].flatMap(({ name, state, problem }) =>
    state === "ready" ? [] : [{ server: name, state, reason: problem ?? "it has not told yet what it offers" }],
  );
  if (unavailable.length === 0 && hidden.length === 0) return "";
  return `,"_meta":${JSON.stringify({
    ...(unavailable.length > 0 && { [`${BRAND.metaPrefix}unavailable`]: unavailable }),
    ...(hidden.length > 0 && { [`${BRAND.metaPrefix}hidden`]: hidden }),
  })}`;
}
