/** Sign-ins at a real authorization server, as a supervisor has them: from the first one to the last renewal. */
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import type { TokenMishap } from "../testing/authorization/index.ts";
import {
  call,
  Machine,
  NAME,
  PASSWORD,
  patience,
  SIGN_IN,
  signIn,
  signInAgain,
  until,
} from "../testing/authorization/sign-in-machine.ts";
import { SYSTEM_CLOCKS } from "./token-life.ts";

const TABLE = [
  ["authorization_code", "plain", { tokenSeconds: 3 }],
  ["authorization_code", "strict", { isStrict: true, tokenSeconds: 3 }],
  ["device_code", "strict", { isStrict: true, tokenSeconds: 3 }],
] as const;

describe.concurrent.each(TABLE)("a sign-in by %s at a %s authorization server", (kind, setUp, choices) => {
  const isStrict = setUp === "strict";

  test("is asked for by the server, and done once", async () => {
    await using machine = await Machine.start();
    const { issuer, server } = await machine.startWorld(choices);
    const { signIns, warnings } = machine.boot();
    const grant = await signIns.open({ name: NAME, url: server.url, signIn: { callback_port: 0 } });

    expect(grant.describe().state).toBe("open");
    expect(await call(grant, server)).toBe(401);
    expect(grant.describe()).toMatchObject({
      state: "unauthenticated",
      error: { code: "UNAUTHENTICATED", hint: SIGN_IN },
    });
    await signInAgain(signIns, kind);
    await signInAgain(signIns, kind);

    expect(await call(grant, server)).toBe(200);
    expect(grant.describe()).toMatchObject({
      state: "valid",
      kind,
      issuer: issuer.issuer,
      isRenewable: true,
      keptIn: "secrets",
    });
    expect(grant.describe().error).toBeUndefined();
    expect(issuer.paths.filter((path) => path === "/reg")).toHaveLength(1);
    expect(warnings).toEqual([]);
  });

  test("is for this server only, in every request where the authorization server knows of that", async () => {
    await using machine = await Machine.start();
    const { issuer, server } = await machine.startWorld(choices);
    const { signIns } = machine.boot();
    const grant = await signIn(signIns, server, kind);
    await until(() => issuer.renewals > 0, "a renewal");

    const token = (await grant.authorize(patience()))?.replace("Bearer ", "") ?? "";
    expect(await issuer.findAudience(token)).toBe(isStrict ? server.url.href : undefined);
    for (const { form } of issuer.tokenRequests) expect(form.get("resource")).toBe(server.url.href);
  });

  test("is there after a new start, and a token that has ended meanwhile is renewed before it is used", async () => {
    await using machine = await Machine.start();
    const tokenSeconds = 3600;
    const { issuer, server } = await machine.startWorld({ ...choices, tokenSeconds });
    const first = machine.boot();
    const ended = await (await signIn(first.signIns, server, kind)).authorize(patience());
    await first.signIns[Symbol.asyncDispose]();
    const clocks = { ...SYSTEM_CLOCKS, wall: () => Date.now() + (tokenSeconds + 1) * 1_000 };

    const grant = await machine.boot({ clocks }).signIns.open({ name: NAME, url: server.url, signIn: undefined });

    expect(await call(grant, server)).toBe(200);
    expect(ended).toMatch(/^Bearer ./);
    expect(server.admitted).not.toContain(ended);
    expect(issuer.renewals).toBe(1);
  });

  test("that was revoked is unauthenticated, also after a new start, until somebody signs in again", async () => {
    await using machine = await Machine.start();
    const { issuer, server } = await machine.startWorld(choices);
    const first = machine.boot();
    const grant = await signIn(first.signIns, server, kind);
    await issuer.revokeGrants();

    expect(await call(grant, server)).toBe(401);
    await expect(grant.authorize(patience())).rejects.toMatchObject({ code: "UNAUTHENTICATED", hint: SIGN_IN });
    expect(grant.describe()).toMatchObject({ state: "unauthenticated", isRenewable: false });
    expect(grant.describe().error?.message).toMatch(/invalid_grant/);
    await first.signIns[Symbol.asyncDispose]();
    const asked = issuer.tokenRequests.length;
    const second = machine.boot();
    const next = await second.signIns.open({ name: NAME, url: server.url, signIn: { callback_port: 0 } });
    expect(next.describe().state).toBe("unauthenticated");
    expect(issuer.tokenRequests).toHaveLength(asked);
    await signInAgain(second.signIns, kind);

    expect(await call(next, server)).toBe(200);
    expect(next.describe().state).toBe("valid");
    expect(issuer.paths.filter((path) => path === "/reg")).toHaveLength(1);
  });

  test("that lacks a scope says so, and has it after the next sign-in; other calls go on", async () => {
    await using machine = await Machine.start();
    const { server } = await machine.startWorld(choices);
    const first = machine.boot();
    const before = await signIn(first.signIns, server, kind);

    expect(await call(before, server, "write")).toBe(403);
    expect(before.describe()).toMatchObject({ state: "unauthenticated", error: { hint: SIGN_IN } });
    expect(before.describe().error?.message).toContain("tools:write");
    expect(await call(before, server)).toBe(200);
    await first.signIns[Symbol.asyncDispose]();
    const second = machine.boot();
    const after = await second.signIns.open({ name: NAME, url: server.url, signIn: { callback_port: 0 } });
    expect(after.describe().state).toBe("unauthenticated");
    await signInAgain(second.signIns, kind);

    expect(await call(after, server, "write")).toBe(200);
    expect(after.describe()).toMatchObject({ state: "valid" });
    expect([...after.describe().scopes].sort()).toEqual(expect.arrayContaining(["tools:read", "tools:write"]));
  });

  test.each<TokenMishap>(["refuse connection", "answer 503", "never answer"])(
    "whose provider does at renewal: %s, goes on with its token, and renews it once the provider answers",
    async (mishap) => {
      await using machine = await Machine.start();
      const { issuer, server } = await machine.startWorld(choices);
      const { signIns } = machine.boot();
      const grant = await signIn(signIns, server, kind);
      const states = new Set<string>();
      grant.onChange(() => states.add(grant.describe().state));
      issuer.mishap = mishap;

      expect(await call(grant, server)).toBe(200);
      // From here on only the token's end counts: a provider that never answers is waited for.
      if (mishap !== "never answer") {
        await until(() => states.has("renewing"), "the token's end");
        await expect(grant.authorize(patience())).rejects.toMatchObject({ code: "ISSUER_UNAVAILABLE" });
        expect(grant.describe()).toMatchObject({ state: "renewing", isRenewable: true });
      }
      expect(server.statuses.filter((status) => status === 200).length).toBeGreaterThan(0);
      issuer.mishap = undefined;
      if (mishap === "never answer") issuer.cutConnections();
      await until(() => grant.describe().error === undefined && issuer.renewals > 0, "a renewal");

      expect(await call(grant, server)).toBe(200);
      expect(grant.describe().state).toBe("valid");
    },
  );

  test.each([
    ["with the lock, before it asked", "before"],
    ["after it asked and before the provider acted", "asked"],
    ["after the new token was saved", "saved"],
  ] as const)("whose process is killed %s is renewed by the next one", async (_when, moment) => {
    await using machine = await Machine.start();
    const { issuer, server } = await machine.startWorld(choices);
    let isDying = false;
    let isSaved = false;
    const never = () => new Promise<never>(() => undefined);
    const dying = machine.boot({
      wrap: (reserved) => ({
        ...reserved,
        find: async (key) => (isDying && moment === "before" ? await never() : await reserved.find(key)),
        set: async (key, value) => {
          await reserved.set(key, value);
          if (!isDying || moment !== "saved") return;
          isSaved = true;
          await never();
        },
      }),
      send: async (input, init) => (isDying && moment === "asked" ? await never() : await fetch(input, init)),
    });
    const old = await signIn(dying.signIns, server, kind);
    const used = await old.authorize(patience());
    isDying = true;
    const lock = join(machine.home, "grants", `${NAME}.lock`);
    await until(
      async () => (await readdir(join(machine.home, "grants"))).length > 0 || issuer.renewals > 0,
      "a renewal",
    );
    await until(async () => (await readFile(lock, "utf8").catch(() => "")) !== "", "the lock");
    if (moment === "saved") await until(() => isSaved, "the new token to be saved");
    await machine.leaveDeadLock();

    const grant = await machine.boot().signIns.open({ name: NAME, url: server.url, signIn: undefined });
    const statuses = await Promise.all([1, 2, 3].map(() => call(grant, server)));

    expect(statuses).toEqual([200, 200, 200]);
    await until(async () => (await grant.authorize(patience())) !== used, "another token");
    expect(grant.describe().state).toBe("valid");
  });

  test("whose process is killed between the provider's answer and the saving needs a person only where reuse is punished", async () => {
    await using machine = await Machine.start();
    const { issuer, server } = await machine.startWorld(choices);
    let isDying = false;
    const dying = machine.boot({
      wrap: (reserved) => ({
        ...reserved,
        set: async (key, value) =>
          isDying ? await new Promise<never>(() => undefined) : await reserved.set(key, value),
      }),
    });
    await signIn(dying.signIns, server, kind);
    isDying = true;
    await until(() => issuer.renewals > 0, "the provider's answer");
    await machine.leaveDeadLock();

    const grant = await machine.boot().signIns.open({ name: NAME, url: server.url, signIn: undefined });
    await until(() => issuer.tokenRequests.length > 2, "the next process's renewal");

    if (isStrict) {
      await until(() => grant.describe().state === "unauthenticated", "the provider's word");
      expect(grant.describe().error?.hint).toBe(SIGN_IN);
    } else expect(await call(grant, server)).toBe(200);
  });

  test.each([-300_000, 300_000])(
    "under a clock that is off by %i ms, always or from now on, loses no call",
    async (ms) => {
      await using machine = await Machine.start();
      const { issuer, server } = await machine.startWorld(choices);
      let offMs = ms;
      const clocks = { ...SYSTEM_CLOCKS, wall: () => Date.now() + offMs };
      const first = machine.boot({ clocks });
      const grant = await signIn(first.signIns, server, kind);

      expect(await call(grant, server)).toBe(200);
      offMs = 0;
      expect(await call(grant, server)).toBe(200);
      offMs = ms;
      await until(() => issuer.renewals > 0, "a renewal");
      expect(await call(grant, server)).toBe(200);
      await first.signIns[Symbol.asyncDispose]();
      offMs = -ms;
      const next = await machine.boot({ clocks }).signIns.open({ name: NAME, url: server.url, signIn: undefined });

      expect(await call(next, server)).toBe(200);
      expect(grant.describe().state).toBe("valid");
      expect(server.statuses.filter((status) => status !== 200 && status !== 401)).toEqual([]);
    },
  );

  test("of two processes at once is renewed by one of them, and both go on", async () => {
    await using machine = await Machine.start();
    const { issuer, server } = await machine.startWorld(choices);
    const first = machine.boot();
    const left = await signIn(first.signIns, server, kind);
    const right = await machine.boot().signIns.open({ name: NAME, url: server.url, signIn: undefined });

    for (let round = 1; round <= 3; round += 1) {
      const before = issuer.renewals;
      await until(() => issuer.renewals > before, "a renewal");
      expect(await Promise.all([left, right, left, right].map((each) => call(each, server)))).toEqual([
        200, 200, 200, 200,
      ]);
    }

    expect(left.describe().state).toBe("valid");
    expect(right.describe().state).toBe("valid");
    const grants = issuer.tokenRequests.filter(({ form }) => form.get("grant_type") === "refresh_token");
    expect(grants.filter(({ status }) => status !== 200)).toEqual([]);
    expect(server.statuses).not.toContain(401);
  });

  test("loses no call of a steady load through ten renewals", async () => {
    await using machine = await Machine.start();
    const { issuer, server } = await machine.startWorld({ ...choices, tokenSeconds: 2 });
    const { signIns } = machine.boot();
    const grant = await signIn(signIns, server, kind);
    const statuses: number[] = [];

    while (issuer.renewals < 10) {
      statuses.push(...(await Promise.all([1, 2, 3, 4].map(() => call(grant, server)))));
      // A load that other tests have room beside.
      await delay(20);
    }

    expect(statuses.filter((status) => status !== 200)).toEqual([]);
    expect(server.statuses).not.toContain(401);
    expect(issuer.renewals).toBe(10);
  }, 60_000);

  test("that is ended is forgotten, and revoked where that is possible", async () => {
    await using machine = await Machine.start();
    const { issuer, server } = await machine.startWorld(choices);
    const first = machine.boot();
    const grant = await signIn(first.signIns, server, kind);
    const token = (await grant.authorize(patience()))?.replace("Bearer ", "") ?? "";

    expect(await first.signIns.signOut(NAME)).toEqual({ isRevoked: isStrict });

    expect(grant.describe().state).toBe("unauthenticated");
    expect((await issuer.findScopes(token)) === undefined).toBe(isStrict);
    expect(await first.secrets.reserved.find(`grant:${NAME}`)).toBeUndefined();
    await first.signIns[Symbol.asyncDispose]();
    expect(
      (await machine.boot().signIns.open({ name: NAME, url: server.url, signIn: undefined })).describe().state,
    ).toBe("open");
  });

  test("that is locked away waits for the password, and is used as soon as that is given", async () => {
    await using machine = await Machine.start();
    const { server } = await machine.startWorld(choices);
    await signIn(machine.boot().signIns, server, kind);
    const { secrets, signIns } = machine.boot({ env: {} });
    const grant = await signIns.open({ name: NAME, url: server.url, signIn: undefined });

    expect(await call(grant, server)).toBe(401);
    expect(grant.describe()).toMatchObject({ state: "unauthenticated", error: { code: "SECRETS_LOCKED" } });
    await expect(grant.authorize(patience())).rejects.toMatchObject({ code: "SECRETS_LOCKED" });
    await expect(signIns.assertReadable(NAME)).rejects.toMatchObject({ code: "SECRETS_LOCKED" });
    await secrets.unlock(PASSWORD);
    signIns.onSecretsOpened();

    await until(() => grant.describe().state === "valid", "the sign-in");
    expect(await call(grant, server)).toBe(200);
  });

  test("is in no file in clear, and in no log", async () => {
    await using machine = await Machine.start();
    const { issuer, server } = await machine.startWorld(choices);
    const { signIns, warnings } = machine.boot();
    const grant = await signIn(signIns, server, kind);
    const before = (await grant.authorize(patience()))?.replace("Bearer ", "") ?? "";
    await until(() => issuer.renewals > 0, "a renewal");
    issuer.mishap = "answer 503";
    await until(() => grant.describe().error !== undefined, "a failed renewal");

    const tokens = [before, (await grant.authorize(patience()).catch(() => ""))?.replace("Bearer ", "") ?? ""];
    const refresh = issuer.tokenRequests.flatMap(({ form }) => form.get("refresh_token") ?? []);
    const codes = issuer.tokenRequests.flatMap(({ form }) => [form.get("code") ?? [], form.get("device_code") ?? []]);
    const secrets = [...tokens, ...refresh, ...codes.flat()].filter((each) => each !== "");
    const names = await readdir(machine.home, { recursive: true, withFileTypes: true });
    const texts = await Promise.all(
      names.filter((each) => each.isFile()).map((each) => readFile(join(each.parentPath, each.name), "latin1")),
    );
    for (const secret of secrets) {
      for (const text of [...texts, ...warnings, JSON.stringify(signIns.list())]) expect(text).not.toContain(secret);
    }
    expect(secrets.length).toBeGreaterThan(2);
    expect(issuer.givenTokens).toEqual(expect.arrayContaining(tokens.filter((each) => each !== "")));
  });
});
