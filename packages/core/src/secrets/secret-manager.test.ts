import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { ConfigFile } from "../config/config-file.ts";
import { catchFailure, SecretHome } from "../testing/secret-home.ts";
import { createSecretSettings, type SecretManager } from "./secret-manager.ts";

const VALUE = "tok-7f3a-plain";

let home: SecretHome;
let directory: string;
let settings: SecretHome["settings"];
beforeEach(async () => {
  home = await SecretHome.create();
  ({ directory, settings } = home);
});
afterEach(async () => {
  await home[Symbol.asyncDispose]();
});

const manager: SecretHome["openManager"] = (options) => home.openManager(options);

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
