/** The endpoint of a group as its pod has it: it follows its file, and says to the operator which content it works with. */
import { mkdtemp, rename, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Logger } from "@toolhive/core";
import { listen } from "@toolhive/http";
import { waitFor } from "@toolhive/testing";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { GroupReport, RunnerConfig } from "../contract/index.ts";
import { runGroupProxy } from "./group-proxy.ts";

const ignore = () => undefined;
const LOG: Logger = { error: ignore, warn: ignore, info: ignore, debug: ignore };
const CONFIG: RunnerConfig = {
  name: "work",
  namespace: "tools",
  transport: "streamable-http",
  host: "127.0.0.1",
  port: 0,
  allowed_hosts: [],
  group: { naming: "auto" },
  access: {},
  has_policies: false,
};

let folder = "";
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "thv-group-proxy-"));
});
afterEach(async () => await rm(folder, { recursive: true }));

async function write(version: string, names: readonly string[]): Promise<void> {
  // Nobody listens on port 1.
  const members = names.map((name) => ({ name, url: "http://127.0.0.1:1/mcp", run: "1", isRunning: true }));
  const path = join(folder, "group.json");
  await writeFile(`${path}.new`, JSON.stringify({ version, members, choice: {} }));
  await rename(`${path}.new`, path);
}

async function findFreePort(): Promise<number> {
  const server = createServer();
  await listen(server, { host: "127.0.0.1", port: 0 });
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

test("a group is ready without its servers, names each that does not answer, and follows its file", async () => {
  await write("1", ["alpha"]);
  const health = { host: "127.0.0.1", port: await findFreePort() };
  let end: () => void = () => undefined;
  const untilOver = new Promise<void>((resolve) => {
    end = resolve;
  });
  const asked: URL[] = [];
  const running = runGroupProxy({
    config: CONFIG,
    file: join(folder, "runner.json"),
    access: undefined,
    log: LOG,
    health,
    askAsClient: async (url) => asked.push(url),
    drain: async (countPending) => expect(countPending()).toBe(0),
    untilOver,
  });
  const ask = async (path: string) => await fetch(`http://${health.host}:${health.port}${path}`).catch(() => undefined);
  const untilReport = async (isMeant: (report: GroupReport) => boolean) =>
    await waitFor(
      async () => {
        const report = (await (await ask("/group"))?.json()) as GroupReport | undefined;
        return report !== undefined && isMeant(report) ? report : undefined;
      },
      { what: "the report to be as meant" },
    );

  await waitFor(async () => (await ask("/readyz"))?.status === 200, { what: "the group to be ready" });
  expect(asked[0]?.pathname).toBe("/mcp");
  const { members } = await untilReport((report) => report.members[0]?.state === "unavailable");
  expect(members).toMatchObject([{ name: "alpha", reason: expect.stringContaining("ECONNREFUSED"), tools: 0 }]);

  await write("2", ["beta", "gamma"]);
  const report = await untilReport(({ version }) => version === "2");
  expect(report.members.map(({ name }) => name)).toEqual(["beta", "gamma"]);

  end();
  await running;
  expect(await ask("/readyz")).toBeUndefined();
});

test("without its file a group does not start: nobody knows what it may offer", async () => {
  const health = { host: "127.0.0.1", port: await findFreePort() };
  const options = { config: CONFIG, access: undefined, log: LOG, health, untilOver: Promise.resolve() };
  const running = runGroupProxy({
    ...options,
    file: join(folder, "runner.json"),
    askAsClient: async () => undefined,
    drain: async () => undefined,
  });

  await expect(running).rejects.toMatchObject({ code: "CONFIG_INVALID" });
});
