import { chmod, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { OnePasswordSecrets } from "./onepassword-secrets.ts";

/** Answers as `op` 2 does, for one vault with one item, and writes its arguments down. */
const FAKE_OP = `#!/bin/sh
echo "$*" >> "$OP_LOG"
case "$*" in
  "vault list --format json") echo '[{"id":"v1","name":"Work"}]' ;;
  "item list --vault v1 --format json") echo '[{"id":"i1","title":"GitHub"}]' ;;
  "item get i1 --vault v1 --format json")
    echo '{"id":"i1","fields":[{"id":"password","label":"password","value":"hidden"},{"id":"f2","value":"x"}]}' ;;
  "read --no-newline op://v1/i1/password") printf 'line one
line two' ;;
  *broken*) echo "[ERROR] 2025/07/20 10:00:00 token $OP_SERVICE_ACCOUNT_TOKEN was refused" >&2; exit 1 ;;
  *) echo "[ERROR] 2025/07/20 10:00:00 \\"nothing\\" isn't an item in the vault" >&2; exit 1 ;;
esac
`;

let directory: string;
let env: Record<string, string>;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "fake-op-"));
  await writeFile(join(directory, "op"), FAKE_OP);
  await chmod(join(directory, "op"), 0o755);
  env = {
    PATH: `${directory}${delimiter}${process.env.PATH}`,
    OP_LOG: join(directory, "log"),
    OP_SERVICE_ACCOUNT_TOKEN: "ops-secret",
  };
});
afterEach(async () => {
  await rm(directory, { recursive: true });
});

test("lists every field with the titles of its vault and item", async () => {
  expect(await new OnePasswordSecrets({ env }).list()).toEqual([
    { key: "op://v1/i1/f2", description: "Work :: GitHub :: f2" },
    { key: "op://v1/i1/password", description: "Work :: GitHub :: password" },
  ]);
});

test("reads a value with every byte of it", async () => {
  expect(await new OnePasswordSecrets({ env }).find("op://v1/i1/password")).toBe("line one\nline two");
});

test("an item that is not there is absent, not a failure", async () => {
  expect(await new OnePasswordSecrets({ env }).find("op://v1/i1/nothing")).toBeUndefined();
});

test("a failure of op is reported without the token", async () => {
  const error = await new OnePasswordSecrets({ env }).find("op://v1/i1/broken").catch((reason: Error) => reason);

  expect(error).toMatchObject({ code: "SECRETS_FAILED", message: "op failed: token … was refused" });
});

test("a key that is no reference is refused before op is asked", async () => {
  const provider = new OnePasswordSecrets({ env });

  await expect(provider.find("--account=x")).rejects.toMatchObject({ code: "INVALID_ARGUMENT" });
  await expect(readFile(join(directory, "log"))).rejects.toMatchObject({ code: "ENOENT" });
});

test("without a token nothing is asked", async () => {
  const { OP_SERVICE_ACCOUNT_TOKEN: _token, ...without } = env;

  await expect(new OnePasswordSecrets({ env: without }).check()).rejects.toMatchObject({
    code: "SECRETS_FAILED",
    message: "failed to create provider: OP_SERVICE_ACCOUNT_TOKEN is not set",
  });
});

test("a missing op is reported as missing", async () => {
  const provider = new OnePasswordSecrets({ env: { ...env, PATH: join(directory, "nowhere") } });

  await expect(provider.check()).rejects.toMatchObject({ message: "the 1Password command op is not installed" });
});
