/**
 * The one MCP endpoint of a group of servers as a port. The supervisor opens it once for each group and passes it the servers of
 * the group. It reaches them at their own endpoints, so that their rules apply here, too.
 */
import type { McpEndpointCounts, McpEndpointOptions } from "./mcp-endpoint.ts";

/** How the names of tools and prompts of several servers are kept apart; see the concept page on aggregation. */
export const GROUP_NAMINGS = ["auto", "always", "never"] as const;
export type GroupNaming = (typeof GROUP_NAMINGS)[number];

/** One server of a group. */
export interface GroupMember {
  /** Of its workload; unique in the group. */
  readonly name: string;
  /** Address of its own endpoint on this machine. */
  readonly url: string;
  /** Whether its server should answer now. */
  readonly isRunning: boolean;
  /** Why it should not, for people. */
  readonly reason?: string | undefined;
  /** Another text after each start of its server, which may have other tools by then. */
  readonly run: string;
}

/** A tool of a group. */
export interface GroupTool {
  /** The server that has it. Absent where none had it when it was chosen; then it belongs to any server that has the name. */
  readonly server?: string;
  /** The server's own name; without a server the one that clients see. */
  readonly name: string;
}

export interface GroupToolOverride extends GroupTool {
  /** What clients see in place of the tool's own. */
  readonly override: { readonly name?: string; readonly description?: string };
}

/** The tools that clients of a group see and may call, and under which names and descriptions. */
export interface GroupTools {
  /** Default: all. */
  readonly tools?: readonly GroupTool[];
  /** Default: none. */
  readonly overrides?: readonly GroupToolOverride[];
  /** Whether clients find tools instead of listing them. Default false. */
  readonly isFinding?: boolean | undefined;
}

/** What the tools of a group are called now, before they are given other names. */
export interface GroupToolNames {
  /** @param name As clients see it, or `server__tool`. */
  find(name: string): { readonly server: string; readonly name: string } | undefined;
  /** @param name The server's own. */
  findShown(server: string, name: string): string | undefined;
}

export interface GroupEndpointOptions
  extends Pick<McpEndpointOptions, "name" | "host" | "port" | "allowedHosts" | "allowedOrigins" | "access"> {
  /** Default: all, under their names. */
  readonly choice?: GroupTools | undefined;
  /** Default `auto`. */
  readonly naming?: GroupNaming | undefined;
  /** What servers offered when they were last seen, by their names, as `onKnown` reported it. */
  readonly known?: Readonly<Record<string, unknown>> | undefined;
  /** Called when a server offers something else than before. */
  readonly onKnown?: ((server: string, definitions: unknown) => void) | undefined;
  /** Called when a server becomes reachable, or is no longer. */
  readonly onChange?: (() => void) | undefined;
}

export interface GroupMemberStatus {
  readonly name: string;
  /** `starting`: it has not listed its offers yet. `stopped`: it does not run, as wanted. */
  readonly state: "ready" | "starting" | "unavailable" | "stopped";
  /** Why it is not ready, for people. */
  readonly reason?: string | undefined;
  /** Tools that clients see of it. Absent where it has no address in common with others: then they are not counted. */
  readonly tools?: number | undefined;
  /** Tools that it offers and that were not chosen; absent without any. */
  readonly hiddenTools?: number | undefined;
}

/** A tool of a group, and whether its clients see it. */
export interface GroupToolState extends GroupTool {
  readonly server: string;
  /** What clients see, or would see. */
  readonly shown: string;
  readonly isOffered: boolean;
  readonly description?: string | undefined;
}

/** Something whose name begins like that of what another server of the group offers. */
export interface ImitatedName {
  readonly server: string;
  readonly list: "tools" | "prompts";
  /** The server's own. */
  readonly name: string;
  /** The other server. */
  readonly readsLike: string;
}

export interface GroupEndpoint extends AsyncDisposable {
  readonly port: number;
  readonly counts: McpEndpointCounts;
  /** Sorted by name. */
  readonly members: readonly GroupMemberStatus[];
  readonly toolNames: GroupToolNames;
  /** Of the servers that clients see. */
  listTools(): readonly GroupToolState[];
  /** Sorted by server, tools first. */
  readonly imitated: readonly ImitatedName[];
  /** From now on these tools are offered, and no others. Sessions stay open, and their clients are notified. */
  chooseTools(choice: GroupTools): void;
  /** From now on tools and prompts are named by this rule. Sessions stay open, and their clients are notified. */
  chooseNaming(naming: GroupNaming): void;
  /** Replaces the servers of the group. Sessions stay open, and their clients are notified of lists that changed. */
  update(members: readonly GroupMember[]): void;
  close(): Promise<void>;
}

/** Opens the endpoint. @throws {ThvError} `PORT_IN_USE`. */
export type OpenGroupEndpoint = (options: GroupEndpointOptions) => Promise<GroupEndpoint>;
