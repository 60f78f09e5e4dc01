import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { readRunnerSettings } from "./read-runner-config.ts";

const SOUND = {
  name: "echo",
  namespace: "default",
  transport: "stdio",
  host: "0.0.0.0",
  port: 8080,
  allowed_hosts: [],
  attach: { pod: "echo-0", container: "mcp" },
  access: {},
  has_policies: false,
};

let folder = "";
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "thv-runner-"));
});
afterEach(async () => await rm(folder, { recursive: true }));

async function read(settings: object | string, policies?: object) {
  const file = join(folder, "runner.json");
  const authzFile = join(folder, "authz.json");
  await writeFile(file, typeof settings === "string" ? settings : JSON.stringify(settings));
  if (policies !== undefined) await writeFile(authzFile, JSON.stringify(policies));
  return await readRunnerSettings(file, { authzFile });
}

describe("the settings of a runner", () => {
  test("without access rules have none", async () => {
    expect(await read(SOUND)).toEqual({ config: SOUND, access: undefined });
  });

  test("have the policies of their file", async () => {
    const policies = { version: "1.0", type: "cedarv1", cedar: { policies: ["permit(principal, action, resource);"] } };

    expect((await read({ ...SOUND, has_policies: true }, policies)).access).toEqual({ authz_config: policies });
  });

  test.each([
    ["are no JSON", "{", "cannot be read"],
    ["have an unknown transport", { ...SOUND, transport: "pigeon" }, "transport"],
    ["have a member that nobody knows", { ...SOUND, colour: "red" }, "colour"],
    ["have no pod to attach to", { ...SOUND, attach: undefined }, "attach is missing"],
    ["have no address of a server that speaks HTTP", { ...SOUND, transport: "sse" }, "target is missing"],
    ["name policies that are not there", { ...SOUND, has_policies: true }, "are missing"],
  ])("that %s say so", async (_case, settings, said) => {
    await expect(read(settings)).rejects.toMatchObject({
      code: "CONFIG_INVALID",
      message: expect.stringContaining(said),
    });
  });
});
