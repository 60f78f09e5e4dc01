/** The findings of one check of `thv doctor`, and its inputs. */
import type { OpenKeyring } from "@toolhive/core";
import { ThvError } from "@toolhive/core/errors";
import type { CommandContext } from "../../command-line/command.ts";
import type { Program } from "../../installation/find-installation.ts";

export type CheckStatus = "ok" | "warn" | "fail";

export interface Finding {
  /** The check's name, the same in every run; scripts rely on it. */
  readonly check: string;
  readonly status: CheckStatus;
  readonly message: string;
  /** What to do about it; where possible a command. */
  readonly fix?: string;
}

/** The machine, so that a test can be on another one. */
export interface Machine {
  readonly context: CommandContext;
  readonly home: string;
  readonly platform: NodeJS.Platform;
  /** For example `v20.19.1`. */
  readonly nodeVersion: string;
  readonly version: string;
  /** What runs. */
  readonly program: Program;
  readonly workDirectory: string;
  /** Where `thv serve` listens when no flag names another port. */
  readonly apiPort: number;
  readonly openKeyring: OpenKeyring;
  /** Bytes that this user may still write where the folder is. */
  readonly freeBytes: (folder: string) => Promise<number>;
}

export type Check = (machine: Machine) => Promise<readonly Finding[]>;

/** What an error says, as a finding. */
export function describeFailure(check: string, error: unknown, status: CheckStatus = "fail"): Finding {
  if (!(error instanceof ThvError)) return { check, status, message: String(error) };
  return { check, status, message: error.message, ...(error.hint !== undefined && { fix: error.hint }) };
}
