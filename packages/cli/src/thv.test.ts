/** The program as a process: what only a real pipe and a real signal show. */
import { spawn } from "node:child_process";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type BundledThv, bundleThv } from "./testing/bundle-thv.ts";

let bundled: BundledThv;

beforeAll(async () => {
  bundled = await bundleThv();
}, 60_000);
afterAll(async () => {
  await bundled[Symbol.asyncDispose]();
});

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
