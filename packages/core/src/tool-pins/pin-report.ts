/** The report about pinned tools: the recorded ones, the server's differences, and notes about both. */
import type { PinSettings } from "../access/tool-selection.ts";
import type { ToolDefinition } from "../ports/mcp-endpoint.ts";
import type { Pin } from "./pin.ts";

export type ToolDifferenceKind = "changed" | "new" | "removed";

/** How a server's present definition differs from the pinned one. */
export interface ToolDifference {
  readonly name: string;
  readonly kind: ToolDifferenceKind;
  /** Of what the server offers; absent for a tool that is removed, and for a definition that cannot be read. */
  readonly sha256?: string | undefined;
  /** What was pinned; absent where only its hash is kept. */
  readonly before?: ToolDefinition | undefined;
  /** What the server offers. */
  readonly after?: ToolDefinition | undefined;
  /** The server's own words (JSON), in the place of a definition that two readers could take for different ones. */
  readonly beforeText?: string | undefined;
  readonly afterText?: string | undefined;
}

export interface PinReport {
  readonly settings: PinSettings;
  /** When the first page was recorded, or something was accepted last; absent until there was a list. */
  readonly pinnedAt?: string | undefined;
  /** Those whose whole definitions are kept, sorted by name. */
  readonly tools: readonly { readonly name: string; readonly sha256: string }[];
  /** How many more tools are held to their hashes. */
  readonly hashedCount: number;
  /**
   * Names of tools that the server describes in another order of words since its last start; sorted. Clients see the recorded
   * definition.
   */
  readonly reordered: readonly string[];
  /** Sorted by name. */
  readonly differences: readonly ToolDifference[];
  /** Whether there is no room for other tools: they are held back, and calls of them are refused. */
  readonly isFull: boolean;
  /** Why the record is in memory alone; absent when it is on disk. */
  readonly unsavedReason?: string | undefined;
}

/** A difference as somebody has seen it: with the hash that it had then. */
export interface AcceptedTool {
  readonly name: string;
  readonly sha256?: string | undefined;
}

/** @param known `undefined` for a tool that is new, and for one of which only the hash is kept. */
export function describeDifference(
  name: string,
  { kind, known, offered }: { readonly kind: ToolDifferenceKind; readonly known?: Pin; readonly offered?: Pin },
): ToolDifference {
  return {
    name,
    kind,
    ...(offered && { sha256: offered.sha256 }),
    ...(known && (known.definition ? { before: known.definition } : { beforeText: known.text })),
    ...(offered && (offered.definition ? { after: offered.definition } : { afterText: offered.text })),
  };
}

export function compareToolNames(left: { readonly name: string }, right: { readonly name: string }): number {
  return left.name < right.name ? -1 : 1;
}

/** What to know about the pins, each a sentence; empty when they hold. */
export function listPinWarnings({ isFull, unsavedReason }: Pick<PinReport, "isFull" | "unsavedReason">): string[] {
  return [
    ...(unsavedReason === undefined
      ? []
      : [`The record of its tools is not saved, which is tried again each second: ${unsavedReason}`]),
    ...(isFull ? ["It has offered tools that cannot be recorded, because they are too many. They are held back."] : []),
  ];
}
