/** Run configurations on disk: atomic, private to the user, one file a workload. */
import { open, readdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { parseJson } from "@toolhive/http/values";
import { atomicWrite, syncDirectory, TEMPORARY_SUFFIX } from "../files/atomic-write.ts";
import { readBoundedText, readTextIfPresent } from "../files/bounded-file.ts";
import { createWriteError } from "../files/file-failure.ts";
import { makeDirectory } from "../files/make-directory.ts";
import { removeFile } from "../files/remove-file.ts";
import { assertKnownVersion, STATE_VERSION } from "../files/state-version.ts";
import { assertMatches } from "../schemas/schema-problems.ts";
import { describeError, hasCode, readSystemCode, ThvError } from "../support/errors.ts";
import { type RunConfig, RunConfigSchema } from "./run-config.ts";

const EXTENSION = ".json";
/** Of the files of remote servers, which an older program would take for damaged. */
const REMOTE_STATE_VERSION = 2;
/** A create request has 1 MiB at most, and the files that it names as much each; escapes and indents make more of it. */
const MAX_FILE_BYTES = 16 * 1024 * 1024;

export interface DamagedRunConfig {
  readonly name: string;
  readonly path: string;
  readonly code: "STATE_CORRUPT" | "STATE_TOO_NEW";
  readonly reason: string;
}

export interface LoadedRunConfigs {
  readonly configs: readonly RunConfig[];
  /** Files that cannot be understood; they stay as they are, for a person to read. */
  readonly damaged: readonly DamagedRunConfig[];
}

export class RunConfigStore {
  readonly #directory: string;
  readonly #previous: string;

  /** @param stateDirectory The `toolhive` directory below the user's state directory. */
  constructor(stateDirectory: string) {
    this.#directory = join(stateDirectory, "runconfigs");
    this.#previous = join(stateDirectory, "previous");
  }

  /** Reads every configuration and removes remains of an interrupted write. */
  async load(): Promise<LoadedRunConfigs> {
    await makeDirectory(this.#directory);
    const configs: RunConfig[] = [];
    const damaged: DamagedRunConfig[] = [];
    for (const file of (await readdir(this.#directory)).sort()) {
      const path = join(this.#directory, file);
      if (file.endsWith(TEMPORARY_SUFFIX)) await rm(path, { force: true });
      if (!file.endsWith(EXTENSION)) continue;
      const name = file.slice(0, -EXTENSION.length);
      try {
        configs.push(parseRunConfig(await readBoundedText(path, { maxBytes: MAX_FILE_BYTES }), { name, path }));
      } catch (error) {
        const code = hasCode(error, "STATE_TOO_NEW") ? "STATE_TOO_NEW" : "STATE_CORRUPT";
        damaged.push({ name, path, code, reason: describeError(error) });
      }
    }
    return { configs, damaged };
  }

  /**
   * One configuration, read and nothing else: for who does not own the directory.
   *
   * @throws {ThvError} `STATE_CORRUPT`, `STATE_TOO_NEW`.
   */
  async find(name: string): Promise<RunConfig | undefined> {
    const path = this.#formatPath(name);
    try {
      const text = await readTextIfPresent(path, { maxBytes: MAX_FILE_BYTES });
      return text === undefined ? undefined : parseRunConfig(text, { name, path });
    } catch (error) {
      if (hasCode(error, "STATE_TOO_NEW")) throw error;
      throw new ThvError("STATE_CORRUPT", `The configuration of "${name}" cannot be read: ${describeError(error)}`, {
        hint: `Fix ${path}, or remove the server: thv rm ${name}`,
        cause: error,
      });
    }
  }

  /** @throws {ThvError} `FILE_FAILED`. */
  async save(config: RunConfig): Promise<void> {
    const path = this.#formatPath(config.name);
    const text = formatFile(describeFile(config));
    try {
      await atomicWrite(path, text);
    } catch (error) {
      // A file of 0.1.0 says no version.
      const isSaved =
        isFull(error) && ((await overwriteState(path, text)) || (await overwriteState(path, formatFile(config))));
      if (!isSaved) throw error;
    }
  }

  /** The file with the settings before the last change, which goes together with the configuration. */
  placePrevious(name: string): string {
    return join(this.#previous, `${name}${EXTENSION}`);
  }

  /** @param text The settings before the last change, as a file. @throws {ThvError} `FILE_FAILED`. */
  async savePrevious(name: string, text: string): Promise<void> {
    await atomicWrite(this.placePrevious(name), text);
  }

  /** @returns What `savePrevious` has saved. @throws {Error} When there is none, or it cannot be read. */
  async readPrevious(name: string): Promise<string> {
    return await readBoundedText(this.placePrevious(name), { maxBytes: MAX_FILE_BYTES });
  }

  /** Deleting what is not there succeeds. @throws {ThvError} `FILE_FAILED`. */
  async delete(name: string): Promise<void> {
    await removeFile(this.placePrevious(name));
    await removeFile(this.#formatPath(name));
    await syncDirectory(this.#directory).catch((error: unknown) => {
      throw createWriteError(error, this.#directory, "removed");
    });
  }

  #formatPath(name: string): string {
    return join(this.#directory, `${name}${EXTENSION}`);
  }
}

function formatFile(content: object): string {
  return `${JSON.stringify(content, null, 2)}\n`;
}

function isFull(error: unknown): boolean {
  return error instanceof ThvError && ["ENOSPC", "EDQUOT"].includes(readSystemCode(error.cause) ?? "");
}

/**
 * On a full disk there is no room for a second file. Desired states are of one length, so that a workload can be stopped and
 * started nevertheless: the new state overwrites the old one in place, which needs no room.
 *
 * @returns Whether it was written; false when more than the state differs.
 */
async function overwriteState(path: string, text: string): Promise<boolean> {
  const before = await readFile(path, "utf8").catch(() => "");
  const state = /"desired_state": "\w+"/;
  const [old, next] = [state.exec(before), state.exec(text)];
  if (!old || !next || old[0].length !== next[0].length) return false;
  if (before.replace(state, next[0]) !== text) return false;
  const file = await open(path, "r+");
  try {
    await file.write(next[0], Buffer.byteLength(before.slice(0, old.index)));
    await file.sync();
  } finally {
    await file.close();
  }
  return true;
}

/** @throws {ThvError} `STATE_TOO_NEW`, and an `Error` with the problem. */
function parseRunConfig(text: string, { name, path }: { name: string; path: string }): RunConfig {
  const value = parseJson(text);
  if (value === undefined) throw new Error("it is not JSON");
  assertKnownVersion(value, path, isRemote(value) ? REMOTE_STATE_VERSION : STATE_VERSION);
  const whole = addImage(value);
  assertMatches(RunConfigSchema, whole);
  const { state_version: _, ...config } = whole as RunConfig & { readonly state_version?: number };
  if (config.image === "" && config.remote_url === undefined) throw new Error("image is empty but must not be");
  if (config.name !== name) throw new Error(`the file is for "${name}" but names "${config.name}"`);
  return config;
}

/** A remote server has no image. */
function addImage(value: unknown): unknown {
  return isRemote(value) && !("image" in value) ? { ...value, image: "" } : value;
}

function isRemote(value: unknown): value is object {
  return typeof value === "object" && value !== null && "remote_url" in value;
}

/** A file of a remote server has a version of its own, because older programs need an image. */
function describeFile(config: RunConfig): object {
  if (config.remote_url === undefined) return { state_version: STATE_VERSION, ...config };
  const { image: _, ...remote } = config;
  return { state_version: REMOTE_STATE_VERSION, ...remote };
}
