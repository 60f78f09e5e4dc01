/** Where a sign-in is kept, apart from the user's secrets, and what happens where nothing can keep it; and bearer tokens. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { OpenKeyring } from "../secrets/keyring.ts";
import { SecretManager, type SecretSettings } from "../secrets/secret-manager.ts";
import type { SecretProviderType } from "../secrets/secret-provider.ts";
import { BearerGrant } from "./bearer-grant.ts";
import type { Grant } from "./protocol/grant.ts";
import { GrantStore } from "./store/grant-store.ts";

const ISSUER = "https://login.example.com";
const GRANT: Grant = {
  version: 1,
  server: "https://calendar.example.com/mcp",
  kind: "authorization_code",
  endpoints: { issuer: ISSUER, token: `${ISSUER}/token`, clientAuthMethods: ["none"] },
  client: { id: "thv", isRegistered: true },
  scopes: ["read"],
  signedInAt: "2026-01-28T12:00:00.000Z",
  tokens: { access: "first", refresh: "second", obtainedAt: "2026-01-28T12:00:00.000Z", lastsSeconds: 3600 },
};
const quiet = () => undefined;
const NO_KEYRING: OpenKeyring = async () => ({ unavailable: "there is none" });

let home: string;
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), "grants-"));
});
afterEach(async () => {
  await rm(home, { recursive: true });
});

/** Keeps its password between processes. */
function createKeyring(): OpenKeyring {
  let kept: string | undefined;
  const set = async (password: string) => {
    kept = password;
  };
  return async () => ({ get: async () => kept, set, delete: async () => false });
}

function boot(openKeyring: OpenKeyring, provider: SecretProviderType | "" = "") {
  const warnings: string[] = [];
  let [providerType, isSetUp] = [provider as string, provider !== ""];
  const settings: SecretSettings = {
    read: async () => ({ providerType, isSetUp }),
    save: async (type) => {
      [providerType, isSetUp] = [type, true];
    },
  };
  const log = { error: quiet, info: quiet, debug: quiet, warn: (_fields: object, text: string) => warnings.push(text) };
  const cost = { log2N: 1, r: 1, p: 1 };
  const secrets = new SecretManager({ settings, dataDirectory: home, env: {}, log, openKeyring, cost });
  const store = new GrantStore({ reserved: secrets.reserved, lockDirectory: join(home, "grants"), log });
  return { secrets, store, warnings };
}

describe("a grant", () => {
  test.each(["", "none", "1password", "encrypted"] as const)(
    "is kept with a generated password where there is a keyring, with the provider %j",
    async (provider) => {
      const keyring = createKeyring();

      expect(await boot(keyring, provider).store.save("calendar", GRANT)).toBe("secrets");

      expect(await boot(keyring, provider).store.load("calendar")).toEqual({ grant: GRANT, keptIn: "secrets" });
    },
  );

  test("is no secret of the user's: not listed, read, changed or deleted", async () => {
    const { secrets, store } = boot(createKeyring(), "encrypted");
    await secrets.setUp({ type: "encrypted", password: "a good password" });
    await secrets.create("mine", "value");
    await store.save("calendar", GRANT);

    expect(await secrets.list()).toEqual([{ key: "mine" }]);
    for (const key of ["grant:calendar", "calendar", "reserved"]) {
      await expect(secrets.read(key)).rejects.toMatchObject({ code: "SECRET_NOT_FOUND" });
      await expect(secrets.delete(key)).rejects.toMatchObject({ code: "SECRET_NOT_FOUND" });
    }
    await secrets.create("grant:calendar", "the user's own");
    expect((await store.load("calendar"))?.grant).toEqual(GRANT);
  });

  test("stays when the password is changed, and when the user chooses a password after it was kept", async () => {
    const { secrets, store } = boot(createKeyring());
    await store.save("calendar", GRANT);

    await secrets.setUp({ type: "encrypted", password: "a good password" });
    await secrets.changePassword({ current: "a good password", wanted: "another good one" });

    const next = boot(NO_KEYRING, "encrypted");
    await expect(next.store.load("calendar")).rejects.toMatchObject({ code: "SECRETS_LOCKED" });
    await next.secrets.unlock("another good one");
    expect((await next.store.load("calendar"))?.grant).toEqual(GRANT);
  });

  test("is in memory where nothing keeps it, with one warning, and is kept once something does", async () => {
    const { secrets, store, warnings } = boot(NO_KEYRING, "encrypted");

    expect(await store.save("calendar", GRANT)).toBe("memory");
    expect(await store.save("calendar", GRANT)).toBe("memory");

    expect(warnings).toEqual([expect.stringContaining("thv secret setup")]);
    expect(await store.load("calendar")).toEqual({ grant: GRANT, keptIn: "memory" });
    await secrets.setUp({ type: "encrypted", password: "a good password" });
    expect(await store.save("calendar", GRANT)).toBe("secrets");
  });

  test("of no known form, or too large, is not kept or used", async () => {
    const { secrets, store, warnings } = boot(createKeyring());
    await secrets.reserved.set("grant:calendar", '{"version":9,"tokens":"first"}');

    expect(await store.load("calendar")).toBeUndefined();
    expect(await store.save("calendar", { ...GRANT, scopes: [..."a".repeat(70_000)] })).toBe("memory");

    expect(warnings).toHaveLength(2);
    expect(warnings.join("")).not.toContain("first");
  });

  test("that is removed is gone", async () => {
    const { store } = boot(createKeyring());
    await store.save("calendar", GRANT);
    await store.remove("calendar");

    expect(await store.load("calendar")).toBeUndefined();
  });
});

describe("a bearer token", () => {
  const signal = AbortSignal.timeout(60_000);
  const server = new URL("https://calendar.example.com/mcp");

  test("is sent as it is stored, and read again when the server does not take it", async () => {
    let token = "old\n";
    await using grant = new BearerGrant({ name: "calendar", server, read: async () => token });

    expect(await grant.authorize(signal)).toBe("Bearer old");
    token = "fresh-one";
    expect(await grant.onRefused({ status: 401, usedAuthorization: "Bearer old" }, signal)).toBe(true);
    expect(await grant.authorize(signal)).toBe("Bearer fresh-one");
    expect(await grant.onRefused({ status: 401, usedAuthorization: "Bearer fresh-one" }, signal)).toBe(false);

    expect(grant.describe()).toMatchObject({ state: "unauthenticated", kind: "bearer", isRenewable: false });
    await expect(grant.authorize(signal)).rejects.toMatchObject({ code: "UNAUTHENTICATED" });
    expect(JSON.stringify(grant.describe())).not.toContain("fresh-one");
  });

  test("that would be two headers is not sent", async () => {
    await using grant = new BearerGrant({ name: "calendar", server, read: async () => "a\r\nX-Other: b" });

    await expect(grant.authorize(signal)).rejects.toMatchObject({ code: "UNAUTHENTICATED" });
  });
});
