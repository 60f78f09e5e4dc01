/**
 * The settings file: read afresh on every access, so that a change by another process is seen at once; changed under a
 * lock, by replacing the file. A file that cannot be understood is reported and never overwritten.
 */
import { join } from "node:path";
import { atomicWrite } from "../files/atomic-write.ts";
import { readTextIfPresent, UnsuitableFile } from "../files/bounded-file.ts";
import { CONFIG_FILE } from "../files/directories.ts";
import { withFileLock } from "../files/file-lock.ts";
import { describeError, ThvError } from "../support/errors.ts";
import { describeWhole, type LocatedProblem, listSentences } from "../support/located-problem.ts";
import type { Config } from "./config-schema.ts";
import { type ConfigReading, readConfig, writeConfig } from "./parse-config.ts";

/** Bytes; a real file has a few hundred. */
const MAX_CONFIG_BYTES = 1024 * 1024;

interface ConfigFileOptions {
  /** Receives each warning about unknown members of the file, once. */
  readonly onWarning?: (warning: string) => void;
}

export class ConfigFile {
  readonly path: string;
  readonly #onWarning: ConfigFileOptions["onWarning"];
  readonly #reported = new Set<string>();

  /** @param configDirectory The `toolhive` directory below the user's configuration directory. */
  constructor(configDirectory: string, { onWarning }: ConfigFileOptions = {}) {
    this.path = join(configDirectory, CONFIG_FILE);
    this.#onWarning = onWarning;
  }

  /** Reads the file and fills in the defaults, or returns its problems. Never throws. */
  async read(): Promise<ConfigReading> {
    try {
      return readConfig(await this.#readText(), this.path);
    } catch (error) {
      return { ok: false, problems: describeWhole(`the file cannot be read: ${describeError(error)}`) };
    }
  }

  /** @throws {ThvError} `CONFIG_INVALID` naming every problem, `STATE_TOO_NEW`. */
  async load(): Promise<Config> {
    const reading = await this.read();
    return this.#accept(reading);
  }

  /**
   * Writes the members that `change` makes different. Comments, order and unknown members of the file stay.
   *
   * @param change Receives the present configuration and returns the new one. Called at most once.
   * @throws {ThvError} `CONFIG_INVALID`, `CONFIG_LOCKED`, `STATE_TOO_NEW`, and whatever `change` throws; the file is then as it was.
   */
  async update(change: (config: Config) => Config | Promise<Config>): Promise<Config> {
    const onTimeout = (lock: string) =>
      new ThvError("CONFIG_LOCKED", `Another process is changing ${this.path}.`, {
        hint: `Try again. When no other thv runs, remove ${lock}`,
      });
    return await withFileLock(this.path, { onTimeout }, async () => {
      const text = await this.#readText();
      const config = this.#accept(readConfig(text, this.path));
      const written = writeConfig(text, config, await change(config));
      const check = readConfig(written, this.path);
      if (!check.ok) throw createConfigInvalidError(this.path, check.problems);
      if (written !== text) await atomicWrite(this.path, written);
      return check.config;
    });
  }

  #accept(reading: ConfigReading): Config {
    if (!reading.ok) throw reading.tooNew ?? createConfigInvalidError(this.path, reading.problems);
    for (const warning of reading.warnings) {
      if (!this.#reported.has(warning)) this.#onWarning?.(`${this.path}, ${warning}.`);
      this.#reported.add(warning);
    }
    return reading.config;
  }

  /** Empty when there is no file yet. */
  async #readText(): Promise<string> {
    try {
      return (await readTextIfPresent(this.path, { maxBytes: MAX_CONFIG_BYTES })) ?? "";
    } catch (error) {
      if (error instanceof UnsuitableFile) throw createConfigInvalidError(this.path, describeWhole(error.message));
      throw error;
    }
  }
}

function createConfigInvalidError(path: string, problems: readonly LocatedProblem[]): ThvError {
  const sentences = listSentences(problems).join("; ");
  return new ThvError("CONFIG_INVALID", `The settings in ${path} cannot be used: ${sentences}.`, {
    hint: `Correct ${path}. Nothing was changed.`,
    problems,
  });
}
