import { access, mkdir, readFile, utimes, writeFile } from "node:fs/promises";
import { createServer, type IncomingHttpHeaders, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { listen } from "@toolhive/http";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { FakeTerminal } from "../testing/fake-terminal.ts";
import { ServedThv } from "../testing/served-thv.ts";
import { checkForUpdate } from "./update-check.ts";

let context: ServedThv;
let server: Server;
let asked: IncomingHttpHeaders[];
let answer: { status: number; body: string };

beforeEach(async () => {
  context = await ServedThv.start();
  asked = [];
  answer = { status: 200, body: '{"version":"v1.3.0"}' };
  server = createServer(({ headers }, response) => {
    asked.push(headers);
    response.writeHead(answer.status).end(answer.body);
  });
  await listen(server);
});
afterEach(async () => {
  server.closeAllConnections();
  server.close();
  await context[Symbol.asyncDispose]();
});

const stateFile = () => join(context.env.XDG_DATA_HOME ?? "", "toolhive/updates.json");

async function configure(url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/version`): Promise<void> {
  const folder = join(context.env.XDG_CONFIG_HOME ?? "", "toolhive");
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, "config.yaml"), `update_check_url: ${url}\n`);
}

async function check(version = "v1.2.3"): Promise<string> {
  const fake = new FakeTerminal({ env: context.env });
  const tree = { commands: [], groups: [] };
  const { signal } = new AbortController();
  await checkForUpdate({ terminal: fake.terminal, env: context.env, signal, tree }, version);
  expect(fake.stdout).toBe("");
  return fake.stderr;
}

describe("the update check", () => {
  test("is off unless the settings name an address", async () => {
    expect(await check()).toBe("");

    expect(asked).toEqual([]);
    await expect(access(stateFile())).rejects.toMatchObject({ code: "ENOENT" });
  });

  test("says on stderr what is newer, and asks once in four hours", async () => {
    await configure();

    expect(await check()).toBe(
      "A newer version of thv is available: v1.3.0\nThis is v1.2.3. Update it: git pull && npm start\n",
    );
    expect(await check()).toBe("");
    const hoursAgo = (hours: number) => new Date(Date.now() - hours * 3_600_000);
    await utimes(stateFile(), hoursAgo(3.9), hoursAgo(3.9));
    expect(await check()).toBe("");
    await utimes(stateFile(), hoursAgo(4.1), hoursAgo(4.1));
    expect(await check()).toContain("v1.3.0");

    const { instance_id, latest_version } = JSON.parse(await readFile(stateFile(), "utf8")) as Record<string, string>;
    expect(latest_version).toBe("v1.3.0");
    expect(asked.map((headers) => headers["x-instance-id"])).toEqual([instance_id, instance_id]);
    expect(asked[0]?.["user-agent"]).toBe(`toolhive/CLI v1.2.3 release (${process.platform}/${process.arch})`);
  });

  test.each([
    ["the same version", "v1.3.0", { status: 200, body: '{"version":"1.3.0"}' }],
    ["an older version", "v1.4.0", { status: 200, body: '{"version":"v1.3.0"}' }],
    ["a build from sources", "v0.0.0-source", { status: 200, body: '{"version":"v1.3.0"}' }],
    ["an error", "v1.2.3", { status: 500, body: '{"version":"v1.3.0"}' }],
    ["something else", "v1.2.3", { status: 200, body: "<html>" }],
    ["what would move the cursor", "v1.2.3", { status: 200, body: '{"version":"\\u001b[2J9.9.9"}' }],
  ])("is silent about %s, and does not ask again at once", async (_what, version, given) => {
    await configure();
    answer = given;

    expect(await check(version)).toBe("");
    expect(await check(version)).toBe("");

    expect(asked).toHaveLength(1);
  });

  test("asks nobody over plain http but this machine", async () => {
    await configure("http://updates.example.com/version");

    expect(await check()).toBe("update_check_url in config.yaml must begin with https://.\n");
  });

  test("goes with commands that succeed, and never with completion or in a cluster", async () => {
    await configure();

    await context.call(["__complete", "--", "st"]);
    await context.call(["completion", "bash"]);
    await context.call(["version"], { env: { KUBERNETES_SERVICE_HOST: "10.0.0.1" } });
    await context.call(["--help"]);
    await context.call(["restart", "nope"]);
    expect(asked).toEqual([]);

    await context.call(["version"]);
    expect(asked).toHaveLength(1);
  });
});
