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
const SETTINGS: RunnerConfig = {
  name: "work",
  namespace: "tools",
  transport: "streamable-http",
  host: "127.0.0.1",
  port: 1,
  allowed_hosts: [],
  group: {},
  access: {},
  has_policies: false,
};

let folder = "";
let config = SETTINGS;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "thv-group-proxy-"));
  config = { ...SETTINGS, port: await findFreePort() };
  await replace("runner.json", config);
});
/** As the kubelet replaces it: at once. */
async function replace(name: string, content: object): Promise<void> {
  const path = join(folder, name);
  await writeFile(`${path}.new`, JSON.stringify(content));
  await rename(`${path}.new`, path);
}
afterEach(async () => await rm(folder, { recursive: true }));

async function write(version: string, names: readonly string[], naming = "auto"): Promise<void> {
  // Nobody listens on port 1.
  const members = names.map((name) => ({ name, url: "http://127.0.0.1:1/mcp", run: "1", isRunning: true }));
  await replace("group.json", { version, members, choice: {}, naming });
}

async function findFreePort(): Promise<number> {
  const server = createServer();
  await listen(server, { host: "127.0.0.1", port: 0 });
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** A group's proxy, until it is ended. */
async function start() {
  const health = { host: "127.0.0.1", port: await findFreePort() };
  let end: () => void = () => undefined;
  const untilOver = new Promise<void>((resolve) => {
    end = resolve;
  });
  const asked: URL[] = [];
  const running = runGroupProxy({
    config,
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
  const stop = async () => {
    end();
    await running;
  };
  return { asked, ask, untilReport, stop };
}

test("a group is ready without its servers, names each that does not answer, and follows its file", async () => {
  await write("1", ["alpha"]);
  const { asked, ask, untilReport, stop } = await start();

  await waitFor(async () => (await ask("/readyz"))?.status === 200, { what: "the group to be ready" });
  expect(asked[0]?.pathname).toBe("/mcp");
  const { members } = await untilReport((report) => report.members[0]?.state === "unavailable");
  expect(members).toMatchObject([{ name: "alpha", reason: expect.stringContaining("ECONNREFUSED"), tools: 0 }]);

  await write("2", ["beta", "gamma"], "always");
  const report = await untilReport(({ version }) => version === "2");
  expect(report.members.map(({ name }) => name)).toEqual(["beta", "gamma"]);

  await stop();
  expect(await ask("/readyz")).toBeUndefined();
});

test("a group takes names that come with other settings from the next proxy", async () => {
  await write("1", ["alpha"]);
  const { untilReport, stop } = await start();
  const untilMembers = async (version: string, ...names: string[]) => {
    const report = await untilReport((each) => each.version === version);
    expect(report.members.map(({ name }) => name)).toEqual(names);
  };

  await replace("runner.json", { ...config, has_policies: true });
  // With the names that it has, the proxy follows its servers.
  await write("2", ["beta"]);
  await untilMembers("2", "beta");
  await write("3", ["gamma"], "always");
  await write("4", ["delta"]);
  await untilMembers("4", "delta");
  await write("3", ["gamma"], "always");
  await replace("runner.json", config);
  await untilMembers("3", "gamma");

  await stop();
});

test("without its file a group does not start: nobody knows what it may offer", async () => {
  const health = { host: "127.0.0.1", port: await findFreePort() };
  const options = { config, access: undefined, log: LOG, health, untilOver: Promise.resolve() };
  const running = runGroupProxy({
    ...options,
    file: join(folder, "runner.json"),
    askAsClient: async () => undefined,
    drain: async () => undefined,
  });

  await expect(running).rejects.toMatchObject({ code: "CONFIG_INVALID" });
});
