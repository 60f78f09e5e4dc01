/** What the transports of MCP leave to a server, and what a client gets on each way to one that chooses so. */
import data from "./choices.json" with { type: "json" };

export type LatitudeWay =
  | "direct"
  | "command"
  | "check"
  | "remote"
  | "proxy"
  | "runner"
  | "container"
  | "stdio"
  | "group";

export interface LatitudeDifference {
  readonly way: LatitudeWay;
  readonly result: string;
  readonly reason: string;
}

/** As `choices.schema.json` describes it. */
export interface LatitudeChoice {
  readonly id: string;
  readonly transport: "streamable-http" | "sse" | "stdio" | "without-sessions";
  readonly revision: string;
  readonly keyword: string;
  readonly section: string;
  readonly choice: string;
  readonly direct: string;
  /** From what the official client gets without us. */
  readonly differences: readonly LatitudeDifference[];
}

/** The ways to a server, by its transport; the first one has nothing of ours on it. */
export const LATITUDE_WAYS: Readonly<Record<LatitudeChoice["transport"], readonly LatitudeWay[]>> = {
  "streamable-http": ["direct", "command", "check", "remote", "proxy", "runner", "container", "group"],
  sse: ["direct", "command", "check", "remote", "proxy", "runner", "container", "group"],
  "without-sessions": ["direct", "check", "remote", "proxy", "runner", "container", "group"],
  stdio: ["direct", "stdio", "group"],
};

export const LATITUDE_CHOICES = data.choices as readonly LatitudeChoice[];
