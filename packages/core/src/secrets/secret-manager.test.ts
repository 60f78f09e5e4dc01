import { createCipheriv, createHash, randomBytes } from "node:crypto";
import { mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { ConfigFile } from "../config/config-file.ts";
import type { ThvError } from "../support/errors.ts";
import type { Keyring } from "./keyring.ts";
import { createSecretSettings, SecretManager, type SecretSettings } from "./secret-manager.ts";

/** As cheap as scrypt gets; the real cost is checked on its own. */
const CHEAP = { log2N: 1, r: 1, p: 1 };
const VALUE = "tok-7f3a-plain";

class MemoryKeyring implements Keyring {
  password: string | undefined;
  get = async () => this.password;
  set = async (password: string) => {
    this.password = password;
  };
  delete = async () => {
    const had = this.password !== undefined;
    this.password = undefined;
    return had;
  };
}

class MemorySettings implements SecretSettings {
  providerType = "";
  read = async () => ({ providerType: this.providerType, isSetUp: this.providerType !== "" });
  save = async (type: string) => {
    this.providerType = type;
  };
}

let directory: string;
let file: string;
let settings: MemorySettings;
let logged: string[];
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "secrets-"));
  file = join(directory, "secrets_encrypted");
  settings = new MemorySettings();
  logged = [];
});
afterEach(async () => {
  await rm(directory, { recursive: true });
});

function manager({ keyring, env = {} }: { keyring?: Keyring; env?: Record<string, string> } = {}): SecretManager {
  const note = (fields: unknown, message: string) => logged.push(`${message} ${JSON.stringify(fields)}`);
  return new SecretManager({
    settings,
    dataDirectory: directory,
    env,
    log: { error: note, warn: note, info: note, debug: note },
    openKeyring: async () => keyring ?? { unavailable: "no keyring here" },
    cost: CHEAP,
  });
}

/** A file as the reference writes it (api-behaviour 7.2). */
function oldFormat(password: string, secrets: Record<string, string>): Buffer {
  const nonce = randomBytes(12);
  const cipher = createCipheriv("aes-256-gcm", createHash("sha256").update(password).digest(), nonce);
  const text = JSON.stringify({ secrets });
  return Buffer.concat([nonce, cipher.update(text, "utf8"), cipher.final(), cipher.getAuthTag()]);
}

function withByte(bytes: Buffer, index: number, value: number): Buffer {
  const changed = Buffer.from(bytes);
  changed[index] = value;
  return changed;
}

async function catchFailure(work: Promise<unknown>): Promise<ThvError> {
  return await work.then(
    () => Promise.reject(new Error("it succeeded")),
    (error: ThvError) => error,
  );
}

describe("before set-up", () => {
  test.each([
    ["list", (secrets: SecretManager) => secrets.list()],
    ["create", (secrets: SecretManager) => secrets.create("a", "b")],
    ["update", (secrets: SecretManager) => secrets.update("a", "b")],
    ["delete", (secrets: SecretManager) => secrets.delete("a")],
    ["read", (secrets: SecretManager) => secrets.read("a")],
    ["describe", (secrets: SecretManager) => secrets.describe()],
  ])("%s says that nothing is set up", async (_name, act) => {
    await expect(act(manager())).rejects.toMatchObject({ code: "SECRETS_NOT_SET_UP" });
  });

  test.each([
    ["", "Provider type cannot be empty"],
    ["vault", "Invalid secrets provider type: vault (valid types: encrypted, 1password, none)"],
    ["Encrypted", "Invalid secrets provider type: Encrypted (valid types: encrypted, 1password, none)"],
  ])("the provider type %j is refused", async (type, message) => {
    await expect(manager().setUp({ type })).rejects.toMatchObject({ code: "INVALID_ARGUMENT", message });
    expect(settings.providerType).toBe("");
  });

  test("the encrypted provider needs a password where there is no keyring", async () => {
    const error = await catchFailure(manager().setUp({ type: "encrypted" }));

    expect(error.code).toBe("SECRETS_NO_KEYRING");
    expect(error.message).toMatch(/^OS keyring is not available\./);
    expect(settings.providerType).toBe("");
  });
});

describe("the encrypted provider", () => {
  test("stores, lists, replaces, reads and deletes", async () => {
    const secrets = manager({ env: { TOOLHIVE_SECRETS_PASSWORD: "pw pw pw" } });
    await secrets.setUp({ type: "encrypted" });

    await secrets.create("b", "1");
    await secrets.create("a", "2");
    await secrets.update("a", "3");

    expect(await secrets.list()).toEqual([{ key: "a" }, { key: "b" }]);
    expect(await secrets.read("a")).toBe("3");
    await secrets.delete("a");
    expect(await secrets.list()).toEqual([{ key: "b" }]);
  });

  test("says what exists and what does not", async () => {
    const secrets = manager({ env: { TOOLHIVE_SECRETS_PASSWORD: "pw pw pw" } });
    await secrets.setUp({ type: "encrypted" });
    await secrets.create("a", VALUE);

    expect((await catchFailure(secrets.create("a", "other"))).code).toBe("SECRET_EXISTS");
    for (const name of ["bad name!", "a,target=B", "-rf", "a\nb", " "]) {
      expect(await catchFailure(secrets.create(name, VALUE))).toMatchObject({
        code: "INVALID_ARGUMENT",
        message: `The name of the secret is ${JSON.stringify(name)} but may have letters, digits and . _ - : @ / only.`,
      });
    }
    for (const name of ["registry-user-github_personal_access_token", "team/prod:token@1.2"]) {
      await secrets.create(name, VALUE);
      await secrets.delete(name);
    }
    expect((await catchFailure(secrets.update("none", "x"))).code).toBe("SECRET_NOT_FOUND");
    expect((await catchFailure(secrets.delete("none"))).code).toBe("SECRET_NOT_FOUND");
    expect((await catchFailure(secrets.read("none"))).code).toBe("SECRET_NOT_FOUND");
    expect(await secrets.read("a")).toBe(VALUE);
  });

  test("any key and value come back as they were, also after a new start", async () => {
    const env = { TOOLHIVE_SECRETS_PASSWORD: "pw pw pw" };
    await manager({ env }).setUp({ type: "encrypted" });
    const text = fc.string({ unit: "grapheme", minLength: 1, maxLength: 40 }).filter((value) => !value.includes("\0"));
    const key = fc.oneof(
      fc.stringMatching(/^[A-Za-z0-9_][A-Za-z0-9_.:@/-]{0,39}$/),
      fc.constantFrom("__proto__", "constructor", "a/b", "ключ"),
    );

    await fc.assert(
      fc.asyncProperty(key, text, async (name, value) => {
        const writing = manager({ env });
        await writing.create(name, value);
        expect(await manager({ env }).read(name)).toBe(value);
        await writing.delete(name);
      }),
      { numRuns: 60 },
    );
  });

  test("the file holds neither keys nor values, and belongs to its owner alone", async () => {
    const secrets = manager({ env: { TOOLHIVE_SECRETS_PASSWORD: "pw pw pw" } });
    await secrets.setUp({ type: "encrypted" });
    await secrets.create("github-token", VALUE);

    const bytes = await readFile(file);

    expect(bytes.includes("github-token")).toBe(false);
    expect(bytes.includes(VALUE)).toBe(false);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect(logged.join()).not.toContain(VALUE);
  });

  test("two processes that change it at once lose nothing", async () => {
    const env = { TOOLHIVE_SECRETS_PASSWORD: "pw pw pw" };
    const first = manager({ env });
    await first.setUp({ type: "encrypted" });
    const second = manager({ env });

    await Promise.all(
      Array.from({ length: 12 }, (_value, index) => (index % 2 ? first : second).create(`key-${index}`, "v")),
    );

    expect(await second.list()).toHaveLength(12);
  });

  test("a file of a newer format is refused before a password is tried, and stays as it is", async () => {
    const env = { TOOLHIVE_SECRETS_PASSWORD: "pw pw pw" };
    await manager({ env }).setUp({ type: "encrypted" });
    const newer = withByte(await readFile(file), "THVSEC\0".length, 2);
    await writeFile(file, newer);
    const refusal = {
      code: "STATE_TOO_NEW",
      message: `${file} was written by a newer thv: it is of version 2, and this thv reads up to 1.`,
    };

    expect(await catchFailure(manager({ env }).list())).toMatchObject(refusal);
    expect(await catchFailure(manager({ env }).create("a", "b"))).toMatchObject(refusal);
    expect(await catchFailure(manager({ env }).setUp({ type: "encrypted" }))).toMatchObject(refusal);
    expect(await readFile(file)).toEqual(newer);
  });

  test("every changed byte of the file is noticed", async () => {
    const env = { TOOLHIVE_SECRETS_PASSWORD: "pw pw pw" };
    await manager({ env }).setUp({ type: "encrypted" });
    await manager({ env }).create("a", "b");
    const bytes = await readFile(file);

    for (const index of bytes.keys()) {
      const changed = Buffer.from(bytes);
      changed[index] = (changed[index] ?? 0) ^ 1;
      await writeFile(file, changed);
      expect((await catchFailure(manager({ env }).read("a"))).code).toMatch(/^SECRETS_(LOCKED|FAILED)$/);
    }
  });

  test.skipIf(process.platform === "win32")("a file that is a link to an endless device is damaged", async () => {
    const env = { TOOLHIVE_SECRETS_PASSWORD: "pw pw pw" };
    await manager({ env }).setUp({ type: "encrypted" });
    await rm(file);
    await symlink("/dev/zero", file);

    await expect(manager({ env }).list()).rejects.toThrow("it is no regular file");
  });

  test.each<[string, (bytes: Buffer) => Buffer, string]>([
    ["has no bytes", () => Buffer.alloc(0), "it is empty"],
    ["ends in its header", (bytes) => bytes.subarray(0, 20), "it ends too early"],
    ["ends after its first bytes", (bytes) => bytes.subarray(0, 9), "it ends too early"],
    ["has a single byte", () => Buffer.from("x"), "it ends too early"],
    ["asks for 2^40 rounds", (bytes) => withByte(bytes, 8, 40), "it asks for more work than thv ever does"],
    ["asks for 1 GiB of memory", (bytes) => withByte(bytes, 8, 20), "it asks for more work than thv ever does"],
    ["asks for no rounds", (bytes) => withByte(bytes, 8, 0), "it asks for more work than thv ever does"],
  ])("a file that %s is damaged: no password opens it, and none writes to it", async (_how, damage, reason) => {
    const env = { TOOLHIVE_SECRETS_PASSWORD: "pw pw pw" };
    await manager({ env }).setUp({ type: "encrypted" });
    const damaged = damage(await readFile(file));
    await writeFile(file, damaged);
    const other = manager({ env: { TOOLHIVE_SECRETS_PASSWORD: "other" } });

    for (const work of [
      () => manager({ env }).list(),
      () => other.list(),
      () => other.create("a", "b"),
      () => other.setUp({ type: "encrypted", password: "other" }),
      () => other.changePassword({ current: "pw pw pw", wanted: "another password" }),
    ]) {
      const error = await catchFailure(work());
      expect(error).toMatchObject({ code: "SECRETS_FAILED", message: expect.stringContaining(reason) });
    }
    expect(await readFile(file)).toEqual(damaged);
  });

  test.each([
    ["", "value", "Both 'key' and 'value' are required"],
    ["key", "", "Both 'key' and 'value' are required"],
    ["k".repeat(1025), "value", "the key is longer than 1024 bytes"],
    ["a\0b", "value", "the key holds a NUL character"],
    ["key", "v".repeat(1024 * 1024 + 1), "the value is larger than 1 MiB"],
  ])("a key or value out of bounds is refused (%#)", async (key, value, message) => {
    const secrets = manager({ env: { TOOLHIVE_SECRETS_PASSWORD: "pw pw pw" } });
    await secrets.setUp({ type: "encrypted" });

    await expect(secrets.create(key, value)).rejects.toMatchObject({ code: "INVALID_ARGUMENT", message });
  });
});

describe("the reference's file", () => {
  test("is read, and is in the new format afterwards", async () => {
    await writeFile(file, oldFormat("pw pw pw", { a: VALUE }));
    settings.providerType = "encrypted";
    const env = { TOOLHIVE_SECRETS_PASSWORD: "pw pw pw" };

    expect(await manager({ env }).read("a")).toBe(VALUE);

    expect((await readFile(file)).subarray(0, 6).toString()).toBe("THVSEC");
    expect(await manager({ env }).read("a")).toBe(VALUE);
  });

  test("stays as it is under a wrong password", async () => {
    const before = oldFormat("pw pw pw", { a: VALUE });
    await writeFile(file, before);
    settings.providerType = "encrypted";

    const error = await catchFailure(manager({ env: { TOOLHIVE_SECRETS_PASSWORD: "other" } }).read("a"));

    expect(error.code).toBe("SECRETS_LOCKED");
    expect(await readFile(file)).toEqual(before);
  });
});

describe("the password", () => {
  test("is made up and kept in the keyring where there is one", async () => {
    const keyring = new MemoryKeyring();

    await manager({ keyring }).setUp({ type: "encrypted" });
    await manager({ keyring }).create("a", VALUE);

    expect(keyring.password).toMatch(/^[\w-]{43}$/);
    expect(await manager({ keyring }).read("a")).toBe(VALUE);
  });

  test.each<[string, Partial<Keyring>, string]>([
    [
      "refuses to be written",
      { set: () => Promise.reject(new Error("the collection is locked")) },
      "the collection is locked",
    ],
    ["forgets at once", { get: () => Promise.resolve(undefined) }, "it does not return the stored value"],
  ])("is not made up for a keyring that %s, and nothing is sealed with it", async (_how, fault, reason) => {
    const keyring = Object.assign(new MemoryKeyring(), fault);

    const error = await catchFailure(manager({ keyring }).setUp({ type: "encrypted" }));

    expect(error).toMatchObject({ code: "SECRETS_NO_KEYRING", message: expect.stringContaining(reason) });
    expect(await catchFailure(manager({ keyring }).list())).toMatchObject({ code: "SECRETS_NOT_SET_UP" });
    await manager({ env: { TOOLHIVE_SECRETS_PASSWORD: "a password of my own" } }).setUp({ type: "encrypted" });
  });

  test("in the keyring wins over the environment", async () => {
    const keyring = new MemoryKeyring();
    keyring.password = "kept in the keyring";

    await manager({ keyring, env: { TOOLHIVE_SECRETS_PASSWORD: "environment" } }).setUp({ type: "encrypted" });

    expect(await manager({ env: { TOOLHIVE_SECRETS_PASSWORD: "kept in the keyring" } }).list()).toEqual([]);
  });

  test("that is wrong is never kept", async () => {
    const keyring = new MemoryKeyring();
    await writeFile(file, oldFormat("right", { a: VALUE }));

    const error = await catchFailure(manager({ keyring }).setUp({ type: "encrypted", password: "wrong" }));

    expect(error.code).toBe("SECRETS_WRONG_PASSWORD");
    expect(keyring.password).toBeUndefined();
    expect(settings.providerType).toBe("");
    await manager({ keyring }).setUp({ type: "encrypted", password: "right" });
    expect(keyring.password).toBe("right");
  });

  test("from a person unlocks for as long as the process runs", async () => {
    await manager({ env: { TOOLHIVE_SECRETS_PASSWORD: "pw pw pw" } }).setUp({ type: "encrypted" });
    const secrets = manager();
    expect((await catchFailure(secrets.list())).code).toBe("SECRETS_LOCKED");

    expect((await catchFailure(secrets.unlock("wrong"))).code).toBe("SECRETS_WRONG_PASSWORD");
    expect((await catchFailure(secrets.list())).code).toBe("SECRETS_LOCKED");
    await secrets.unlock("pw pw pw");

    expect(await secrets.list()).toEqual([]);
    expect((await catchFailure(manager().list())).code).toBe("SECRETS_LOCKED");
  });

  test("of a set-up that differs from the known one is refused, and the file stays as it is", async () => {
    const secrets = manager({ env: { TOOLHIVE_SECRETS_PASSWORD: "first password" } });
    await secrets.setUp({ type: "encrypted" });
    await secrets.create("a", VALUE);
    const before = await readFile(file);

    const error = await catchFailure(secrets.setUp({ type: "encrypted", password: "frist password" }));

    expect(error).toMatchObject({
      code: "SECRETS_WRONG_PASSWORD",
      hint: expect.stringContaining("thv secret change-password"),
    });
    expect(await readFile(file)).toEqual(before);
    expect(await secrets.read("a")).toBe(VALUE);
  });

  test.each([
    ["no file", () => rm(file)],
    ["a wrong present one", () => Promise.resolve()],
  ])("is not changed with %s", async (condition, prepare) => {
    const secrets = manager({ env: { TOOLHIVE_SECRETS_PASSWORD: "first password" } });
    await secrets.setUp({ type: "encrypted" });
    await prepare();

    const error = await catchFailure(secrets.changePassword({ current: "wrong", wanted: "second password" }));

    expect(error.code).toBe(condition === "no file" ? "SECRETS_NOT_SET_UP" : "SECRETS_WRONG_PASSWORD");
    expect(await secrets.list()).toEqual([]);
  });

  test("is not changed to an empty one", async () => {
    const secrets = manager({ env: { TOOLHIVE_SECRETS_PASSWORD: "first password" } });
    await secrets.setUp({ type: "encrypted" });

    const error = await catchFailure(secrets.changePassword({ current: "first password", wanted: "" }));

    expect(error.code).toBe("INVALID_ARGUMENT");
    expect(await manager({ env: { TOOLHIVE_SECRETS_PASSWORD: "first password" } }).list()).toEqual([]);
  });

  test.each([
    ["a", 1],
    ["seven c", 7],
    // By code points: what looks like one character is not worth two.
    ["\u{1F40E}".repeat(7), 7],
  ])(
    "that is new and as short as %j is refused, wherever it comes from, and nothing is kept",
    async (short, length) => {
      const keyring = new MemoryKeyring();
      const refused = {
        code: "INVALID_ARGUMENT",
        message: expect.stringContaining(`has ${length === 1 ? "1 character" : `${length} characters`}`),
        hint: expect.stringContaining("at least 8 characters"),
      };
      const environment = manager({ env: { TOOLHIVE_SECRETS_PASSWORD: short } });

      expect(await catchFailure(manager({ keyring }).setUp({ type: "encrypted", password: short }))).toMatchObject(
        refused,
      );
      expect(await catchFailure(environment.setUp({ type: "encrypted" }))).toMatchObject(refused);
      expect([settings.providerType, keyring.password, await readdir(directory)]).toEqual(["", undefined, []]);
      // A provider that was set up and whose file is gone makes the file anew.
      settings.providerType = "encrypted";
      expect(await catchFailure(environment.create("a", VALUE))).toMatchObject(refused);
      expect(await readdir(directory)).not.toContain("secrets_encrypted");
    },
  );

  test("of 8 characters is long enough", async () => {
    await manager().setUp({ type: "encrypted", password: "\u{1F40E}".repeat(8) });

    expect(settings.providerType).toBe("encrypted");
  });

  test("is not changed to a short one", async () => {
    const secrets = manager({ env: { TOOLHIVE_SECRETS_PASSWORD: "first password" } });
    await secrets.setUp({ type: "encrypted" });

    const error = await catchFailure(secrets.changePassword({ current: "first password", wanted: "seven c" }));

    expect(error).toMatchObject({ code: "INVALID_ARGUMENT", message: expect.stringContaining("has 7 characters") });
    expect(await manager({ env: { TOOLHIVE_SECRETS_PASSWORD: "first password" } }).list()).toEqual([]);
  });

  test("of a store from before may be shorter: it opens, is stored to, and is the present one of a change", async () => {
    await writeFile(file, oldFormat("pw", { a: VALUE }));
    const secrets = manager({ env: { TOOLHIVE_SECRETS_PASSWORD: "pw" } });

    await secrets.setUp({ type: "encrypted" });
    await secrets.create("b", "2");
    await secrets.changePassword({ current: "pw", wanted: "long enough" });

    expect(await manager({ env: { TOOLHIVE_SECRETS_PASSWORD: "long enough" } }).read("a")).toBe(VALUE);
  });

  test("that a keyring made up can be changed by the keyring's word, and the keyring has the new one", async () => {
    const keyring = new MemoryKeyring();
    await manager({ keyring }).setUp({ type: "encrypted" });
    await manager({ keyring }).create("a", VALUE);

    await manager({ keyring }).changePassword({ current: undefined, wanted: "second password" });

    expect(keyring.password).toBe("second password");
    expect(await manager({ env: { TOOLHIVE_SECRETS_PASSWORD: "second password" } }).read("a")).toBe(VALUE);
  });

  test("is not taken from a keyring that has none", async () => {
    await manager({ env: { TOOLHIVE_SECRETS_PASSWORD: "first password" } }).setUp({ type: "encrypted" });

    const error = await catchFailure(manager().changePassword({ current: undefined, wanted: "second password" }));

    expect(error.code).toBe("SECRETS_LOCKED");
  });

  test("is changed with the present one, and then only the new one opens", async () => {
    const secrets = manager({ env: { TOOLHIVE_SECRETS_PASSWORD: "first password" } });
    await secrets.setUp({ type: "encrypted" });
    await secrets.create("a", VALUE);

    await secrets.changePassword({ current: "first password", wanted: "second password" });

    expect(await secrets.read("a")).toBe(VALUE);
    expect(await manager({ env: { TOOLHIVE_SECRETS_PASSWORD: "second password" } }).read("a")).toBe(VALUE);
    const old = await catchFailure(manager({ env: { TOOLHIVE_SECRETS_PASSWORD: "first password" } }).read("a"));
    expect(old.code).toBe("SECRETS_LOCKED");
  });

  test("is forgotten by a reset, and the secrets come back with it", async () => {
    const keyring = new MemoryKeyring();
    const secrets = manager({ keyring });
    await secrets.setUp({ type: "encrypted", password: "pw pw pw" });
    await secrets.create("a", VALUE);

    expect(await secrets.resetKeyring()).toBe(true);

    expect(keyring.password).toBeUndefined();
    expect((await catchFailure(secrets.read("a"))).code).toBe("SECRETS_LOCKED");
    await secrets.unlock("pw pw pw");
    expect(await secrets.read("a")).toBe(VALUE);
    expect(keyring.password).toBe("pw pw pw");
  });

  test("of a keyring that fails on writing still works until the process ends", async () => {
    const keyring = new MemoryKeyring();
    keyring.set = async () => {
      throw new Error("keyring is locked");
    };
    const secrets = manager({ keyring });

    await secrets.setUp({ type: "encrypted", password: "pw pw pw" });

    expect(await secrets.list()).toEqual([]);
    expect(logged.join()).toContain("keyring is locked");
  });
});

describe("providers without writing", () => {
  test("none lists nothing and refuses the rest", async () => {
    const secrets = manager();
    await secrets.setUp({ type: "none" });

    expect(await secrets.list()).toEqual([]);
    expect((await catchFailure(secrets.create("a", "b"))).code).toBe("SECRETS_READ_ONLY");
    expect((await catchFailure(secrets.delete("a"))).code).toBe("SECRETS_READ_ONLY");
    expect((await catchFailure(secrets.read("a"))).code).toBe("SECRETS_NOT_READABLE");
    expect((await secrets.describe()).capabilities).toMatchObject({ can_write: false, can_list: true });
  });

  test("1Password is read, and takes no new, changed or deleted value", async () => {
    settings.providerType = "1password";
    const secrets = manager();

    for (const attempt of [secrets.create("a", "b"), secrets.update("a", "b"), secrets.delete("a")]) {
      expect((await catchFailure(attempt)).code).toBe("SECRETS_READ_ONLY");
    }
    expect((await secrets.describe()).capabilities).toMatchObject({ can_read: true, can_write: false });
  });

  test("the environment chooses another provider once one is set up", async () => {
    const env = { TOOLHIVE_SECRETS_PROVIDER: "none" };
    expect((await catchFailure(manager({ env }).describe())).code).toBe("SECRETS_NOT_SET_UP");

    settings.providerType = "encrypted";

    expect((await manager({ env }).describe()).type).toBe("none");
  });

  test("a provider that does not exist in the settings is an error of the settings", async () => {
    settings.providerType = "vault";

    expect((await catchFailure(manager().describe())).code).toBe("SECRETS_FAILED");
  });
});

test("the settings file is where a set-up is kept", async () => {
  const config = new ConfigFile(directory);
  const kept = createSecretSettings(config);
  expect(await kept.read()).toEqual({ providerType: "", isSetUp: false });

  await kept.save("1password");

  expect(await kept.read()).toEqual({ providerType: "1password", isSetUp: true });
});

test("references of a workload are resolved by variable", async () => {
  const secrets = manager({ env: { TOOLHIVE_SECRETS_PASSWORD: "pw pw pw" } });
  await secrets.setUp({ type: "encrypted" });
  await secrets.create("token", VALUE);

  const values = await secrets.resolve([
    { name: "token", target: "API_TOKEN" },
    { name: "token", target: "OTHER" },
  ]);

  expect(values).toEqual({ API_TOKEN: VALUE, OTHER: VALUE });
});
