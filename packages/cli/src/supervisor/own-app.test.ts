import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type ApiServer, AppSessions } from "@toolhive/api";
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

interface Listener {
  readonly port: number;
  readonly verify: (authorization: string | undefined) => Promise<unknown>;
}

/** @param listeners Gets what listens. */
function openApp(options: Partial<ConstructorParameters<typeof OwnApp>[0]> = {}, listeners: Listener[] = []): OwnApp {
  const listenOnPort: ApiServer["listenOnPort"] = async (_host, wanted, _guard, tokens) => {
    const port = wanted === 0 ? 40_000 : wanted;
    if (taken.has(port) || listeners.some((each) => each.port === port)) {
      throw new ThvError("PORT_IN_USE", `Port ${port} is in use.`);
    }
    listeners.push({ port, verify: async (authorization) => await tokens?.verify(authorization) });
    return port;
  };
  const files = { check: () => undefined };
  return new OwnApp({ files, sessions, openAddress: undefined, api: { listenOnPort }, ...options });
}

/** The next supervisor: what the file has, and where it listens. */
async function restart(options: Partial<ConstructorParameters<typeof OwnApp>[0]> = {}): Promise<Listener[]> {
  sessions = new AppSessions(join(folder, "app.json"));
  await sessions.load();
  const listeners: Listener[] = [];
  await openApp({ sessions, ...options }, listeners).reopen();
  return listeners;
}

/** @returns Which of the listeners accept it. */
async function listAccepting(listeners: readonly Listener[], authorization: string): Promise<number[]> {
  const answers = await Promise.all(
    listeners.map(async ({ port, verify }) =>
      verify(authorization).then(
        () => [port],
        () => [],
      ),
    ),
  );
  return answers.flat();
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

test("listens on this machine's own address only, whichever port is asked for", async () => {
  const hosts: string[] = [];
  const listenOnPort: ApiServer["listenOnPort"] = async (host, wanted) => {
    hosts.push(host);
    return wanted;
  };
  const app = openApp({ api: { listenOnPort } });

  await app.open();
  await app.open(9_000);

  expect(hosts).toEqual(["127.0.0.1", "127.0.0.1"]);
});

test("opens again at each port at which a browser is signed in", async () => {
  const first = await signIn(9_000);
  const second = await signIn(9_001);
  const listeners = await restart();

  expect(listeners.map(({ port }) => port)).toEqual([9_000, 9_001]);
  expect(await listAccepting(listeners, first)).toEqual([9_000]);
  expect(await listAccepting(listeners, second)).toEqual([9_001]);
});

test("stays at the port of the last sign-in when no other one is asked for", async () => {
  await signIn(9_001);
  await signIn(9_000);
  sessions = new AppSessions(join(folder, "app.json"));
  await sessions.load();
  const app = openApp({ sessions });
  await app.reopen();

  await expect(app.open()).resolves.toMatchObject({ port: 9_000 });
});

test("is opened again at a port where it listens already", async () => {
  const app = openApp({}, []);
  await app.open(9_000);
  await app.open(9_001);

  await expect(app.open(9_000)).resolves.toMatchObject({ port: 9_000 });
  await expect(app.open()).resolves.toMatchObject({ port: 9_000 });
});

test("signs the browsers of a port out when another program has it, which may have got what they sent", async () => {
  const lost = await signIn(9_000);
  const kept = await signIn(9_001);
  taken.add(9_000);
  const listeners = await restart();
  expect(await listAccepting(listeners, lost)).toEqual([]);
  expect(await listAccepting(listeners, kept)).toEqual([9_001]);

  // The other program leaves it: what it got is no more good for that.
  taken.clear();
  const later = await restart();
  expect(later.map(({ port }) => port)).toEqual([9_001]);
  await openApp({ sessions }, later).open(9_000);
  expect(await listAccepting(later, lost)).toEqual([]);
});

test("keeps no session of a port that is not taken again, whatever the reason", async () => {
  const authorization = await signIn(9_000);
  const check = () => {
    throw new ThvError("NOT_SUPPORTED", "This thv was built without its web application.");
  };
  expect(await restart({ files: { check } })).toEqual([]);

  const later = await restart();
  await openApp({ sessions }, later).open(9_000);
  expect(await listAccepting(later, authorization)).toEqual([]);
});

test("stays at its ports while the API is open to everybody at another one", async () => {
  const authorization = await signIn(9_000);
  const listeners = await restart({ openAddress: "http://127.0.0.1:8080" });

  expect(await listAccepting(listeners, authorization)).toEqual([9_000]);
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

test.each([
  ["http://0.0.0.0:8080", "http://127.0.0.1:8080/"],
  ["http://[::]:8080", "http://[::1]:8080/"],
  ["http://192.0.2.7:8080", "http://192.0.2.7:8080/"],
])("opens at an address that a browser reaches while the API listens at %s", async (openAddress, address) => {
  await expect(openApp({ openAddress }).open()).resolves.toEqual({ address, port: 8080, isOpenToAll: true });
});
