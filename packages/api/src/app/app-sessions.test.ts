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
    await sessions.verify(bearer(session), 8484);

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

  test("the caller is notified once of the end of an invitation, whatever ends it", async () => {
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

      const refusal = sessions.verify(authorization, 8484);

      await expect(refusal).rejects.toMatchObject({ code: "UNAUTHENTICATED", hint: "Sign this browser in: thv ui" });
    },
  );

  test("a session outlives the supervisor, and the file has neither its token nor the invitation", async () => {
    const sessions = await open();
    const invitation = sessions.invite(9000);
    const session = await sessions.signIn(invitation);

    const next = await open();
    await next.verify(bearer(session), 9000);

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

    await expect(sessions.verify(bearer(session), 8484)).rejects.toBeInstanceOf(TokenRefused);
    expect((await open()).port).toBeUndefined();
  });

  test("signing out ends this session and no other", async () => {
    const sessions = await open();
    const first = await sessions.signIn(sessions.invite(8484));
    const second = await sessions.signIn(sessions.invite(8484));

    await sessions.signOut(bearer(first));

    await expect(sessions.verify(bearer(first), 8484)).rejects.toBeInstanceOf(TokenRefused);
    await sessions.verify(bearer(second), 8484);
    await (await open()).verify(bearer(second), 8484);
  });

  test(`the oldest of more than ${MAX_SESSIONS} sessions makes room`, async () => {
    const sessions = await open();
    const first = await sessions.signIn(sessions.invite(8484));
    const others = [];
    for (let count = 0; count < MAX_SESSIONS; count += 1) others.push(await sessions.signIn(sessions.invite(8484)));

    await expect(sessions.verify(bearer(first), 8484)).rejects.toBeInstanceOf(TokenRefused);
    for (const each of others) await sessions.verify(bearer(each), 8484);
  });

  test("a session is good at the port where its browser signed in, and at no other", async () => {
    const sessions = await open();
    const first = await sessions.signIn(sessions.invite(8484));
    const second = await sessions.signIn(sessions.invite(8485));

    for (const [session, port, other] of [
      [first, 8484, 8485],
      [second, 8485, 8484],
    ] as const) {
      for (const each of [sessions, await open()]) {
        await each.verify(bearer(session), port);
        await expect(each.verify(bearer(session), other)).rejects.toBeInstanceOf(TokenRefused);
        await expect(each.verify(bearer(session), 0)).rejects.toBeInstanceOf(TokenRefused);
      }
    }
    expect([(await open()).port, (await open()).ports]).toEqual([8485, [8484, 8485]]);
  });

  test("an invitation for one port makes a session of that port, whichever port it was used at", async () => {
    const sessions = await open();
    const early = sessions.invite(8484);
    sessions.invite(8485);

    const session = await sessions.signIn(early);

    await sessions.verify(bearer(session), 8484);
    await expect(sessions.verify(bearer(session), 8485)).rejects.toBeInstanceOf(TokenRefused);
    // Nobody is signed in at the port of the other invitation.
    expect(sessions.port).toBe(8484);
  });

  test("signing out at a port ends its sessions and no others, also over a restart", async () => {
    const sessions = await open();
    const first = await sessions.signIn(sessions.invite(8484));
    const second = await sessions.signIn(sessions.invite(8485));

    await sessions.signOutAt(8484);

    for (const each of [sessions, await open()]) {
      await expect(each.verify(bearer(first), 8484)).rejects.toBeInstanceOf(TokenRefused);
      await each.verify(bearer(second), 8485);
      expect(each.ports).toEqual([8485]);
    }
  });

  test("a session of an earlier version ends, because nobody knows the port at which it was made", async () => {
    const sessions = await open();
    const session = await sessions.signIn(sessions.invite(8484));
    const { sessions: kept } = JSON.parse(await readFile(path, "utf8")) as { sessions: Record<string, unknown>[] };
    const older = kept.map(({ port: _port, ...each }) => each);
    await writeFile(path, JSON.stringify({ port: 8484, sessions: older }));

    const next = await open();

    expect(next.ports).toEqual([]);
    await expect(next.verify(bearer(session), 8484)).rejects.toBeInstanceOf(TokenRefused);
  });

  test.each([
    "",
    "{",
    "[]",
    '{"port":0,"sessions":[]}',
    '{"port":8484,"sessions":[{"digest":1}]}',
    '{"port":8484,"sessions":[{"digest":"a","expires_at":9999999999999,"port":"8484"}]}',
    '{"port":8484,"sessions":[{"digest":"a","expires_at":9999999999999,"port":65536}]}',
  ])("a file that holds %j signs nobody in", async (text) => {
    await writeFile(path, text);

    expect((await open()).port).toBeUndefined();
  });
});
