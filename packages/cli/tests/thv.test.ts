/** The program as a process: what only a real pipe and a real signal show. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { open, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { listFlags } from "../src/command-line/flag.ts";
import { COMMANDS } from "../src/commands.ts";
import { type BundledThv, bundleThv } from "../src/testing/bundle-thv.ts";

let bundled: BundledThv;

beforeAll(async () => {
  bundled = await bundleThv();
}, 60_000);
afterAll(async () => {
  await bundled[Symbol.asyncDispose]();
});

async function runNode(argv: readonly string[]) {
  const child = spawn(process.execPath, argv, { stdio: ["ignore", "ignore", "pipe"] });
  let stderr = "";
  child.stderr.on("data", (chunk) => {
    stderr += chunk;
  });
  await once(child, "close");
  return { stderr };
}

/** Runs thv; with `leaves`, its reader is gone before it writes. */
async function thv(argv: readonly string[], leaves: readonly ("stdout" | "stderr")[] = []) {
  const child = spawn(process.execPath, [bundled.program, ...argv], {
    env: { PATH: process.env.PATH, HOME: bundled.directory },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const texts = { stdout: "", stderr: "" };
  for (const stream of ["stdout", "stderr"] as const) {
    if (leaves.includes(stream)) child[stream].destroy();
    else {
      child[stream].on("data", (chunk) => {
        texts[stream] += chunk;
      });
    }
  }
  const code = await new Promise<number | null>((resolve) => child.once("close", resolve));
  return { code, ...texts };
}

describe("files of variables", () => {
  test("one that is missing is our error, and NODE_OPTIONS in one is the server's alone", async () => {
    const file = join(bundled.directory, "server.env");
    const marker = join(bundled.directory, "marker.cjs");
    await writeFile(marker, 'console.error("code of the file");\n');
    await writeFile(file, `NODE_OPTIONS=--require ${marker}\nKEY\n`);

    const missing = await thv(["run", "everything", "--env-from", join(bundled.directory, "missing.env")]);
    const present = await thv(["run", "everything", "--env-from", file]);

    expect(missing).toMatchObject({ code: 64, stderr: expect.stringMatching(/^Error: --env-from .*missing\.env/) });
    expect(present).toMatchObject({ code: 64, stderr: expect.stringContaining("KEY has no value") });
    expect(present.stderr).not.toContain("code of the file");
  });

  test("no flag but the old one has a name that Node.js reads wherever it stands", async () => {
    const names = new Set(COMMANDS.flatMap((command) => listFlags(command).map(({ name }) => name)));
    const missing = join(bundled.directory, "missing");
    const read: string[] = [];
    for (const name of [...names].filter(
      (each) => process.allowedNodeEnvironmentFlags.has(`--${each}`) || /env/.test(each),
    )) {
      const { stderr } = await runNode(["-e", "0", "program", `--${name}`, missing]);
      if (stderr !== "") read.push(name);
    }

    expect(read.filter((name) => name !== "env-file")).toEqual([]);
  });
});

describe("the program", () => {
  test("prints its version and exits 0", async () => {
    expect(await thv(["version", "--format", "json"])).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('"version"'),
      stderr: "",
    });
  });

  test("whose reader has had enough ends quietly", async () => {
    expect(await thv(["--help"], ["stdout"])).toEqual({ code: 0, stdout: "", stderr: "" });
  });

  test("that has said what it has done exits 0, also when Ctrl-C comes right after it", async () => {
    const codes = new Set<number | string | null>();
    for (let round = 0; round < 25; round += 1) {
      const child = spawn(process.execPath, [bundled.program, "version"], {
        env: { PATH: process.env.PATH, HOME: bundled.directory },
        stdio: ["ignore", "pipe", "ignore"],
      });
      child.stdout.once("data", () => {
        child.kill("SIGINT");
      });
      codes.add(await new Promise((resolve) => child.once("close", (code, signal) => resolve(signal ?? code))));
    }
    expect([...codes]).toEqual([0]);
  });

  test("keeps its exit code when nobody reads its errors", async () => {
    expect(await thv(["frobnicate"], ["stdout", "stderr"])).toMatchObject({ code: 64 });
  });
});

describe("the program ends as its kind does", () => {
  test.runIf(process.platform === "linux").each([
    ["a list", ["version"]],
    ["help", ["--help"]],
    ["JSON", ["version", "--format", "json"]],
  ])("%s on a full disk is one line and exit 16", async (_what, argv) => {
    const full = await open("/dev/full", "w");
    const child = spawn(process.execPath, [bundled.program, ...argv], {
      env: { PATH: process.env.PATH, HOME: bundled.directory },
      stdio: ["ignore", full.fd, "pipe"],
    });
    let stderr = "";
    child.stderr?.on("data", (chunk) => {
      stderr += chunk;
    });
    const [code] = await once(child, "close");
    await full.close();

    expect({ code, stderr }).toEqual({
      code: 16,
      stderr: "Error: Standard output cannot be written: the disk is full.\n",
    });
  });

  // `script` gives a command a terminal; each system's own takes other arguments.
  test.runIf(process.platform === "linux").each([
    ["SIGTERM", 143],
    ["SIGHUP", 129],
    ["SIGINT", 130],
  ] as const)("%s at a question ends it with %i", async (signal, expected) => {
    const pidFile = join(bundled.directory, `${signal}.pid`);
    const command = `stty cols 100 rows 50; echo $$ > ${pidFile}; exec ${process.execPath} ${bundled.program} secret setup`;
    const child = spawn("script", ["--quiet", "--flush", "--return", "--command", command, "/dev/null"], {
      env: { PATH: process.env.PATH, HOME: bundled.directory, TERM: "xterm", SHELL: "/bin/sh" },
      stdio: ["pipe", "pipe", "ignore"],
    });
    let screen = "";
    child.stdout.on("data", (chunk) => {
      screen += chunk;
    });
    const ended = once(child, "close");
    await vi.waitFor(() => expect(screen).toContain("encrypted"), { timeout: 20_000 });

    process.kill(Number(await readFile(pidFile, "utf8")), signal);

    expect((await ended)[0]).toBe(expected);
    expect(screen).toContain("Cancelled: nothing was changed.");
  });
});
