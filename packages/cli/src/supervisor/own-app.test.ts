import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { AppSessions } from "@toolhive/api";
import { ThvError } from "@toolhive/core";
import { afterEach, beforeEach, expect, test } from "vitest";
import { OwnApp } from "./own-app.ts";

let folder: string;
let sessions: AppSessions;
let taken: Set<number>;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "own-app-"));
  sessions = new AppSessions(join(folder, "app.json"));
  taken = new Set();
});
afterEach(async () => await rm(folder, { recursive: true }));

function openApp(options: Partial<ConstructorParameters<typeof OwnApp>[0]> = {}): OwnApp {
  const listenOnPort = async (_host: string, port: number) => {
    if (taken.has(port)) throw new ThvError("PORT_IN_USE", `Port ${port} is in use.`);
    return port === 0 ? 40_000 : port;
  };
  const files = { check: () => undefined };
  return new OwnApp({ files, sessions, openAddress: undefined, api: { listenOnPort }, ...options });
}

async function signIn(port: number): Promise<string> {
  return `Bearer ${(await sessions.signIn(sessions.invite(port))).token}`;
}

test("is at its usual port, or at a free one while that is taken", async () => {
  await expect(openApp().open()).resolves.toEqual({
    address: "http://127.0.0.1:8484/",
    port: 8484,
    isOpenToAll: false,
  });
  taken.add(8484);
  await expect(openApp().open()).resolves.toMatchObject({ port: 40_000 });
  await expect(openApp().open(8484)).rejects.toMatchObject({ code: "PORT_IN_USE" });
});

test("is again where signed-in browsers look for it", async () => {
  const authorization = await signIn(9_000);
  const app = openApp();
  await app.reopen();

  await expect(app.open()).resolves.toMatchObject({ port: 9_000 });
  await expect(sessions.verify(authorization)).resolves.toBeUndefined();
});

test("signs every browser out when another program has its port, which may have got what they sent", async () => {
  const authorization = await signIn(9_000);
  taken.add(9_000);
  await openApp().reopen();

  await expect(sessions.verify(authorization)).rejects.toMatchObject({ status: 401 });
  const again = new AppSessions(join(folder, "app.json"));
  await again.load();
  await expect(again.verify(authorization)).rejects.toMatchObject({ status: 401 });
});

test("is at the API's port where nobody needs a token", async () => {
  const app = openApp({ openAddress: "http://127.0.0.1:8080" });
  await expect(app.open()).resolves.toEqual({ address: "http://127.0.0.1:8080/", port: 8080, isOpenToAll: true });
});

test("is not opened by a program that was built without it", async () => {
  const check = () => {
    throw new ThvError("NOT_SUPPORTED", "This thv was built without its web application.");
  };
  await expect(openApp({ files: { check } }).open()).rejects.toMatchObject({ code: "NOT_SUPPORTED" });
});
