/**
 * How a user signs in at an image registry: what `docker login`, `podman login` and their credential helpers have stored.
 * https://docs.docker.com/reference/cli/docker/login/, https://github.com/docker/docker-credential-helpers
 */
import { execFile } from "node:child_process";
import { homedir } from "node:os";
import { join } from "node:path";
import { isRecord, parseJson, toRecord } from "@toolhive/http/values";
import { describeReadFailure, readBoundedText } from "../files/bounded-file.ts";
import { resolveHome } from "../files/directories.ts";
import { readSystemCode } from "../support/errors.ts";
import { RegistryFailure } from "./registry-failure.ts";

export type RegistryCredentials =
  | { readonly kind: "password"; readonly username: string; readonly password: string }
  /** Exchanged for tokens of the registry. */
  | { readonly kind: "refresh"; readonly token: string }
  /** Sent as it is. */
  | { readonly kind: "bearer"; readonly token: string };

type Environment = Readonly<Record<string, string | undefined>>;

const HELPER_TIMEOUT_MS = 30_000;
const MAX_HELPER_BYTES = 64 * 1024;
/** Part of a program's name, and of nothing else. */
const HELPER_NAME = /^[a-zA-Z0-9][a-zA-Z0-9_.-]{0,63}$/;
/** What Docker calls its own registry in its files and to its helpers. */
const DOCKER_HUB_KEY = "https://index.docker.io/v1/";
/** A helper gives this name with a token in the place of a password. */
const TOKEN_USER = "<token>";

/**
 * Docker's file is read first, then Podman's.
 *
 * @param registry Host with its port, or `docker.io`.
 * @returns `undefined` for a registry where the user has not signed in.
 * @throws {RegistryFailure} When a file or a helper that knows it cannot be used. Nothing secret is in the message.
 */
export async function findRegistryCredentials(
  registry: string,
  env: Environment = process.env,
): Promise<RegistryCredentials | undefined> {
  const keys = registry === "docker.io" ? [DOCKER_HUB_KEY, "docker.io", "index.docker.io"] : [registry];
  for (const path of listFiles(env)) {
    const found = await findInFile(path, keys, env);
    if (found) return found;
  }
  return undefined;
}

function listFiles(env: Environment): string[] {
  const home = resolveHome(env) || homedir();
  return [
    join(env.DOCKER_CONFIG || join(home, ".docker"), "config.json"),
    ...(env.REGISTRY_AUTH_FILE ? [env.REGISTRY_AUTH_FILE] : []),
    ...(env.XDG_RUNTIME_DIR ? [join(env.XDG_RUNTIME_DIR, "containers", "auth.json")] : []),
    join(env.XDG_CONFIG_HOME || join(home, ".config"), "containers", "auth.json"),
  ];
}

async function findInFile(
  path: string,
  keys: readonly string[],
  env: Environment,
): Promise<RegistryCredentials | undefined> {
  let text: string;
  try {
    text = await readBoundedText(path);
  } catch (error) {
    const code = readSystemCode(error);
    if (code === "ENOENT" || code === "ENOTDIR") return undefined;
    throw new RegistryFailure("refused", `${path} cannot be used: ${describeReadFailure(error)}`, { cause: error });
  }
  const settings = parseJson(text);
  if (!isRecord(settings)) throw new RegistryFailure("refused", `${path} cannot be used: it is no JSON object`);
  const helpers = toRecord(settings.credHelpers);
  for (const key of keys) {
    const helper = Object.hasOwn(helpers, key) ? helpers[key] : settings.credsStore;
    const helped = typeof helper === "string" && helper !== "" ? await askHelper(helper, key, env) : undefined;
    if (helped) return helped;
  }
  return readStored(toRecord(settings.auths), keys);
}

/** A key may be written as an address, too. */
function readStored(
  auths: Readonly<Record<string, unknown>>,
  keys: readonly string[],
): RegistryCredentials | undefined {
  for (const [name, value] of Object.entries(auths)) {
    const host = name.replace(/^https?:\/\//, "").split("/")[0];
    if (!isRecord(value) || !keys.some((key) => key === name || key === host)) continue;
    const { identitytoken: refresh, registrytoken: bearer, auth, username, password } = value;
    if (typeof refresh === "string" && refresh !== "") return { kind: "refresh", token: refresh };
    if (typeof bearer === "string" && bearer !== "") return { kind: "bearer", token: bearer };
    if (typeof auth === "string" && auth !== "") {
      const text = Buffer.from(auth, "base64").toString("utf8").replaceAll("\0", "");
      const at = text.indexOf(":");
      if (at > 0) return { kind: "password", username: text.slice(0, at), password: text.slice(at + 1) };
    }
    if (typeof username === "string" && username !== "" && typeof password === "string")
      return { kind: "password", username, password };
  }
  return undefined;
}

/** @returns `undefined` when the helper has nothing for the registry. */
async function askHelper(helper: string, key: string, env: Environment): Promise<RegistryCredentials | undefined> {
  if (!HELPER_NAME.test(helper))
    throw new RegistryFailure("refused", `"${helper.slice(0, 80)}" cannot be the name of a credential helper`);
  const program = `docker-credential-${helper}`;
  const options = { env: { ...env }, timeout: HELPER_TIMEOUT_MS, maxBuffer: MAX_HELPER_BYTES, windowsHide: true };
  const { error, stdout } = await new Promise<{ error: Error | null; stdout: string }>((resolve) => {
    const child = execFile(program, ["get"], options, (failure, output) => resolve({ error: failure, stdout: output }));
    // A helper that ends before it has read reports that by its exit code.
    child.stdin?.on("error", () => undefined);
    child.stdin?.end(key);
  });
  if (error !== null && /credentials not found/i.test(stdout)) return undefined;
  if (error !== null) {
    const reason = readSystemCode(error) === "ENOENT" ? "is not installed" : "failed";
    // Its output may hold what it was asked for.
    throw new RegistryFailure("refused", `the credential helper ${program} ${reason}`);
  }
  const answer = parseJson(stdout);
  const { Username: username, Secret: secret } = toRecord(answer);
  if (typeof username !== "string" || typeof secret !== "string" || secret === "") return undefined;
  return username === TOKEN_USER
    ? { kind: "refresh", token: secret }
    : { kind: "password", username, password: secret };
}
