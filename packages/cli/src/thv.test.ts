/** The program as a process: what only a real pipe and a real signal show. */
import { spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { build } from "esbuild";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

let directory: string;
let program: string;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "thv-program-"));
  await build({
    entryPoints: [join(import.meta.dirname, "thv.ts")],
    outdir: directory,
    outExtension: { ".js": ".mjs" },
    bundle: true,
    splitting: true,
    platform: "node",
    format: "esm",
    external: ["@napi-rs/*"],
    banner: { js: 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);' },
    logLevel: "error",
  });
  program = join(directory, "thv.mjs");
}, 60_000);
afterAll(async () => {
  await rm(directory, { recursive: true });
});

/** Runs thv; with `leaves`, its reader is gone before it writes. */
async function thv(argv: readonly string[], leaves: readonly ("stdout" | "stderr")[] = []) {
  const child = spawn(process.execPath, [program, ...argv], {
    env: { PATH: process.env.PATH, HOME: directory },
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

  test("keeps its exit code when nobody reads its errors", async () => {
    expect(await thv(["frobnicate"], ["stdout", "stderr"])).toMatchObject({ code: 64 });
  });
});
