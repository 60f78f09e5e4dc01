import { type ChildProcess, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { mkdir, mkdtemp, readdir, readFile, rm, stat, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { build } from "esbuild";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { isPipeOpen, openLifePipe } from "./life-pipe.ts";
import { acquireProcessLock, isHolderAlive, readHolder } from "./process-lock.ts";

let programs: string;
let directory: string;
let path: string;
const children: ChildProcess[] = [];

/** A process of its own that takes the lock, says how it went, and holds it until it is killed. */
beforeAll(async () => {
  programs = await mkdtemp(join(tmpdir(), "thv-lock-program-"));
  await build({
    stdin: {
      contents: `import { acquireProcessLock } from "./process-lock.ts";
        const result = await acquireProcessLock(process.argv[2]);
        console.log(result.acquired ? "acquired" : "held by " + result.holder.pid);
        setInterval(() => undefined, 1000);`,
      resolveDir: import.meta.dirname,
      loader: "ts",
    },
    bundle: true,
    platform: "node",
    format: "esm",
    outfile: join(programs, "lock.mjs"),
    external: ["@napi-rs/*"],
    logLevel: "error",
  });
});
afterAll(async () => {
  await rm(programs, { recursive: true });
});
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "thv-lock-"));
  path = join(directory, "state/supervisor.lock");
});
afterEach(async () => {
  for (const child of children.splice(0)) await kill(child);
  await rm(directory, { recursive: true });
});

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill("SIGKILL");
  await once(child, "exit");
}

async function takeInAnotherProcess(): Promise<{ child: ChildProcess; said: string }> {
  const child = spawn(process.execPath, [join(programs, "lock.mjs"), path], { stdio: ["ignore", "pipe", "inherit"] });
  children.push(child);
  const [said] = await once(createInterface({ input: child.stdout }), "line");
  return { child, said };
}

describe("the lock", () => {
  test("is taken once, names its holder, and is free again when it is released", async () => {
    const first = await acquireProcessLock(path);
    const second = await acquireProcessLock(path);

    expect(second).toMatchObject({ acquired: false, holder: { pid: process.pid } });
    if (!first.acquired) throw new Error("the lock was not acquired");
    expect(await first.lock.isHeld()).toBe(true);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    await first.lock.release();
    expect(await acquireProcessLock(path)).toMatchObject({ acquired: true });
    expect(await readdir(join(directory, "state"))).toEqual(["supervisor.lock"]);
  });

  test.runIf(process.platform === "linux")(
    "of a holder with a pipe is free when the pipe has gone, whoever has its id (Linux only, whose abstract sockets go with their process, too)",
    async () => {
      const openPipe = () => openLifePipe(`\0toolhive-${randomUUID()}`);
      const first = await acquireProcessLock(path, openPipe);
      const second = await acquireProcessLock(path, openPipe);
      const { pipe } = (await readHolder(path)) ?? {};
      if (!first.acquired || pipe === undefined) throw new Error("the lock was not acquired");
      expect(second).toEqual({ acquired: false, holder: expect.objectContaining({ pid: process.pid, pipe }) });
      expect(await isPipeOpen(pipe)).toBe(true);
      await first.lock.release();
      expect(await isPipeOpen(pipe)).toBe(false);

      // The id of this process, which lives, is in the lock of one that does not.
      await writeFile(path, JSON.stringify({ pid: process.pid, startTicks: "", pipe }));
      const third = await acquireProcessLock(path, openPipe);

      expect(third).toMatchObject({ acquired: true });
      if (third.acquired) await third.lock.release();
    },
  );

  test("is won by exactly one of many processes that start at the same time", async () => {
    const results = await Promise.all(Array.from({ length: 6 }, takeInAnotherProcess));

    const winners = results.filter(({ said }) => said === "acquired");
    expect(winners).toHaveLength(1);
    const losers = results.filter(({ said }) => said !== "acquired").map(({ said }) => said);
    expect(new Set(losers)).toEqual(new Set([`held by ${winners[0]?.child.pid}`]));
  });

  test("of a holder that was killed is won by exactly one of many processes", async () => {
    const { child } = await takeInAnotherProcess();
    await kill(child);

    const results = await Promise.all(Array.from({ length: 6 }, takeInAnotherProcess));

    expect(results.filter(({ said }) => said === "acquired")).toHaveLength(1);
    expect(await readdir(join(directory, "state"))).toEqual(["supervisor.lock"]);
  });

  test.skipIf(process.platform !== "linux")(
    "of a holder whose id another process has now is free (needs Linux)",
    async () => {
      await acquireProcessLock(path);
      const holder = JSON.parse(await readFile(path, "utf8")) as { pid: number; startTicks: string };

      await writeFile(path, JSON.stringify({ ...holder, startTicks: "1" }));

      expect(await acquireProcessLock(path)).toMatchObject({ acquired: true });
    },
  );

  test.each(["", "{", "null", '{"pid":"1"}'])("whose file holds %j is free", async (text) => {
    const taken = await acquireProcessLock(path);
    await writeFile(path, text);

    expect(await acquireProcessLock(path)).toMatchObject({ acquired: true });
    expect(taken.acquired).toBe(true);
  });

  test("can be taken over after a takeover that was abandoned", async () => {
    const { child } = await takeInAnotherProcess();
    await kill(child);
    await writeFile(`${path}.takeover`, "");
    const longAgo = new Date(Date.now() - 60_000);
    await utimes(`${path}.takeover`, longAgo, longAgo);

    expect(await acquireProcessLock(path)).toMatchObject({ acquired: true });
    expect(await readdir(join(directory, "state"))).toEqual(["supervisor.lock"]);
  });

  test("that somebody deleted is not held any more, and its release leaves a successor's lock alone", async () => {
    const first = await acquireProcessLock(path);
    if (!first.acquired) throw new Error("the lock was not acquired");
    await rm(path);
    expect(await first.lock.isHeld()).toBe(false);
    const { child, said } = await takeInAnotherProcess();

    await first.lock.release();

    expect(said).toBe("acquired");
    expect(await readHolder(path)).toMatchObject({ pid: child.pid });
  });
});

describe("a lock that is held", () => {
  test.each([
    ["cannot be read", async () => await rm(path).then(() => mkdir(path)), true],
    ["holds what is no holder", async () => await writeFile(path, "{"), true],
    ["is gone", async () => await rm(path), false],
    ["is of another process", async () => await writeFile(path, '{"pid":1,"startTicks":"1"}'), false],
  ])("whose file %s: held is %s", async (_what, change, isHeld) => {
    const taken = await acquireProcessLock(path);
    if (!taken.acquired) throw new Error("the lock was not acquired");
    await change();

    expect(await taken.lock.isHeld()).toBe(isHeld);
  });
});

describe("isHolderAlive", () => {
  test("distinguishes a running process from one that has ended", async () => {
    const { child } = await takeInAnotherProcess();
    const holder = await readHolder(path);
    if (!holder) throw new Error("there is no holder");

    expect(await isHolderAlive(holder)).toBe(true);
    await kill(child);
    expect(await isHolderAlive(holder)).toBe(false);
  });
});
