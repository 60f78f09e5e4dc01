/** Which browsers are signed in to the application. */
import { mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { TokenRefused } from "@toolhive/core";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { AppSessions, INVITATION_MS, MAX_SESSIONS, SESSION_MS } from "./app-sessions.ts";

let folder: string;
let path: string;
let now: number;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "app-sessions-"));
  path = join(folder, "app-sessions.json");
  now = Date.UTC(2026, 0, 28);
});
afterEach(async () => await rm(folder, { recursive: true }));

async function open(): Promise<AppSessions> {
  const sessions = new AppSessions(path, () => now);
  await sessions.load();
  return sessions;
}

const bearer = ({ token }: { readonly token: string }) => `Bearer ${token}`;

describe("sessions of the application", () => {
  test("an invitation signs one browser in, once", async () => {
    const sessions = await open();
    const invitation = sessions.invite(8484);

    const session = await sessions.signIn(invitation);
    await sessions.verify(bearer(session));

    await expect(sessions.signIn(invitation)).rejects.toBeInstanceOf(TokenRefused);
    expect(session.token).not.toBe(invitation);
    expect(session.expiresAt.getTime()).toBe(now + SESSION_MS);
  });

  test("an invitation is too old after five minutes", async () => {
    const sessions = await open();
    const invitation = sessions.invite(8484);
    now += INVITATION_MS;

    await expect(sessions.signIn(invitation)).rejects.toThrow("too old");
  });

  test("of the end of an invitation its caller hears once, whatever ends it", async () => {
    const sessions = await open();
    const ended: string[] = [];
    const invite = (name: string) => sessions.invite(8484, () => ended.push(name));
    const used = invite("used");
    invite("too old");
    await sessions.signIn(used);
    expect(ended).toEqual(["used"]);

    now += INVITATION_MS;
    invite("closed");
    expect(ended).toEqual(["used", "too old"]);
    sessions.close();
    await expect(sessions.signIn(used)).rejects.toBeInstanceOf(TokenRefused);
    expect(ended).toEqual(["used", "too old", "closed"]);
  });

  test.each([undefined, "", "Bearer", "Bearer ", "Basic abc", "Bearer abc", "Bearer a b", `Bearer ${"a".repeat(129)}`])(
    "the authorization %j is refused with the command that signs in",
    async (authorization) => {
      const sessions = await open();
      await sessions.signIn(sessions.invite(8484));

      const refusal = sessions.verify(authorization);

      await expect(refusal).rejects.toMatchObject({ code: "UNAUTHENTICATED", hint: "Sign this browser in: thv ui" });
    },
  );

  test("a session outlives the supervisor, and the file has neither its token nor the invitation", async () => {
    const sessions = await open();
    const invitation = sessions.invite(9000);
    const session = await sessions.signIn(invitation);

    const next = await open();
    await next.verify(bearer(session));

    expect(next.port).toBe(9000);
    const text = await readFile(path, "utf8");
    expect(text).not.toContain(session.token);
    expect(text).not.toContain(invitation);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
  });

  test("a session ends after 30 days, also over a restart", async () => {
    const sessions = await open();
    const session = await sessions.signIn(sessions.invite(8484));
    now += SESSION_MS;

    await expect(sessions.verify(bearer(session))).rejects.toBeInstanceOf(TokenRefused);
    expect((await open()).port).toBeUndefined();
  });

  test("signing out ends this session and no other", async () => {
    const sessions = await open();
    const first = await sessions.signIn(sessions.invite(8484));
    const second = await sessions.signIn(sessions.invite(8484));

    await sessions.signOut(bearer(first));

    await expect(sessions.verify(bearer(first))).rejects.toBeInstanceOf(TokenRefused);
    await sessions.verify(bearer(second));
    await (await open()).verify(bearer(second));
  });

  test(`the oldest of more than ${MAX_SESSIONS} sessions makes room`, async () => {
    const sessions = await open();
    const first = await sessions.signIn(sessions.invite(8484));
    const others = [];
    for (let count = 0; count < MAX_SESSIONS; count += 1) others.push(await sessions.signIn(sessions.invite(8484)));

    await expect(sessions.verify(bearer(first))).rejects.toBeInstanceOf(TokenRefused);
    for (const each of others) await sessions.verify(bearer(each));
  });

  test.each(["", "{", "[]", '{"port":0,"sessions":[]}', '{"port":8484,"sessions":[{"digest":1}]}'])(
    "a file that holds %j signs nobody in",
    async (text) => {
      await writeFile(path, text);

      expect((await open()).port).toBeUndefined();
    },
  );
});
