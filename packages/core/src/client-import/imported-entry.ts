/** What a server of a client's file becomes: members of the project file, which the application turns into a request. */

export type PullPolicy = "never" | "missing" | "always";

/** A server, as the project file writes it. */
export interface ImportedEntry {
  readonly run: string;
  readonly base_image?: string;
  readonly with?: string[];
  readonly args?: string[];
  readonly env?: Record<string, string>;
  /** Names of stored secrets by variables. */
  readonly secrets?: Record<string, string>;
  readonly transport?: "sse" | "streamable-http";
  readonly target_port?: number;
  readonly volumes?: string[];
  readonly tools?: string[];
  readonly pull?: PullPolicy;
  readonly user?: string;
  readonly memory?: string;
  readonly cpus?: number;
  readonly pids_limit?: number;
  readonly read_only?: true;
  readonly permission_profile?: "none";
  readonly remote_forward_headers?: Record<string, string>;
  readonly remote_forward_headers_secret?: Record<string, string>;
}

/** A secret that has to be stored before the server can start. */
export interface ImportedSecret {
  readonly name: string;
  /** The variable or header that had it. */
  readonly target: string;
}

/** The same with its value in the settings; no value where the client read it from its environment. */
export interface ReadSecret extends ImportedSecret {
  readonly value?: string;
}

/** A folder that instructions leave to the reader, such as `$(pwd)`; the entry is without it. */
export interface OpenVolume {
  /** As it stands there. */
  readonly shown: string;
  /** Path in the container. */
  readonly target: string;
  readonly isReadOnly: boolean;
}

export type ReadEntry =
  | {
      readonly entry: ImportedEntry;
      readonly secrets: readonly ReadSecret[];
      readonly openVolumes: readonly OpenVolume[];
      /** Sentences without a full stop: what was left out, and what the user has to check. */
      readonly notes: readonly string[];
    }
  /** Half a sentence: why it is omitted. */
  | { readonly reason: string };

/** What a client starts or connects to, before its variables and headers are split into plain and secret ones. */
export type Program =
  | {
      readonly kind: "package" | "image";
      readonly run: string;
      readonly args: readonly string[];
      readonly env: Readonly<Record<string, string>>;
      /** Variables that the client's own surroundings have. */
      readonly inherited: readonly string[];
      readonly limits: Pick<ImportedEntry, "volumes" | "pull" | "user" | "memory" | "cpus" | "pids_limit"> &
        Pick<ImportedEntry, "read_only" | "permission_profile" | "base_image" | "with" | "transport" | "target_port">;
      readonly openVolumes: readonly OpenVolume[];
      /** Sentences without a full stop. */
      readonly notes: readonly string[];
    }
  | {
      readonly kind: "remote";
      readonly address: string;
      readonly headers: Readonly<Record<string, string>>;
      readonly isSse: boolean;
      /** Tools that are switched off. */
      readonly offTools: readonly string[];
      readonly notes: readonly string[];
    }
  /** Half a sentence. */
  | { readonly kind: "none"; readonly reason: string };
