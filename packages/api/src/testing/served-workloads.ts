/** A server of the API for the tests of a file, and workloads that are created over it. */
import { expect, vi } from "vitest";
import { ServedWorld } from "./served-world.ts";

export const BASE = "/api/v1beta";

export const WAIT = { timeout: 20_000, interval: 10 };

export let served: ServedWorld;

/** To be called before all tests. */
export async function startServer(): Promise<void> {
  served = await ServedWorld.start();
}

/** To be called after all tests. */
export async function stopServer(): Promise<void> {
  await served[Symbol.asyncDispose]();
}

export const post = (path: string, value?: unknown, headers = {}) =>
  served.send("POST", `${BASE}${path}`, { headers, body: value === undefined ? undefined : JSON.stringify(value) });

export async function createRunning(name: string): Promise<void> {
  expect((await post("/workloads", { name, image: "mcp/echo:1" })).status).toBe(201);
  await vi.waitFor(() => expect(served.supervisor.describe(name).status).toBe("running"), WAIT);
}
