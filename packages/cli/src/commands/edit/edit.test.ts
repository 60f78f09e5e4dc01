/** `thv edit` with flags, against a supervisor over a simulated machine. */
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { ApiClient } from "@toolhive/api/client";
import { answeringServer, exitingServer } from "@toolhive/core/testing";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { ServedThv } from "../../testing/served-thv.ts";

let thv: ServedThv;
let url: string;
beforeEach(async () => {
  thv = await ServedThv.start();
  thv.served.world.engine.registry.set("mcp/echo:2", answeringServer);
  thv.served.world.engine.registry.set("mcp/exits:1", exitingServer(3));
  const ran = await thv.call([
    ...["run", "--name", "first", "--env", "UNITS=metric", "--env", "OLD=1", "--memory", "1g", "--cpus", "1"],
    "mcp/echo:1",
  ]);
  url = /http:\S+/.exec(ran.stdout)?.[0] ?? "";
});
afterEach(async () => {
  await thv[Symbol.asyncDispose]();
});

const edit = async (...flags: readonly string[]) => await thv.call(["edit", "first", ...flags]);
const readRequest = async (): Promise<Record<string, unknown>> => {
  const client = new ApiClient({ socketPath: thv.files.socket });
  return { ...(await client.call("exportWorkload", { params: { name: "first" } })) };
};
const find = () => thv.served.world.engine.find("first");

describe("edit with flags", () => {
  test("changes what they name, keeps the rest and the address, and prints what differs first", async () => {
    const edited = await edit("--env", "UNITS=imperial", "--memory", "512m", "--unset", "env.OLD");

    expect(edited).toMatchObject({ code: 0, stdout: `first is changed (env.OLD, env.UNITS, memory): ${url}\n` });
    expect(edited.stderr).toContain(
      "first changes:\n    env.OLD is removed\n    env.UNITS has a different value\n    memory: 1g → 512m\n",
    );
    expect(edited.stderr + edited.stdout).not.toContain("imperial");
    expect(find()?.spec.env).toMatchObject({ UNITS: "imperial" });
    expect(find()?.spec.env).not.toHaveProperty("OLD");
    expect(await readRequest()).toMatchObject({ limits: { memory_bytes: 512 * 1024 * 1024, cpus: 1 } });
  });

  test("runs another tag, with other arguments, volumes and tools", async () => {
    await mkdir(join(thv.home, "maps"));
    const volume = `${join(thv.home, "maps")}:/data:ro`;

    const edited = await edit("--image", "mcp/echo:2", "--volume", volume, "--label", "team=maps", "--", "-v");

    expect(edited.code, edited.stderr).toBe(0);
    expect(await readRequest()).toMatchObject({
      image: "mcp/echo:2",
      volumes: [volume],
      labels: { team: "maps" },
      cmd_arguments: ["-v"],
      env_vars: ["UNITS=metric", "OLD=1"],
    });
    const removed = await edit("--unset", "volume./data", "--unset", "args", "--unset", "labels");
    expect(removed.code, removed.stderr).toBe(0);
    expect(await readRequest()).toMatchObject({ cmd_arguments: [] });
    expect(await readRequest()).not.toHaveProperty("volumes");
  });

  test("turns a switch off", async () => {
    await edit("--read-only");
    expect(await readRequest()).toMatchObject({ read_only: true });

    expect((await edit("--read-only=false")).stdout).toContain("first is changed (read_only)");
    expect(await readRequest()).not.toMatchObject({ read_only: true });
  });

  test("does not restart the server for another choice of tools", async () => {
    const before = find();

    const edited = await edit("--tools", "echo", "--format", "json");

    expect(JSON.parse(edited.stdout)).toMatchObject({
      name: "first",
      changes: [{ member: "tools", kind: "added" }],
      restarted: false,
      url,
    });
    expect(find()).toBe(before);
  });

  test("has nothing to do for settings that the server has already", async () => {
    const before = find();

    expect(await edit("--env", "UNITS=metric")).toMatchObject({
      code: 0,
      stdout: "first already has these settings.\n",
    });
    expect(find()).toBe(before);
  });

  test("shows with --dry-run, and changes nothing", async () => {
    const before = await readRequest();

    const shown = await edit("--cpus", "2", "--dry-run");
    expect(shown.stdout).toBe("first would change:\n    cpus: 1 → 2\n");
    expect(shown.stderr).toContain("Leave --dry-run out to change it, and restart the server.");
    expect(JSON.parse((await edit("--cpus", "2", "--dry-run", "--format", "json")).stdout)).toEqual({
      name: "first",
      changes: [{ member: "limits.cpus", kind: "changed", before: "1", after: "2" }],
      restarts: true,
      warnings: [],
    });
    expect(await readRequest()).toEqual(before);
  });

  test("that does not start leaves the server running as it was", async () => {
    const before = await readRequest();

    const edited = await edit("--image", "mcp/exits:1");

    expect(edited.code).not.toBe(0);
    expect(edited.stderr).toContain("It runs as it did before.");
    expect(await readRequest()).toEqual(before);
    expect((await thv.call(["list"])).stdout).toMatch(/first\s.*running/);
  });

  test("of a stopped server leaves it stopped", async () => {
    await thv.call(["stop", "first"]);

    expect(await edit("--env", "UNITS=imperial")).toMatchObject({
      code: 0,
      stdout: "first is changed (env.UNITS); it is stopped\n",
    });
  });

  test("asks on a terminal, and a no changes nothing", async () => {
    const before = await readRequest();

    const asked = await thv.call(["edit", "first", "--cpus", "2"], {
      isTty: true,
      answers: [["Change first, and restart it?", "n"]],
    });

    expect(asked.stderr).toContain("cpus: 1 → 2");
    expect(asked.code).not.toBe(0);
    expect(await readRequest()).toEqual(before);
  });

  test("gives a stored secret in the place of a variable", async () => {
    thv.served.world.secrets.set("units", "imperial");

    expect((await edit("--secret", "units,target=UNITS")).code).toBe(0);

    expect(await readRequest()).toMatchObject({ env_vars: ["OLD=1"], secrets: [{ name: "units", target: "UNITS" }] });
  });

  test("of a server of a project file says that thv up changes it back", async () => {
    const file = join(thv.home, "thv.yaml");
    await writeFile(file, 'servers: { second: { run: "mcp/echo:1" } }\n');
    await thv.call(["up", "--file", file, "--yes"]);

    const edited = await thv.call(["edit", "second", "--env", "A=1"]);

    expect(edited.stderr).toContain(`second belongs to ${file}, and thv up changes it back`);
  });
});

describe("edit --undo", () => {
  test("shows what it takes back, takes it back, and makes it again the second time", async () => {
    const before = await readRequest();
    await edit("--env", "UNITS=imperial", "--image", "mcp/echo:2");
    const changed = await readRequest();

    expect((await edit("--undo", "--dry-run")).stdout).toBe(
      "first would change:\n    env.UNITS has a different value\n    image: mcp/echo:2 → mcp/echo:1\n",
    );
    expect(await edit("--undo")).toMatchObject({ code: 0, stdout: `first is changed (env.UNITS, image): ${url}\n` });
    expect(await readRequest()).toEqual(before);
    expect((await edit("--undo")).code).toBe(0);
    expect(await readRequest()).toEqual(changed);
  });

  test("takes back what another program changed, without a restart where none is needed", async () => {
    const body = { image: "mcp/echo:1", ...(await readRequest()), tools: ["echo"] };
    await new ApiClient({ socketPath: thv.files.socket }).call("editWorkload", { params: { name: "first" }, body });
    const running = find();

    const undone = await edit("--undo", "--format", "json");

    expect(JSON.parse(undone.stdout)).toMatchObject({
      changes: [{ member: "tools", kind: "removed" }],
      restarted: false,
    });
    expect(find()).toBe(running);
    expect(await readRequest()).not.toHaveProperty("tools");
  });

  test("is refused where nothing was changed, also for a new server of an old name", async () => {
    const refused = await edit("--undo");
    expect(refused.code).not.toBe(0);
    expect(refused.stderr).toContain('"first" has no change that could be undone.');

    await edit("--cpus", "2");
    await thv.call(["rm", "first"]);
    await thv.call(["run", "--name", "first", "mcp/echo:1"]);
    expect((await edit("--undo")).stderr).toContain("no change that could be undone");
    expect((await edit("--undo", "--cpus", "1")).stderr).toContain("changes no other setting");
  });
});

describe("edit refuses", () => {
  test.each([
    [["--unset", "env.NOPE"], '"first" has no env.NOPE'],
    [["--unset", "enb.UNITS"], 'there is no setting "enb"; did you mean env.UNITS?'],
    [["--unset", "memory.x"], "memory is taken away as a whole: --unset memory"],
    [["--unset", "image"], 'there is no setting "image"'],
    [["--env", "=x"], 'has no name before "="'],
    [["--memory", "1"], "--memory"],
    [["--user", "nobody"], "--user"],
    [["--name", "second"], "a server keeps its name"],
    [["--group", "work"], "thv group add"],
    [[], "needs a setting to change, or a terminal for your editor"],
  ])("%j with the reason", async (flags, reason) => {
    const before = await readRequest();

    const refused = await edit(...flags);

    expect(refused.code).not.toBe(0);
    expect(refused.stderr).toContain(reason);
    expect(await readRequest()).toEqual(before);
  });

  test("a server that does not exist", async () => {
    expect((await thv.call(["edit", "nobody", "--cpus", "1"])).stderr).toContain("nobody");
  });
});
