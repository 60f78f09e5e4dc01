import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { build, type Metafile } from "esbuild";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { bundleProgram, describeBundle, escapeWide } from "../bundle.mjs";
import { listStartChunks } from "../join-start.mjs";

test("the bundler opens none of the Kubernetes library's generated models, which would be most of the time of a build", async () => {
  const { metafile } = await build({
    ...(await describeBundle("0.0.0")),
    stdin: {
      contents: 'export { KubeConfig } from "@kubernetes/client-node/dist/config.js";',
      resolveDir: `${import.meta.dirname}/../../operator`,
    },
    format: "esm",
    write: false,
    logLevel: "error",
  });
  const files = Object.keys(metafile.inputs).filter((file) => file.includes("/@kubernetes/client-node/"));

  expect(files.some((file) => file.endsWith("/gen/configuration.js"))).toBe(true);
  expect(files.filter((file) => file.includes("/gen/models/") || file.includes("/gen/apis/"))).toEqual([]);
});

describe("the program", () => {
  /** Opening and linking a file costs every start more than parsing it. */
  const MAX_FILES = 6;
  /** Definitions of commands are most of it: parsing, help and completion of each word need all of them. */
  const MAX_BYTES = 155_000;

  let folder = "";
  /** Of all files of the program, read once more: the bundler refuses an import that its file does not export. */
  let metafile: Metafile;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "thv-bundle-"));
    await bundleProgram(folder, "1.2.3");
    const chunks = readdirSync(join(folder, "chunks")).map((name) => join(folder, "chunks", name));
    ({ metafile } = await build({
      absWorkingDir: folder,
      entryPoints: [join(folder, "thv.mjs"), ...chunks],
      bundle: true,
      splitting: true,
      packages: "external",
      write: false,
      metafile: true,
      platform: "node",
      format: "esm",
      outdir: join(folder, "out"),
      logLevel: "error",
    }));
  }, 120_000);
  afterAll(() => rmSync(folder, { recursive: true }));

  /** @returns Files that are loaded when a module of the program is, with it. */
  function listLoaded(name: string): string[] {
    const input = Object.keys(metafile.inputs).find((path) => basename(path).startsWith(name)) ?? "";
    return [...listStartChunks(input, { outputs: metafile.inputs as unknown as Metafile["outputs"] }), input];
  }

  test("loads few files for thv version, and none that its handler does not need", () => {
    const files = [...new Set([...listLoaded("thv.mjs"), ...listLoaded("version-")])];
    const bytes = files.map((file) => statSync(join(folder, file)).size).reduce((sum, size) => sum + size, 0);

    expect(files.map((file) => basename(file).replace(/-.*/, ""))).toEqual(
      expect.arrayContaining(["thv.mjs", "start", "version"]),
    );
    expect(files.length).toBeLessThanOrEqual(MAX_FILES);
    expect(bytes).toBeLessThanOrEqual(MAX_BYTES);
  });

  test("has no character in any file for which V8 would hold the whole file in two bytes a character", () => {
    const files = ["thv.mjs", ...readdirSync(join(folder, "chunks")).map((name) => join("chunks", name))];

    expect(files.filter((file) => /[^\0-\xff]/.test(readFileSync(join(folder, file), "utf8")))).toEqual([]);
  });

  test("loads no parser of types in TypeScript's syntax, no signatures of tokens, and no client of HTTP servers for the supervisor", () => {
    const holds = (file: string, text: string) => readFileSync(join(folder, file), "utf8").includes(text);
    const program = Object.keys(metafile.inputs).find((file) => holds(file, '"supervisor started"')) ?? "";
    const supervisor = listLoaded(basename(program));

    expect(supervisor.filter((file) => holds(file, "WorkloadSupervisor=class"))).toHaveLength(1);
    expect(supervisor.filter((file) => holds(file, "function Script("))).toEqual([]);
    expect(supervisor.filter((file) => holds(file, "ERR_JWS_SIGNATURE_VERIFICATION_FAILED"))).toEqual([]);
    expect(supervisor.filter((file) => holds(file, "llhttp"))).toEqual([]);
  });

  test("loads no client of Kubernetes for the proxy of a server on HTTP in a cluster", () => {
    const proxy = listLoaded("runner-");

    expect(proxy.length).toBeGreaterThan(10);
    expect(proxy.filter((file) => readFileSync(join(folder, file), "utf8").includes("KubeConfig=class"))).toEqual([]);
  });

  test.each([
    [["version"], "ToolHive v1.2.3"],
    [["help", "run"], "thv run"],
    [["completion", "bash"], "thv"],
  ])("answers thv %j", (args, expected) => {
    expect(execFileSync(process.execPath, [join(folder, "thv.mjs"), ...args], { encoding: "utf8" })).toContain(
      expected,
    );
  });
});

describe("a script with characters of more than one byte", () => {
  test("says the same with escapes in strings and in regular expressions", () => {
    const script = 'const found = /^[❯➜×]{2}$/u.exec("❯×"); globalThis.found = [found[0], "…\u{1f600}".length];';
    const escaped = escapeWide(script);

    expect(escaped).not.toMatch(/[^\0-\xff]/);
    const evaluate = (text: string) => new Function(`${text} const { found: all } = globalThis; return all;`)();
    expect(evaluate(escaped)).toEqual(evaluate(script));
  });

  test("is refused where an escape would mean its letters", () => {
    expect(() => escapeWide("const text = String.raw`…`;")).toThrow("cannot be escaped");
  });
});
