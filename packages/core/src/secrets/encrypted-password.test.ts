import { readdir, readFile, rm, writeFile } from "node:fs/promises";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { catchFailure, MemoryKeyring, SecretHome, sealAsReference } from "../testing/secret-home.ts";
import type { Keyring } from "./keyring.ts";

const VALUE = "tok-7f3a-plain";

let home: SecretHome;
let directory: string;
let file: string;
let settings: SecretHome["settings"];
let logged: string[];
beforeEach(async () => {
  home = await SecretHome.create();
  ({ directory, file, settings, logged } = home);
});
afterEach(async () => {
  await home[Symbol.asyncDispose]();
});

const manager: SecretHome["openManager"] = (options) => home.openManager(options);

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
    await writeFile(file, sealAsReference("right", { a: VALUE }));

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
      // A provider that was set up creates its file again when somebody has removed it.
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
    await writeFile(file, sealAsReference("pw", { a: VALUE }));
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
