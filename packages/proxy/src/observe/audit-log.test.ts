import { execFileSync } from "node:child_process";
import { constants } from "node:fs";
import { mkdir, mkdtemp, open, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Logger } from "@toolhive/core";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { openGuarded } from "../testing/open-guarded.ts";
import { initializeBody, post } from "../testing/raw-client.ts";
import { type AuditLog, openAuditLog } from "./audit-log.ts";

const SILENT: Logger = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };
const WAIT = { timeout: 20_000, interval: 20 };

let folder: string;
let path: string;
let log: AuditLog | undefined;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "thv-audit-log-"));
  path = join(folder, "audit.log");
});
afterEach(async () => {
  await log?.close();
  log = undefined;
  await rm(folder, { recursive: true });
});

/** Numbers of the events in a file; lines that are no JSON are counted as torn. */
async function read(file: string): Promise<{ numbers: number[]; torn: number }> {
  const lines = (await readFile(file, "utf8").catch(() => "")).split("\n").filter((line) => line !== "");
  const numbers: number[] = [];
  let torn = 0;
  for (const line of lines) {
    try {
      numbers.push((JSON.parse(line) as { n: number }).n);
    } catch {
      torn += 1;
    }
  }
  return { numbers, torn };
}

const range = (from: number, to: number) => Array.from({ length: to - from }, (_, at) => from + at);

test("many events are written in their order, each on a line of its own", async () => {
  log = await openAuditLog(path, SILENT);
  for (const n of range(0, 5_000)) log.write({ n, filler: "x".repeat(200) });
  await log.close();

  expect(await read(path)).toEqual({ numbers: range(0, 5_000), torn: 0 });
});

test("a rotated file is followed: what comes later is in the new one, which only its owner can read", async () => {
  log = await openAuditLog(path, SILENT);
  log.write({ n: 0 });
  await expect.poll(async () => (await read(path)).numbers, WAIT).toEqual([0]);
  await rename(path, `${path}.1`);

  let n = 1;
  await expect
    .poll(async () => {
      log?.write({ n: n++ });
      return (await read(path)).numbers.length;
    }, WAIT)
    .toBeGreaterThan(0);
  await log.close();
  const [old, fresh] = [await read(`${path}.1`), await read(path)];

  expect([...old.numbers, ...fresh.numbers]).toEqual(range(0, n));
  expect((await stat(path)).mode & 0o777).toBe(0o600);
});

test("a folder that is gone for a while loses nothing that fits into the memory", async () => {
  const away = join(folder, "logs");
  await mkdir(away);
  log = await openAuditLog(join(away, "audit.log"), SILENT);
  await rename(away, `${away}.away`);
  let n = 0;
  await expect
    .poll(() => {
      log?.write({ n: n++ });
      return log?.isWritable;
    }, WAIT)
    .toBe(false);
  await rename(`${away}.away`, away);
  await expect.poll(() => log?.isWritable, WAIT).toBe(true);
  await log.close();

  expect(await read(join(away, "audit.log"))).toEqual({ numbers: range(0, n), torn: 0 });
});

describe.skipIf(process.platform === "win32")(
  "what is no regular file (skipped on Windows, which has no such paths)",
  () => {
    const makePipe = () => execFileSync("mkfifo", [path]);
    // A reader lets go of whoever waits for one, so that a test that fails ends.
    afterEach(async () => {
      const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK).catch(() => undefined);
      await file?.close();
    });

    test("a pipe that nobody reads is refused, and holds nothing up", async () => {
      makePipe();

      await expect(openAuditLog(path, SILENT)).rejects.toThrow(`${path} cannot be opened: ENXIO.`);
    });

    test("a pipe at the place of a rotated file is no end of auditing", async () => {
      log = await openAuditLog(path, SILENT);
      await rename(path, `${path}.1`);
      makePipe();
      let n = 0;
      const isWritable = () => {
        log?.write({ n: n++ });
        return log?.isWritable;
      };
      await expect.poll(isWritable, WAIT).toBe(false);
      await rename(path, `${path}.pipe`);
      await expect.poll(isWritable, WAIT).toBe(true);
      await log.close();
      const [old, fresh] = [await read(`${path}.1`), await read(path)];

      expect([...old.numbers, ...fresh.numbers]).toEqual(range(0, n));
    });

    test("a device is refused and keeps its mode", async () => {
      const { mode } = await stat("/dev/null");

      await expect(openAuditLog("/dev/null", SILENT)).rejects.toThrow("it is no regular file");
      expect((await stat("/dev/null")).mode).toBe(mode);
    });
  },
);

const needsDisk = process.platform !== "linux" || process.getuid?.() !== 0;

describe.skipIf(needsDisk)("on a small disk of its own (needs Linux and root)", () => {
  beforeEach(() => {
    execFileSync("mount", ["-t", "tmpfs", "-o", "size=64k", "tmpfs", folder]);
  });
  afterEach(async () => {
    await log?.close();
    execFileSync("umount", [folder]);
  });

  test("when it was full and has room again, everything is there once, and the torn line is ended", async () => {
    log = await openAuditLog(path, SILENT);
    for (const n of range(0, 500)) log.write({ n, filler: "x".repeat(200) });
    await expect.poll(() => log?.isWritable, WAIT).toBe(false);
    execFileSync("mount", ["-o", "remount,size=4m", folder]);
    await expect.poll(() => log?.isWritable, WAIT).toBe(true);
    log.write({ n: 500 });
    await log.close();

    const { numbers, torn } = await read(path);
    expect(numbers).toEqual(range(0, 501));
    expect(torn).toBeLessThanOrEqual(1);
  });

  test.each([
    ["with required, calls are refused while it is full, and go on when there is room", true],
    ["without it they go on, although they are not written down", false],
  ])("%s", async (_what, required) => {
    await using guarded = await openGuarded({
      needsToken: false,
      access: { audit_config: { log_file: path, required } },
    });
    const postForStatus = async () => (await post(guarded.endpoint, initializeBody())).status;
    const before = await postForStatus();
    const filling = join(folder, "filling");
    await writeFile(filling, Buffer.alloc(70_000)).catch(() => undefined);
    const statuses: number[] = [];
    // The page that the file has already takes some more.
    for (let at = 0; at < 60; at++) statuses.push(await postForStatus());
    const whileFull = await postForStatus();
    await rm(filling);

    await expect.poll(postForStatus, WAIT).toBe(200);
    expect(before).toBe(200);
    expect(whileFull).toBe(required ? 503 : 200);
    expect(new Set(statuses)).toEqual(new Set(required ? [200, 503] : [200]));
  });
});
