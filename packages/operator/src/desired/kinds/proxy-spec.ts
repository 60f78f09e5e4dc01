/** What the operator reads of a specification, whatever its kind. Each kind has a file beside this one; what builds objects does not ask for it. */
import type { GroupNaming } from "@toolhive/core";
import type { MCPServerSpec, RunnerConfig } from "../../contract/index.ts";

/** One key of a Secret or a ConfigMap that is a file of the proxy's pod. */
export interface ProxyFile {
  readonly kind: "Secret" | "ConfigMap";
  readonly name: string;
  readonly key: string;
  /** In `REMOTE_FOLDER`. */
  readonly file: string;
}

/** A member that gives more rights than a proxy or a server needs, and what these are. */
export interface Privilege {
  readonly member: string;
  readonly gives: string;
}

/** Members have their defaults: the API server fills them in, except in objects older than a member. */
export interface ProxySpec {
  readonly transport: NonNullable<MCPServerSpec["transport"]>;
  readonly isStdio: boolean;
  readonly port: number;
  readonly proxyReplicas: number;
  /** The member that says how many pods the proxy has. */
  readonly replicasMember: "spec.proxyReplicas" | "spec.replicas";
  /** Why the proxy's address does not answer: the specification asks for no pods. */
  readonly stop?: string | undefined;
  /** Characters of a name such that the longest name made from it has 63. */
  readonly maxNameLength: number;
  /** Service account of the proxy's pod. Absent: the operator makes one. */
  readonly account?: string | undefined;
  /** What clients speak at the proxy's address, the preferred one first. */
  readonly clientTransports: readonly ("streamable-http" | "sse")[];
  /** Whether session ids are sealed, because a request may reach another pod than the one before. */
  readonly hasReplicas: boolean;
  /** Whether a client stays with one of several pods of the proxy. */
  readonly isSticky: boolean;
  /** How a group names tools and prompts. Its runner reads that, its servers and its tools from a file that it follows. Absent: no group. */
  readonly groupNaming: GroupNaming | undefined;
  /** What a person does about a problem of the specification; the kind follows. */
  readonly remedy: "Correct" | "Add it to";
  /** @returns Mistakes that the API server's rules for new objects find, in objects older than these rules. */
  readonly listProblems: () => string[];
  readonly listPrivileges: () => Iterable<Privilege>;
  readonly listFiles: () => ProxyFile[];
  /** @returns Where the proxy sends calls. */
  readonly buildBackend: () => Pick<RunnerConfig, "attach" | "target" | "remote" | "group">;
}
