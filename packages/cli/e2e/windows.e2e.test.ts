/**
 * The life of a server with `thv` on Windows: Windows' own Node.js runs the built program under wine. What wine cannot show
 * is listed on the page about the installation: terminals, Docker Desktop's paths, the task scheduler, the keyring.
 */
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { describeEngines, findWindowsObstacle, type TestEngine, WindowsMachine, waitFor } from "@toolhive/testing";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { callEcho } from "../src/testing/mcp-client.ts";

const IMAGE = "mcp/everything:test";

const obstacle = await findWindowsObstacle();
const findObstacle = () => obstacle;

let windows: WindowsMachine;

/** A machine for the tests of a group. */
function useWindows(engine: TestEngine): void {
  beforeAll(async () => {
    windows = await WindowsMachine.create(engine);
  });
  afterEach(() => windows.reset());
  afterAll(() => windows?.[Symbol.asyncDispose]());
}

/** @returns What it printed. */
async function thv(...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await windows.thv(args);
  expect({ args, code, stderr }).toEqual({ args, code: 0, stderr: expect.any(String) });
  return stdout;
}

async function run(name: string): Promise<string> {
  const address = /http:\/\/\S+/.exec(await thv("run", "--name", name, IMAGE))?.[0];
  if (address === undefined) throw new Error("thv run printed no address");
  return address;
}

async function listStates(): Promise<string[]> {
  const all = JSON.parse(await thv("list", "--all", "--format", "json")) as { name: string; status: string }[];
  return all.map(({ name, status }) => `${name} ${status}`);
}

async function readRecord(): Promise<{ pid: number; api?: string }> {
  return JSON.parse(await windows.readState("supervisor.json")) as { pid: number; api?: string };
}

describeEngines("on Windows under wine with $kind", { findObstacle }, (engine) => {
  useWindows(engine);

  test("a server is run, stopped, restarted, listed and removed", async () => {
    const address = await run("life");
    expect(await callEcho(address, "first")).toContain("first");
    expect(await listStates()).toEqual(["life running"]);

    expect(await thv("stop", "life")).toBe("life is stopped.\n");
    expect(await listStates()).toEqual(["life stopped"]);

    expect(await thv("restart", "life")).toContain(address);
    expect(await callEcho(address, "second")).toContain("second");
    expect(await thv("logs", "life")).toContain("default (STDIO) server");

    expect(await thv("rm", "life")).toBe("life is removed.\n");
    expect(await listStates()).toEqual([]);
  });

  test("a supervisor that was killed is replaced, and the server has its address again", async () => {
    const address = await run("survivor");
    const { pid } = await readRecord();

    await windows.kill(pid);

    expect(await listStates()).toEqual(["survivor running"]);
    expect(await callEcho(address, "again")).toContain("again");
    expect((await readRecord()).pid).not.toBe(pid);
  });
});

describeEngines("on Windows under wine, with $kind", { findObstacle, isOneEnough: true }, (engine) => {
  useWindows(engine);

  test("thv serve takes over from the supervisor in the background, and serves the API", async () => {
    await run("served");
    const program = await windows.startThv(["serve", "--port", "0"]);
    const { api } = await waitFor(
      async () => {
        const record = await readRecord();
        return record.api === undefined ? undefined : record;
      },
      { what: "the API's address" },
    );

    await expect
      .poll(async () => await (await fetch(`${api}/api/v1beta/workloads`)).json())
      .toMatchObject({ workloads: [{ name: "served", status: "running" }] });

    await windows.kill((await readRecord()).pid);
    await program.ended;
    expect(await listStates()).toEqual(["served running"]);
  });

  test("a configuration is exported to a path with a drive, and run from there", async () => {
    await run("exported");
    const file = `${await windows.findHome()}\\exported server.json`;

    await thv("export", "exported", file);
    await thv("rm", "exported");
    await thv("run", "--from-config", file);

    expect(JSON.parse(await readFile(windows.locate(file), "utf8"))).toMatchObject({ name: "exported", image: IMAGE });
    expect(await listStates()).toEqual(["exported running"]);
  });

  test("a client's file under the user's folder is changed and put back, its byte order mark and line ends kept", async () => {
    const file = windows.locate(`${await windows.findHome()}\\AppData\\Roaming\\Code\\User\\mcp.json`);
    const before = '\uFEFF{\r\n  "servers": {\r\n    "mine": { "url": "http://127.0.0.1:1/mcp" }\r\n  }\r\n}\r\n';
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, before);
    const address = await run("for-clients");

    await thv("client", "register", "vscode");
    const during = await readFile(file, "utf8");
    await thv("client", "remove", "vscode");

    expect(during).toContain(address);
    expect(during.replaceAll("\r\n", "")).not.toContain("\n");
    expect(await readFile(file, "utf8")).toBe(before);
  });

  test("PowerShell gets its completion, and the names of servers with it", async () => {
    await run("completed");

    expect(await thv("completion", "powershell")).toContain("Register-ArgumentCompleter -Native -CommandName 'thv'");
    expect(await thv("__complete", "--then-empty", "--", "stop")).toContain("completed");
  });

  test("thv doctor says nothing of modes and owners, which Windows does not have", async () => {
    await run("examined");

    const findings = JSON.parse(await thv("doctor", "--format", "json")) as { check: string; message: string }[];

    const messages = findings.map(({ check, message }) => `${check}: ${message}`);
    expect(messages).toContain("folders: settings, data and state can be written");
    expect(findings.filter(({ check }) => check === "supervisor" || check === "engine")).toEqual([
      expect.objectContaining({ check: "engine", status: "ok" }),
      expect.objectContaining({ check: "supervisor", status: "ok" }),
    ]);
  });

  test("the lock of a supervisor that was killed is free, though another program has its id now", async () => {
    await run("reused");
    const { pid } = await readRecord();
    const other = await windows.startNode(["-e", "console.log(process.pid); setInterval(() => {}, 1000)"]);
    const otherPid = await waitFor(async () => Number((await other.readOutput()).stdout), { what: "its id" });
    await windows.kill(pid);
    const lock = windows.locate(`${await windows.findState()}\\supervisor.lock`);
    await writeFile(lock, JSON.stringify({ ...JSON.parse(await readFile(lock, "utf8")), pid: otherPid }));

    expect(await listStates()).toEqual(["reused running"]);
    expect((await readRecord()).pid).not.toBe(otherPid);
  });

  test("a file that another program has open is left as it is, and is replaced once it is closed", async () => {
    await run("exported");
    const home = await windows.findHome();
    const file = `${home}\\open.json`;
    const release = `${home}\\release`;
    await writeFile(windows.locate(file), "mine");
    // The flag shares the file with nobody, as programs of Windows ask for it.
    const program = `const fs = require("node:fs"); const [file, release] = process.argv.slice(1);
      fs.openSync(file, 0x10000000 | fs.constants.O_RDWR); console.log("open");
      setInterval(() => fs.existsSync(release) && process.exit(), 20);`;
    const holder = await windows.startNode(["-e", program, file, release]);
    await waitFor(async () => (await holder.readOutput()).stdout.includes("open"), { what: "the file to be open" });

    const { code, stderr } = await windows.thv(["export", "exported", file, "--force"]);

    expect(stderr).toContain("another program has it open, or you have no permission");
    expect(code).not.toBe(0);
    expect(await readFile(windows.locate(file), "utf8")).toBe("mine");
    expect((await readdir(windows.locate(home))).filter((name) => name.endsWith(".tmp"))).toEqual([]);

    await writeFile(windows.locate(release), "");
    await holder.ended;
    await thv("export", "exported", file, "--force");
    expect(await readFile(windows.locate(file), "utf8")).toContain('"name": "exported"');
  });

  test("a configuration as PowerShell saves it, in UTF-16, is run", async () => {
    await run("saved");
    const file = `${await windows.findHome()}\\saved.json`;
    const text = `\uFEFF${(await thv("export", "saved")).replaceAll("\n", "\r\n")}`;
    await writeFile(windows.locate(file), Buffer.from(text, "utf16le"));
    await thv("rm", "saved");

    await thv("run", "--from-config", file);

    expect(await listStates()).toEqual(["saved running"]);
  });

  test("a folder on a drive is mounted, and one on a share is refused", async () => {
    const folder = `${await windows.findHome()}\\notes`;
    await mkdir(windows.locate(folder), { recursive: true });
    const plan = ["run", "--dry-run", "--format", "json", "--name", "mounts", IMAGE, "--volume"];

    expect(JSON.parse(await thv(...plan, `${folder}:/projects:ro`))).toMatchObject({
      run: { mounts: [{ source: folder, target: "/projects", read_only: true }] },
    });
    const share = await windows.thv([...plan, "\\\\server\\share:/projects"]);
    expect(share).toMatchObject({ code: 64, stderr: expect.stringContaining("names a share or a pipe") });
  });

  test("names of devices are no names of servers, and capitals make no other name", async () => {
    const device = await windows.thv(["run", "--name", "con", IMAGE]);
    expect(device.stderr).toContain("workload name is the name of a device on Windows");
    expect(device.code).not.toBe(0);

    await run("taken");
    expect((await windows.thv(["run", "--name", "Taken", IMAGE])).stderr).toContain('A server named "taken" already');
    expect(await listStates()).toEqual(["taken running"]);
  });

  test("devices and pipes are no files to read a configuration from", async () => {
    for (const device of ["NUL", "\\\\.\\pipe\\nobody"]) {
      const { code, stderr } = await windows.thv(["run", "--from-config", device]);

      expect({ device, code }).not.toEqual({ device, code: 0 });
      expect(stderr).toMatch(/^Error: /);
    }
  });
});
