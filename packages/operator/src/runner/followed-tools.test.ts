/** A running proxy takes a new choice of tools from its settings, and nothing else of them. */
import { mkdtemp, rename, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Logger, ToolSelection } from "@toolhive/core";
import { listen } from "@toolhive/http";
import { waitFor } from "@toolhive/testing";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { RunnerConfig } from "../contract/index.ts";
import { FollowedTools } from "./followed-tools.ts";

const ignore = () => undefined;
const CONFIG: RunnerConfig = {
  name: "echo",
  namespace: "tools",
  transport: "streamable-http",
  host: "127.0.0.1",
  port: 8080,
  allowed_hosts: [],
  target: { host: "127.0.0.1", port: 1 },
  access: {},
  has_policies: false,
  tools: ["echo"],
  tools_version: "1",
};

let folder = "";
let file = "";
let chosen: ToolSelection[];
let warnings: unknown[];
let tools: FollowedTools;
let over: AbortController;
let following: Promise<void>;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "thv-tools-"));
  file = join(folder, "runner.json");
  chosen = [];
  warnings = [];
  const log: Logger = { error: ignore, info: ignore, debug: ignore, warn: (details) => warnings.push(details) };
  const endpoint = { chooseTools: (selection: ToolSelection) => chosen.push(selection) };
  tools = new FollowedTools({ file, config: CONFIG, endpoint, log });
  over = new AbortController();
  await write(CONFIG);
  following = tools.follow(over.signal);
});
afterEach(async () => {
  over.abort();
  await following;
  await rm(folder, { recursive: true });
});

/** As the kubelet replaces it: at once. */
async function write(config: object | string): Promise<void> {
  await writeFile(`${file}.new`, typeof config === "string" ? config : JSON.stringify(config));
  await rename(`${file}.new`, file);
}

async function ask(path = "/tools"): Promise<unknown> {
  const server = createServer((request, response) => {
    if (!tools.answer(request, response)) response.writeHead(404).end("null");
  });
  await listen(server, { host: "127.0.0.1", port: 0 });
  const { port } = server.address() as AddressInfo;
  const answer = await (await fetch(`http://127.0.0.1:${port}${path}`)).json();
  await new Promise((resolve) => server.close(resolve));
  return answer;
}

test("a new choice is taken while the proxy runs, and the operator learns of it", async () => {
  expect(await ask()).toEqual({ version: "1" });

  await write({ ...CONFIG, tools: ["say"], tools_override: { echo: { name: "say" } }, tools_version: "2" });
  await waitFor(() => chosen.length > 0, { what: "the choice to be taken" });

  expect(chosen).toEqual([{ tools: ["say"], toolOverrides: { echo: { name: "say" } } }]);
  expect(await ask()).toEqual({ version: "2" });
  expect(await ask("/other")).toBeNull();
});

test.each<[string, Partial<RunnerConfig>]>([
  ["rules for callers", { access: { audit_config: {} } }],
  ["the policies of the object", { policies_version: "2" }],
  ["a port", { port: 9090 }],
])("a choice that comes together with other settings, such as %s, is left to the next proxy", async (_what, other) => {
  await write({ ...CONFIG, ...other, tools: ["echo", "delete"], tools_version: "2" });
  await write({ ...CONFIG, tools: ["say"], tools_version: "3" });
  await waitFor(() => chosen.length > 0, { what: "the later choice to be taken" });

  expect(chosen).toEqual([{ tools: ["say"] }]);
});

test("settings that cannot be read leave the choice as it is", async () => {
  await write("{");
  await waitFor(() => warnings.length > 0, { what: "the damage to be seen" });
  expect(chosen).toEqual([]);

  await write({ ...CONFIG, tools: [], tools_version: "2" });
  await waitFor(() => chosen.length > 0, { what: "the choice to be taken" });
  expect(chosen).toEqual([{ tools: [] }]);
});
