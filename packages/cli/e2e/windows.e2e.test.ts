/**
 * The life of a server with `thv` on Windows: Windows' own Node.js runs the built program under wine. What wine cannot show
 * is listed on the page about the installation: terminals, Docker Desktop's paths, the task scheduler, the keyring.
 */
import { mkdir, readFile, writeFile } from "node:fs/promises";
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

  test("a server is run, stopped, restarted, looked at and removed", async () => {
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
});
