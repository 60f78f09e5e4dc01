/**
 * 1Password, read through its command `op` with a service account. Keys are secret references,
 * `op://<vault>/<item>/<field>`. Values come over a pipe; the token stays in the environment.
 */
import { execFile } from "node:child_process";
import { readSystemCode, ThvError } from "../support/errors.ts";
import type { SecretEntry, SecretProvider } from "./secret-provider.ts";

const TOKEN = "OP_SERVICE_ACCOUNT_TOKEN";
const TIMEOUT_MS = 30_000;
const MAX_OUTPUT_BYTES = 32 * 1024 * 1024;
/** Items asked for at a time. */
const CONCURRENCY = 4;
const SHOWN_REASON = 300;

export interface OnePasswordOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
}

interface Named {
  readonly id: string;
  readonly name: string;
}

export class OnePasswordSecrets implements SecretProvider {
  readonly #env: OnePasswordOptions["env"];

  constructor({ env }: OnePasswordOptions) {
    this.#env = env;
  }

  /** Every field of every item that the service account may see. */
  async list(): Promise<SecretEntry[]> {
    const vaults = parseNamed(await this.#readJson(["vault", "list"]), "name");
    const entries: SecretEntry[] = [];
    for (const vault of vaults) {
      const items = parseNamed(await this.#readJson(["item", "list", "--vault", vault.id]), "title");
      for (let start = 0; start < items.length; start += CONCURRENCY) {
        const batch = items.slice(start, start + CONCURRENCY);
        const fields = await Promise.all(batch.map((item) => this.#listFields(vault, item)));
        entries.push(...fields.flat());
      }
    }
    return entries.sort((left, right) => (left.key < right.key ? -1 : 1));
  }

  async find(key: string): Promise<string | undefined> {
    if (!/^op:\/\/[^/]+\/[^/]+\/.+$/.test(key)) {
      throw new ThvError("INVALID_ARGUMENT", `"${key}" is not a 1Password secret reference.`, {
        hint: "Write it as op://VAULT/ITEM/FIELD. See the stored secrets: thv secret list",
      });
    }
    try {
      return await this.#run(["read", "--no-newline", key]);
    } catch (error) {
      const isMissing =
        error instanceof ThvError &&
        /isn't an item|isn't a vault|could not find|not found|doesn't exist/i.test(error.message);
      if (isMissing) return undefined;
      throw error;
    }
  }

  /** Sends one request, so that set-up reports what is wrong. */
  async check(): Promise<void> {
    await this.#readJson(["vault", "list"]);
  }

  async #listFields(vault: Named, item: Named): Promise<SecretEntry[]> {
    const details = await this.#readJson(["item", "get", item.id, "--vault", vault.id]);
    const fields = typeof details === "object" && details !== null && "fields" in details ? details.fields : [];
    return parseNamed(fields, "label").map((field) => ({
      key: `op://${vault.id}/${item.id}/${field.id}`,
      description: `${vault.name} :: ${item.name} :: ${field.name}`,
    }));
  }

  async #readJson(args: readonly string[]): Promise<unknown> {
    const text = await this.#run([...args, "--format", "json"]);
    try {
      return JSON.parse(text);
    } catch {
      // Not quoted: an item's output holds its values.
      throw createOpError(`"op ${args.slice(0, 2).join(" ")}" did not answer with JSON`);
    }
  }

  async #run(args: readonly string[]): Promise<string> {
    const token = this.#env[TOKEN];
    if (!token) {
      throw new ThvError("SECRETS_FAILED", `failed to create provider: ${TOKEN} is not set`, {
        hint: `Set ${TOKEN} to the token of a 1Password service account in the supervisor's environment.`,
      });
    }
    const options = { env: { ...this.#env }, timeout: TIMEOUT_MS, maxBuffer: MAX_OUTPUT_BYTES, windowsHide: true };
    return await new Promise((resolve, reject) => {
      const child = execFile("op", [...args], options, (error, stdout, stderr) => {
        if (!error) resolve(stdout);
        else reject(describeOpFailure(error, stderr, token));
      });
      child.stdin?.end();
    });
  }
}

function describeOpFailure(error: Error & { killed?: boolean }, stderr: string, token: string): ThvError {
  if (readSystemCode(error) === "ENOENT") {
    return createOpError(
      "the 1Password command op is not installed",
      "Install the 1Password CLI and put op on the PATH.",
    );
  }
  if (error.killed) return createOpError(`op did not answer within ${TIMEOUT_MS / 1000} s`);
  const line = stderr.trim().split("\n")[0] ?? "";
  const reason = line.replace(/^\[ERROR\]\s*[\d/]*\s*[\d:]*\s*/, "").replaceAll(token, "…");
  return createOpError(`op failed: ${reason.slice(0, SHOWN_REASON) || "it gave no reason"}`);
}

function createOpError(message: string, hint?: string): ThvError {
  return new ThvError("SECRETS_FAILED", message, { hint });
}

/** Objects with an id and a name from the output of `op`; others are omitted. */
function parseNamed(value: unknown, nameMember: string): Named[] {
  if (!Array.isArray(value)) return [];
  return value.flatMap((thing: Record<string, unknown> | null) => {
    const id = thing?.id;
    const name = thing?.[nameMember];
    return typeof id === "string" ? [{ id, name: typeof name === "string" ? name : id }] : [];
  });
}
