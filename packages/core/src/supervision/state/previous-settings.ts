/**
 * The settings that a workload had before its last change, for an undo: one file a workload, in `<state>/toolhive/previous`. Values
 * that look secret, and that the workload's own file does not have any more, are only kept in memory.
 */
import { isDeepStrictEqual } from "node:util";
import { isRecord, parseJson } from "@toolhive/http/values";
import { listProblems } from "../../schemas/schema-problems.ts";
import { findSecretArgument, hasSecretAddress, isSecretLike } from "../../secrets/secret-like.ts";
import { type RunConfig, RunConfigSchema } from "../../workload/run-config.ts";
import type { RunConfigStore } from "../../workload/run-config-store.ts";

export interface PreviousSettings {
  readonly config: RunConfig;
  /** Port after the change: one that was chosen since then stays. */
  readonly portAfter: number;
  readonly changedAt: Date;
  /** Settings whose values were not kept on disk, as a project file calls them. */
  readonly omitted: readonly string[];
}

export class PreviousSettingsStore {
  readonly #runConfigs: RunConfigStore;
  /** Whole, by the name of the workload. */
  readonly #kept = new Map<string, PreviousSettings>();

  /** @param runConfigs Removes the file together with the workload's own. */
  constructor(runConfigs: RunConfigStore) {
    this.#runConfigs = runConfigs;
  }

  /** @throws {ThvError} `FILE_FAILED`; the memory has it nevertheless. */
  async save(before: RunConfig, after: RunConfig): Promise<void> {
    const previous = { config: before, portAfter: after.port, changedAt: new Date(), omitted: [] };
    this.#kept.set(before.name, previous);
    const { config, omitted } = omitValues(before, after);
    const content = { changed_at: previous.changedAt.toISOString(), port_after: after.port, omitted, config };
    await this.#runConfigs.savePrevious(before.name, `${JSON.stringify(content, null, 2)}\n`);
  }

  /**
   * @param present Of the workload now: what is kept of an earlier one of the same name does not count.
   * @returns `undefined` where nothing was changed, or where the file cannot be understood.
   */
  async find({ name, created_at: createdAt }: RunConfig): Promise<PreviousSettings | undefined> {
    const found = this.#kept.get(name) ?? (await this.#read(name));
    return found?.config.created_at === createdAt ? found : undefined;
  }

  /** Forgets those of workloads that there are not any more. */
  retain(isThere: (name: string) => boolean): void {
    for (const name of [...this.#kept.keys()]) if (!isThere(name)) this.#kept.delete(name);
  }

  async #read(name: string): Promise<PreviousSettings | undefined> {
    try {
      return parsePrevious(await this.#runConfigs.readPrevious(name));
    } catch {
      // An undo is a help: without its file there is none.
      return undefined;
    }
  }
}

function parsePrevious(text: string): PreviousSettings | undefined {
  const value = parseJson(text);
  if (!isRecord(value) || listProblems(RunConfigSchema, value.config).length > 0) return undefined;
  const { changed_at: changed, port_after: portAfter, omitted } = value;
  const changedAt = new Date(typeof changed === "string" ? changed : "");
  if (Number.isNaN(changedAt.getTime()) || typeof portAfter !== "number" || !isTextList(omitted)) return undefined;
  return { config: value.config as RunConfig, portAfter, changedAt, omitted };
}

function isTextList(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((item) => typeof item === "string");
}

/** Whether the value of a member looks secret, of those that may hold a secret beside variables and headers. */
const LOOKS_SECRET = {
  cmd_args: ({ cmd_args: args }) => findSecretArgument(args) !== undefined,
  remote_url: ({ remote_url: address = "" }) => hasSecretAddress(address),
  telemetry_config: ({ telemetry_config: telemetry }) => Object.keys(telemetry?.Headers ?? {}).length > 0,
} as const satisfies Record<string, (config: RunConfig) => boolean>;
const MEMBERS = Object.keys(LOOKS_SECRET) as (keyof typeof LOOKS_SECRET)[];

/** @returns The settings without values that look secret and that the file of the workload does not have any more. */
function omitValues(before: RunConfig, after: RunConfig): { readonly config: RunConfig; readonly omitted: string[] } {
  const { header_forward: headers } = before;
  const variables = split(before.env_vars, after.env_vars);
  const plain = split(headers?.add_plaintext_headers ?? {}, after.header_forward?.add_plaintext_headers ?? {});
  const others = MEMBERS.filter(
    (member) => LOOKS_SECRET[member](before) && !isDeepStrictEqual(before[member], after[member]),
  );
  const { remote_url: address, telemetry_config: telemetry, ...rest } = before;
  const config: RunConfig = {
    ...rest,
    ...(!others.includes("remote_url") && address !== undefined && { remote_url: address }),
    ...(!others.includes("telemetry_config") && telemetry && { telemetry_config: telemetry }),
    env_vars: variables.kept,
    cmd_args: others.includes("cmd_args") ? [] : before.cmd_args,
    ...(headers && { header_forward: { ...headers, add_plaintext_headers: plain.kept } }),
  };
  const omitted = [
    ...variables.omitted.map((name) => `env.${name}`),
    ...plain.omitted.map((name) => `remote_forward_headers.${name}`),
    ...others.map((member) => NAMES[member]),
  ];
  return { config, omitted };
}

/** What people call these members. */
const NAMES = { cmd_args: "args", remote_url: "run", telemetry_config: "telemetry" } as const;

function split(before: Readonly<Record<string, string>>, after: Readonly<Record<string, string>>) {
  const isKept = ([name, value]: readonly [string, string]) => after[name] === value || !isSecretLike(name, value);
  const entries = Object.entries(before);
  return {
    kept: Object.fromEntries(entries.filter(isKept)),
    omitted: entries.filter((entry) => !isKept(entry)).map(([name]) => name),
  };
}
