/**
 * Power loss after each step, a full disk, a missing permission and a read-only file system at each step: what is on the disk afterwards is what was
 * there or what should be there, whole, and the next attempt succeeds.
 */
import { mkdir, mkdtemp, readdir, readFile, rm, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { ClientFileEditor } from "../src/clients/client-file.ts";
import { findClient } from "../src/clients/client-types.ts";
import { ConfigFile } from "../src/config/config-file.ts";
import { EncryptedSecrets } from "../src/secrets/encrypted-secrets.ts";
import { countSteps, type Fault, PowerLoss, setFault } from "../src/testing/failing-files.ts";
import type { RunConfig } from "../src/workload/run-config.ts";
import { RunConfigStore } from "../src/workload/run-config-store.ts";

vi.mock("node:fs/promises", async (importActual) => {
  const { failingFiles } = await import("../src/testing/failing-files.ts");
  return failingFiles(await importActual());
});

/** A process that has ended: a lock that it held may be taken over. */
const DEAD_PROCESS = "999999999";

const LONG_AGO = new Date(0);

/** How a person reads about each fault. */
const WORDS = { ENOSPC: /the disk is full/, EACCES: /no permission/, EROFS: /the file system is read-only/ };

/** Something that is kept in files, and changed from one state into another. */
interface Kept {
  readonly name: string;
  /** Makes the old state in the folder. */
  readonly prepare: (folder: string) => Promise<void>;
  readonly change: (folder: string) => Promise<void>;
  /** Reads the state as a program that has just been started does. */
  readonly read: (folder: string) => Promise<unknown>;
}

const config = (image: string): RunConfig => ({
  ...{ name: "echo", container_name: "echo", base_name: "echo", image, cmd_args: [], transport: "stdio" },
  ...{ proxy_mode: "sse", host: "127.0.0.1", port: 12_345, env_vars: {}, desired_state: "running" },
  created_at: "2026-01-01T00:00:00Z",
});

const quiet = () => undefined;
const secretsIn = (folder: string) =>
  new EncryptedSecrets({
    path: join(folder, "secrets"),
    passwords: async () => ["right and long"],
    log: { error: quiet, warn: quiet, info: quiet, debug: quiet },
    cost: { log2N: 1, r: 1, p: 1 },
  });

const CURSOR = findClient("cursor");
const ORIGINAL = '{\n  // mine\n  "mcpServers": { "other": { "url": "http://other" } }\n}\n';
const cursorFile = (folder: string) => join(folder, ".cursor", "mcp.json");
const editorIn = (folder: string) => new ClientFileEditor({ home: folder, platform: "linux" }, join(folder, "backups"));

async function setEntry(folder: string, entry: object | undefined): Promise<void> {
  if (!CURSOR) throw new Error("Cursor is not among the clients.");
  await editorIn(folder).change(CURSOR, new Map([["echo", entry]]));
}

const KEPT: readonly Kept[] = [
  {
    name: "the configuration of a workload",
    prepare: async (folder) => new RunConfigStore(folder).save(config("old")),
    change: async (folder) => new RunConfigStore(folder).save(config("new")),
    read: async (folder) => new RunConfigStore(folder).load(),
  },
  {
    name: "the removal of a workload's configuration",
    prepare: async (folder) => new RunConfigStore(folder).save(config("old")),
    change: async (folder) => new RunConfigStore(folder).delete("echo"),
    read: async (folder) => new RunConfigStore(folder).load(),
  },
  {
    name: "a secret",
    prepare: async (folder) => {
      await secretsIn(folder).create("right and long");
      await secretsIn(folder).set("token", "old", "absent");
    },
    change: async (folder) => void (await secretsIn(folder).set("token", "new", "present")),
    read: async (folder) => [await secretsIn(folder).find("token"), await secretsIn(folder).list()],
  },
  {
    name: "the password of the secrets",
    prepare: async (folder) => {
      await secretsIn(folder).create("right and long");
      await secretsIn(folder).set("token", "kept", "absent");
    },
    change: async (folder) =>
      void (await secretsIn(folder).changePassword({ current: "right and long", wanted: "right and long" })),
    read: async (folder) => secretsIn(folder).find("token"),
  },
  {
    name: "the settings",
    prepare: async (folder) => writeFile(join(folder, "config.yaml"), "# mine\nca_certificate_path: /old.pem\n"),
    change: async (folder) =>
      void (await new ConfigFile(folder).update((now) => ({ ...now, ca_certificate_path: "/new.pem" }))),
    read: async (folder) => [
      (await new ConfigFile(folder).load()).ca_certificate_path,
      (await readFile(join(folder, "config.yaml"), "utf8")).includes("# mine"),
    ],
  },
  {
    name: "a client's settings, with a first entry",
    prepare: async (folder) => {
      await mkdir(join(folder, ".cursor"));
      await writeFile(cursorFile(folder), ORIGINAL);
    },
    change: (folder) => setEntry(folder, { url: "http://127.0.0.1:1/mcp" }),
    read: async (folder) => readFile(cursorFile(folder), "utf8"),
  },
  {
    name: "a client's settings, without the last entry",
    prepare: async (folder) => {
      await mkdir(join(folder, ".cursor"));
      await writeFile(cursorFile(folder), ORIGINAL);
      await setEntry(folder, { url: "http://127.0.0.1:1/mcp" });
    },
    change: (folder) => setEntry(folder, undefined),
    read: async (folder) => readFile(cursorFile(folder), "utf8"),
  },
];

let folder: string;
beforeEach(async () => {
  setFault(undefined);
  folder = await mkdtemp(join(tmpdir(), "thv-power-"));
});
afterEach(async () => {
  setFault(undefined);
  await rm(folder, { recursive: true, force: true });
});

/** After a power loss the process that held a lock is no more. */
async function abandonLocks(): Promise<void> {
  for (const name of await readdir(folder, { recursive: true })) {
    const path = join(folder, name);
    if (!name.endsWith(".lock")) continue;
    if ((await readFile(path, "utf8")) !== "") await writeFile(path, DEAD_PROCESS);
    // Starting the machine again takes longer than any work under a lock.
    await utimes(path, LONG_AGO, LONG_AGO);
  }
}

/** The states before and after, and how many steps lie between. */
async function measure({ prepare, change, read }: Kept, at: (step: number) => Fault) {
  await prepare(folder);
  const old: unknown = await read(folder);
  // One that never comes: the kind of fault decides what counts as a step.
  setFault(at(Number.POSITIVE_INFINITY));
  await change(folder);
  const steps = countSteps();
  setFault(undefined);
  const states = { old, new: await read(folder), steps };
  await rm(folder, { recursive: true });
  await mkdir(folder);
  return states;
}

describe.each(KEPT)("$name", (kept) => {
  const faults: readonly (readonly [name: string, at: (step: number) => Fault])[] = [
    ["a power loss", (atStep) => ({ kind: "power-loss", atStep })],
    ["a full disk", (atStep) => ({ kind: "error", atStep, code: "ENOSPC" })],
    ["a missing permission", (atStep) => ({ kind: "error", atStep, code: "EACCES" })],
    ["a read-only file system", (atStep) => ({ kind: "error", atStep, code: "EROFS" })],
  ];

  test.each(faults)("is old or new after %s at any step, and the next attempt succeeds", async (_name, at) => {
    const states = await measure(kept, at);
    expect(states.steps).toBeGreaterThan(0);
    for (let step = 1; step <= states.steps; step += 1) {
      const fault = at(step);
      await kept.prepare(folder);
      setFault(fault);
      const failure = await kept.change(folder).then(
        () => undefined,
        (error: unknown) => error,
      );
      setFault(undefined);
      if (fault.kind === "power-loss") {
        expect(failure ?? new PowerLoss()).toBeInstanceOf(Error);
        await abandonLocks();
      }

      if (fault.kind === "error" && failure !== undefined) {
        expect(failure, `at step ${step}`).toMatchObject({
          code: expect.stringMatching(/^(?:CLIENT_)?FILE_FAILED$/),
          message: expect.stringMatching(WORDS[fault.code]),
        });
      }

      const where = `after step ${step} of ${states.steps}`;
      expect([JSON.stringify(states.old), JSON.stringify(states.new)], where).toContain(
        JSON.stringify(await kept.read(folder)),
      );
      await kept.change(folder);
      expect(await kept.read(folder), where).toEqual(states.new);
      await rm(folder, { recursive: true });
      await mkdir(folder);
    }
  });
});

test("a client's settings come back to the byte after any power loss at any step of an edit", async () => {
  const first = KEPT.find(({ name }) => name.includes("first entry"));
  if (!first) throw new Error("There is no such case.");
  const { steps } = await measure(first, (atStep) => ({ kind: "power-loss", atStep }));
  for (let step = 1; step <= steps; step += 1) {
    await first.prepare(folder);
    setFault({ kind: "power-loss", atStep: step });
    await first.change(folder).catch(() => undefined);
    setFault(undefined);
    await abandonLocks();
    await first.change(folder);
    await setEntry(folder, undefined);

    expect(JSON.parse((await readFile(cursorFile(folder), "utf8")).replace("// mine", ""))).toEqual({
      mcpServers: { other: { url: "http://other" } },
    });
    expect(await readFile(cursorFile(folder), "utf8"), `after step ${step} of ${steps}`).toBe(ORIGINAL);
    await rm(folder, { recursive: true });
    await mkdir(folder);
  }
});
