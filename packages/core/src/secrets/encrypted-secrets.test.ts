import { readFile, rm, stat, symlink, writeFile } from "node:fs/promises";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { catchFailure, SecretHome, sealAsReference } from "../testing/secret-home.ts";

const VALUE = "tok-7f3a-plain";

let home: SecretHome;
let file: string;
let settings: SecretHome["settings"];
let logged: string[];
beforeEach(async () => {
  home = await SecretHome.create();
  ({ file, settings, logged } = home);
});
afterEach(async () => {
  await home[Symbol.asyncDispose]();
});

const manager: SecretHome["openManager"] = (options) => home.openManager(options);

function withByte(bytes: Buffer, index: number, value: number): Buffer {
  const changed = Buffer.from(bytes);
  changed[index] = value;
  return changed;
}

describe("the file of the encrypted secrets", () => {
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
    await writeFile(file, sealAsReference("pw pw pw", { a: VALUE }));
    settings.providerType = "encrypted";
    const env = { TOOLHIVE_SECRETS_PASSWORD: "pw pw pw" };

    expect(await manager({ env }).read("a")).toBe(VALUE);

    expect((await readFile(file)).subarray(0, 6).toString()).toBe("THVSEC");
    expect(await manager({ env }).read("a")).toBe(VALUE);
  });

  test("stays as it is under a wrong password", async () => {
    const before = sealAsReference("pw pw pw", { a: VALUE });
    await writeFile(file, before);
    settings.providerType = "encrypted";

    const error = await catchFailure(manager({ env: { TOOLHIVE_SECRETS_PASSWORD: "other" } }).read("a"));

    expect(error.code).toBe("SECRETS_LOCKED");
    expect(await readFile(file)).toEqual(before);
  });
});
