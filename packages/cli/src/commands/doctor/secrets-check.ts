/** Whether secrets can be read when a server needs them: by the supervisor, where one runs. */
import { stat } from "node:fs/promises";
import { join } from "node:path";
import { ApiClient } from "@toolhive/api/client";
import { ConfigFile, createSecretSettings, hasCode, SecretManager } from "@toolhive/core";
import { startTimeout } from "@toolhive/core/timeout-signal";
import { followSocket, type SupervisorFiles, supervisorFiles } from "../../supervisor/supervisor-files.ts";
import { type Check, describeFailure, type Finding, type Machine } from "./check.ts";

/** Milliseconds that the supervisor has for its answer: a password takes a good part of a second. */
const ANSWER_TIMEOUT_MS = 10_000;
const SETUP = "Set them up: thv secret setup";

export const checkSecrets: Check = async (machine) => {
  const { env } = machine.context;
  const files = supervisorFiles(env);
  const { directories } = files;
  const quiet = () => undefined;
  const secrets = new SecretManager({
    settings: createSecretSettings(new ConfigFile(directories.config)),
    dataDirectory: directories.data,
    env,
    log: { error: quiet, warn: quiet, info: quiet, debug: quiet },
    openKeyring: machine.openKeyring,
  });
  try {
    const { type } = await secrets.describe();
    if (type !== "encrypted") {
      const message = type === "none" ? "the provider is none: there are no secrets" : `the provider is ${type}`;
      return [{ check: "secrets", status: "ok", message }];
    }
    return [...(await checkKeyring(machine)), ...(await checkStore(secrets, files, machine))];
  } catch (error) {
    if (hasCode(error, "SECRETS_NOT_SET_UP")) {
      return [{ check: "secrets", status: "warn", message: "no provider is set up", fix: SETUP }];
    }
    // Its own check reports a settings file that cannot be used.
    if (hasCode(error, "CONFIG_INVALID", "STATE_TOO_NEW")) return [];
    return [describeFailure("secrets", error)];
  }
};

async function checkKeyring({ openKeyring, platform, context: { env } }: Machine): Promise<Finding[]> {
  const keyring = await openKeyring();
  if (!("unavailable" in keyring)) return [{ check: "keyring", status: "ok", message: "the system's keyring answers" }];
  const message = `there is no keyring to keep the password of the secrets in (${keyring.unavailable})`;
  const isGiven = Boolean(env.TOOLHIVE_SECRETS_PASSWORD);
  if (isGiven) return [{ check: "keyring", status: "ok", message: "none; TOOLHIVE_SECRETS_PASSWORD is used instead" }];
  const isLinux = platform === "linux";
  const fix = `${isLinux ? "Start a Secret Service (GNOME Keyring, KWallet), or set" : "Set"} TOOLHIVE_SECRETS_PASSWORD`;
  return [{ check: "keyring", status: "warn", message, fix }];
}

/** A person may have given the password to the supervisor, which keeps it as long as it runs. */
async function countSecrets(secrets: SecretManager, files: SupervisorFiles): Promise<number> {
  try {
    return (await new ApiClient(followSocket(files)).call("listSecrets", { signal: startTimeout(ANSWER_TIMEOUT_MS) }))
      .keys.length;
  } catch (error) {
    if (hasCode(error, "SUPERVISOR_UNREACHABLE")) return (await secrets.list()).length;
    throw error;
  }
}

async function checkStore(secrets: SecretManager, files: SupervisorFiles, { platform }: Machine): Promise<Finding[]> {
  const findings: Finding[] = [];
  try {
    const length = await countSecrets(secrets, files);
    const message = `${length} ${length === 1 ? "secret" : "secrets"}, which can be read`;
    findings.push({ check: "secrets", status: "ok", message });
  } catch (error) {
    // Locked is no fault: a command asks for the password.
    const isLocked = hasCode(error, "SECRETS_LOCKED");
    findings.push(describeFailure("secrets", error, isLocked ? "warn" : "fail"));
  }
  const path = join(files.directories.data, "secrets_encrypted");
  const mode = await stat(path).then(
    (found) => found.mode,
    () => 0,
  );
  if (platform !== "win32" && (mode & 0o077) !== 0) {
    const message = `other users may read ${path}`;
    findings.push({ check: "secrets file", status: "fail", message, fix: `Close it: chmod 600 ${path}` });
  }
  return findings;
}
