import { mkdtemp, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Logger } from "@toolhive/core";
import { waitFor } from "@toolhive/testing";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { GroupFile } from "../contract/index.ts";
import { followGroupFile, readGroupFile } from "./group-file.ts";

const MEMBER = { name: "alpha", url: "http://mcp-alpha-proxy.tools.svc:8080/mcp", run: "1", isRunning: true };
const FIRST: GroupFile = { version: "1", members: [MEMBER], choice: { tools: [{ name: "echo" }] }, naming: "auto" };

let folder = "";
let path = "";
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "thv-group-"));
  path = join(folder, "group.json");
});
afterEach(async () => await rm(folder, { recursive: true }));

/** As the kubelet replaces it: at once. */
async function write(content: object | string): Promise<void> {
  await writeFile(`${path}.new`, typeof content === "string" ? content : JSON.stringify(content));
  await rename(`${path}.new`, path);
}

describe("the file of a group", () => {
  test("has servers and a choice of tools", async () => {
    await write(FIRST);

    expect(await readGroupFile(path)).toEqual(FIRST);
  });

  test.each([
    ["is no JSON", "{", "is no JSON"],
    ["has a server without an address", { ...FIRST, members: [{ ...MEMBER, url: "file:///etc" }] }, "members"],
    ["has no choice", { version: "1", members: [], naming: "auto" }, "choice"],
    ["has an unknown naming", { ...FIRST, naming: "random" }, "naming"],
  ])("that %s says so", async (_what, content, words) => {
    await write(content);

    await expect(readGroupFile(path)).rejects.toMatchObject({
      code: "CONFIG_INVALID",
      message: expect.stringContaining(words),
    });
  });

  test("that is not there says so", async () => {
    await expect(readGroupFile(path)).rejects.toMatchObject({ code: "CONFIG_INVALID" });
  });

  test("is followed: a new content arrives once, and one that cannot be read changes nothing", async () => {
    const warnings: unknown[] = [];
    const changes: GroupFile[] = [];
    const ignore = () => undefined;
    const log: Logger = { error: ignore, info: ignore, debug: ignore, warn: (details) => warnings.push(details) };
    const over = new AbortController();
    await write(FIRST);
    const onChange = (file: GroupFile) => changes.push(file);
    const checkSettings = async () => true;
    const following = followGroupFile({ path, first: FIRST, checkSettings, onChange, log }, over.signal);

    await write("{");
    await waitFor(() => warnings.length > 0, { what: "the damage to be seen" });
    expect(changes).toEqual([]);
    const next = { ...FIRST, version: "2", members: [] };
    await write(next);
    await waitFor(() => changes.length > 0, { what: "the change to arrive" });
    over.abort();
    await following;

    expect(changes).toEqual([{ ...next, isOfThisProxy: true }]);
  });
});
