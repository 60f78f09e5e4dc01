import { execFileSync } from "node:child_process";
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { RunConfig } from "./run-config.ts";
import { RunConfigStore } from "./run-config-store.ts";

let state: string;
let store: RunConfigStore;
beforeEach(async () => {
  state = await mkdtemp(join(tmpdir(), "thv-configs-"));
  store = new RunConfigStore(state);
});
afterEach(async () => {
  await rm(state, { recursive: true, force: true });
});

function config(name: string, changes: Partial<RunConfig> = {}): RunConfig {
  return {
    name,
    container_name: name,
    base_name: name,
    image: "mcp/echo:1",
    cmd_args: ["--verbose"],
    transport: "stdio",
    proxy_mode: "streamable-http",
    host: "127.0.0.1",
    port: 12_345,
    env_vars: { TOKEN: "s3cret" },
    desired_state: "running",
    created_at: "2026-01-02T03:04:05.678Z",
    ...changes,
  };
}

const file = (name: string) => join(state, "runconfigs", name);

describe("RunConfigStore", () => {
  test("has nothing to load on a fresh home, and makes its directory private", async () => {
    expect(await store.load()).toEqual({ configs: [], damaged: [] });
    expect((await stat(join(state, "runconfigs"))).mode & 0o777).toBe(0o700);
  });

  test("gives back what was saved, sorted by name, in files that only the user can read", async () => {
    await store.save(config("beta"));
    await store.save(config("alpha", { desired_state: "stopped" }));

    expect(await store.load()).toEqual({
      configs: [config("alpha", { desired_state: "stopped" }), config("beta")],
      damaged: [],
    });
    expect((await stat(file("beta.json"))).mode & 0o777).toBe(0o600);
  });

  test("gives back any environment and arguments unchanged", async () => {
    const anyText = fc.string({ unit: "grapheme" });
    await fc.assert(
      fc.asyncProperty(fc.dictionary(anyText, anyText), fc.array(anyText), async (env_vars, cmd_args) => {
        const saved = config("any", { env_vars, cmd_args });

        await store.save(saved);

        expect((await store.load()).configs).toEqual([saved]);
      }),
      { numRuns: 30 },
    );
  });

  test("deletes a configuration, and deleting it again succeeds", async () => {
    await store.save(config("alpha"));

    await store.delete("alpha");
    await store.delete("alpha");

    expect(await store.load()).toEqual({ configs: [], damaged: [] });
  });

  test.each([
    ["is cut off", '{"name": "alpha"', /not JSON/],
    ["is empty", "", /not JSON/],
    ["holds something else than an object", "[]", /object/],
    ["lacks a member", JSON.stringify({ ...config("alpha"), port: undefined }), /port/],
    [
      "has a port out of range",
      JSON.stringify(config("alpha", { port: 70_000 })),
      /port is 70000 but must be at most 65535/,
    ],
    [
      "has an unknown desired state",
      JSON.stringify({ ...config("alpha"), desired_state: "flying" }),
      /desired_state is "flying" but must be one of/,
    ],
    ["names another workload", JSON.stringify(config("beta")), /the file is for "alpha" but names "beta"/],
  ])("reports a file that %s, and leaves it and the others as they are", async (_what, text, reason) => {
    await store.save(config("good"));
    await writeFile(file("alpha.json"), text);

    const { configs, damaged } = await store.load();

    expect(configs).toEqual([config("good")]);
    expect(damaged).toEqual([
      { name: "alpha", path: file("alpha.json"), code: "STATE_CORRUPT", reason: expect.stringMatching(reason) },
    ]);
    expect(await readFile(file("alpha.json"), "utf8")).toBe(text);
  });

  test("reads a file of 0.1.0, which says no version, and says one when it saves", async () => {
    await mkdir(join(state, "runconfigs"));
    await writeFile(file("alpha.json"), JSON.stringify(config("alpha")));

    expect(await store.load()).toEqual({ configs: [config("alpha")], damaged: [] });
    await store.save(config("alpha", { desired_state: "stopped" }));

    expect(JSON.parse(await readFile(file("alpha.json"), "utf8"))).toMatchObject({ state_version: 1 });
    expect(await store.find("alpha")).toEqual(config("alpha", { desired_state: "stopped" }));
  });

  test("keeps a remote server without an image, in a file that older programs do not take for damaged", async () => {
    const remote = config("web", { image: "", remote_url: "https://mcp.example.com/mcp", transport: "sse" });
    await store.save(remote);

    const written = JSON.parse(await readFile(file("web.json"), "utf8")) as object;
    expect(written).toMatchObject({ state_version: 2, remote_url: "https://mcp.example.com/mcp" });
    expect(written).not.toHaveProperty("image");
    expect(await store.load()).toEqual({ configs: [remote], damaged: [] });
  });

  test("refuses a file of a newer version, whatever else is in it, and leaves it as it is", async () => {
    await store.save(config("good"));
    const text = JSON.stringify({ state_version: 2, name: "alpha", walls: ["thick"] });
    await writeFile(file("alpha.json"), text);

    const { configs, damaged } = await store.load();
    const found = await store.find("alpha").catch((error: unknown) => error);

    expect(configs).toEqual([config("good")]);
    const message = `${file("alpha.json")} was written by a newer thv: it is of version 2, and this thv reads up to 1.`;
    expect(damaged).toEqual([{ name: "alpha", path: file("alpha.json"), code: "STATE_TOO_NEW", reason: message }]);
    expect(found).toMatchObject({ code: "STATE_TOO_NEW", message, hint: expect.stringContaining("stays as it is") });
    expect(await readFile(file("alpha.json"), "utf8")).toBe(text);
  });

  test.each([
    ["a text", "2"],
    ["nothing", null],
    ["zero", 0],
    ["a fraction", 1.5],
    ["a list", [1]],
  ])("reports %s in place of the version as a damage", async (_what, state_version) => {
    await mkdir(join(state, "runconfigs"));
    await writeFile(file("alpha.json"), JSON.stringify({ ...config("alpha"), state_version }));

    expect((await store.load()).damaged).toMatchObject([
      { code: "STATE_CORRUPT", reason: "state_version must be a whole number of at least 1" },
    ]);
  });

  test.skipIf(process.platform !== "linux" || process.getuid?.() !== 0)(
    "stops a workload of either version on a full disk (needs Linux and root for a disk of its own)",
    async () => {
      execFileSync("mount", ["-t", "tmpfs", "-o", "size=64k", "tmpfs", state]);
      try {
        await store.save(config("new"));
        await writeFile(file("old.json"), `${JSON.stringify(config("old"), null, 2)}\n`);
        await writeFile(join(state, "filler"), "x".repeat(60_000)).catch(() => undefined);
        await expect(store.save(config("another"))).rejects.toMatchObject({ cause: { code: "ENOSPC" } });

        for (const name of ["new", "old"]) await store.save(config(name, { desired_state: "stopped" }));

        const states = (await store.load()).configs.map(({ name, desired_state }) => [name, desired_state]);
        expect(states).toEqual([
          ["new", "stopped"],
          ["old", "stopped"],
        ]);
      } finally {
        execFileSync("umount", [state]);
      }
    },
  );

  test("never repeats the value of an environment variable in the reason of a damage", async () => {
    await mkdir(join(state, "runconfigs"));
    await writeFile(file("alpha.json"), `{"env_vars": {"TOKEN": s3cret}}`);
    await writeFile(file("beta.json"), JSON.stringify({ ...config("beta"), env_vars: { TOKEN: ["s3cret"] } }));

    const { damaged } = await store.load();

    expect(damaged).toHaveLength(2);
    expect(JSON.stringify(damaged)).not.toContain("s3cret");
  });

  test("removes what an interrupted write left, and leaves other files alone", async () => {
    await store.save(config("alpha"));
    await writeFile(file("alpha.json.0123456789ab.tmp"), "half");
    await writeFile(file("notes.txt"), "mine");

    await store.load();

    expect((await readdir(join(state, "runconfigs"))).sort()).toEqual(["alpha.json", "notes.txt"]);
  });

  test("reports a directory in place of a file", async () => {
    await mkdir(file("alpha.json"), { recursive: true });

    expect((await store.load()).damaged).toEqual([
      { name: "alpha", path: file("alpha.json"), code: "STATE_CORRUPT", reason: "it is no regular file" },
    ]);
  });

  test("fails to save where its directory cannot be made, and says where", async () => {
    await writeFile(join(state, "runconfigs"), "a file");

    await expect(store.save(config("alpha"))).rejects.toThrow(/runconfigs/);
  });
});
