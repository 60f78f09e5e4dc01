/**
 * Prints that there is a newer version, when the settings name an address to ask: at most one request in four hours, whatever the
 * result. Otherwise it sends no request. Source: cli.md 0.4.
 */
import { randomUUID } from "node:crypto";
import { stat } from "node:fs/promises";
import { join } from "node:path";
import { atomicWrite, ConfigFile, hasCode, readAnswer, sendRequest, ThvError } from "@toolhive/core";
import { readBoundedText } from "@toolhive/core/bounded-file";
import { resolveDirectories } from "@toolhive/core/directories";
import { startTimeout } from "@toolhive/core/timeout-signal";
import { isSecureUrl } from "@toolhive/http";
import type { CommandContext } from "../command-line/command.ts";
import { findInstallation } from "./find-installation.ts";
import { isOlder } from "./older-version.ts";
import { describeUpdate } from "./update-command.ts";

const INTERVAL_MS = 4 * 60 * 60_000;
const STATE_FILE = "updates.json";
const TIMEOUT_MS = 3_000;
/** Bytes of the answer, of which a version is a small part. */
const MAX_ANSWER = 10_000;

interface UpdateState {
  /** Random, so that machines can be counted and not recognized. */
  readonly instance_id: string;
  readonly latest_version: string;
}

/** @returns The newest version of the last answer; `undefined` when no request was sent. */
export async function readLatestVersion(env: CommandContext["env"]): Promise<string | undefined> {
  const { latest_version } = await readState(join(resolveDirectories({ env }).data, STATE_FILE));
  return latest_version || undefined;
}

/** @param version Of this program. Never throws: the user called thv for something else. */
export async function checkForUpdate({ env, terminal, signal }: CommandContext, version: string): Promise<void> {
  try {
    const { config, data } = resolveDirectories({ env });
    const { update_check_url: address = "" } = await new ConfigFile(config).load();
    const file = join(data, STATE_FILE);
    if (address === "" || (await isRecent(file))) return;
    const before = await readState(file);
    // Written first: a server that does not answer is not asked again any sooner than one that does.
    await writeState(file, before);
    const latest = await askLatest(address, before.instance_id, version, signal);
    await writeState(file, { ...before, latest_version: latest });
    if (!isOlder(version, latest)) return;
    terminal.info(`A newer version of thv is available: ${latest}`);
    terminal.info(`This is ${version}. ${describeUpdate(await findInstallation(), { version: latest })}`);
  } catch (error) {
    // A mistake in the settings is worth a word; a network that is away is not.
    if (hasCode(error, "INVALID_ARGUMENT")) terminal.info(error.message);
  }
}

async function isRecent(file: string): Promise<boolean> {
  try {
    return Date.now() - (await stat(file)).mtimeMs < INTERVAL_MS;
  } catch {
    // Never asked before.
    return false;
  }
}

async function readState(file: string): Promise<UpdateState> {
  try {
    const text = await readBoundedText(file, { maxBytes: MAX_ANSWER });
    const { instance_id, latest_version } = JSON.parse(text) as Record<string, unknown>;
    if (typeof instance_id === "string" && isVersion(latest_version)) return { instance_id, latest_version };
  } catch {
    // Missing or damaged: the check starts again.
  }
  return { instance_id: randomUUID(), latest_version: "" };
}

async function writeState(file: string, state: UpdateState): Promise<void> {
  await atomicWrite(file, `${JSON.stringify(state, null, 2)}\n`);
}

async function askLatest(address: string, instanceId: string, version: string, signal: AbortSignal): Promise<string> {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (!url || !isSecureUrl(url)) {
    throw new ThvError("INVALID_ARGUMENT", `update_check_url in config.yaml must begin with https://.`);
  }
  const response = await sendRequest(url, {
    signal: AbortSignal.any([signal, startTimeout(TIMEOUT_MS)]),
    headers: {
      "X-Instance-ID": instanceId,
      "User-Agent": `toolhive/CLI ${version} release (${process.platform}/${process.arch})`,
    },
  });
  // An answer without an end is not waited for.
  const body = await readAnswer(response, MAX_ANSWER, () => new Error(`the answer is larger than ${MAX_ANSWER} bytes`));
  const answer = JSON.parse(String(body)) as { version?: unknown };
  if (response.statusCode !== 200 || !isVersion(answer.version) || answer.version === "")
    throw new Error("the answer holds no version");
  return answer.version;
}

/** Whether it is a version, or empty: nothing was answered yet. What it is goes to a terminal. */
function isVersion(value: unknown): value is string {
  return typeof value === "string" && /^(?:v?\d{1,9}\.\d{1,9}\.\d{1,9})?$/.test(value);
}
