import { createServer } from "node:http";
import { listen } from "@toolhive/http";
import { afterAll, beforeAll, expect, test } from "vitest";
import { deriveIdleToken } from "../../contract/index.ts";
import { createIdleAnswerer } from "./idle-answerer.ts";
import { IdleGate } from "./idle-gate.ts";

const QUIET = { error: () => undefined, warn: () => undefined, info: () => undefined, debug: () => undefined };
const TOKEN = deriveIdleToken(Buffer.alloc(32, 1));
const answer = createIdleAnswerer(new IdleGate({ name: "echo", log: QUIET }), TOKEN);
const server = createServer((request, response) => {
  if (!answer(request, response)) response.writeHead(404).end();
});
let origin: string;
beforeAll(async () => {
  origin = `http://127.0.0.1:${await listen(server, { host: "127.0.0.1", port: 0 })}`;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

const ask = async (query: string, token = TOKEN, method = "POST") =>
  await fetch(`${origin}/idle?${query}`, { method, headers: { authorization: `Bearer ${token}` } });

test("answers the operator", async () => {
  const response = await ask("phase=awake&afterMs=60000&waitMs=0&servers=10.0.0.7,fd00::7");

  expect(response.status).toBe(200);
  expect(await response.json()).toMatchObject({ isHolding: false, isWanted: false });
});

test.each([
  ["another key", () => ask("phase=awake&afterMs=1&waitMs=0", deriveIdleToken(Buffer.alloc(32, 2)))],
  ["no key", () => ask("phase=awake&afterMs=1&waitMs=0", "")],
  ["another method", () => ask("phase=awake&afterMs=1&waitMs=0", TOKEN, "GET")],
])("refuses %s", async (_, call) => {
  expect((await call()).status).toBe(403);
});

test.each([
  "",
  "phase=dead&afterMs=1&waitMs=0",
  "phase=ask&afterMs=0&waitMs=0",
  "phase=asleep&afterMs=1&waitMs=30001",
  `phase=awake&afterMs=1&waitMs=0&servers=${Array.from({ length: 101 }, () => "10.0.0.7").join()}`,
])("refuses the question %j", async (query) => {
  expect((await ask(query)).status).toBe(400);
});

test("leaves other paths to others", async () => {
  expect((await fetch(`${origin}/readyz`)).status).toBe(404);
});
