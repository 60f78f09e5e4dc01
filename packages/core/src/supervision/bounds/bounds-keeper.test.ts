import { spawn } from "node:child_process";
import { once } from "node:events";
import { describe, expect, test } from "vitest";
import { BoundsKeeper } from "./bounds-keeper.ts";
import { type ProcessEntry, type ProcessTable, parseProcessStat, procFiles } from "./process-table.ts";

const MIB = 1024 * 1024;

interface FakeProcess extends Partial<ProcessEntry> {
  readonly pid: number;
  readonly namespace?: string;
  readonly shareBytes?: number;
}

/** Processes that need no machine. */
function createTable(processes: FakeProcess[], { mayKill = true } = {}): ProcessTable & { readonly killed: number[] } {
  const list = () =>
    processes.map((process) => ({
      parent: 1,
      threads: 1,
      residentBytes: MIB,
      startedAt: `at ${process.pid}`,
      ...process,
    }));
  const killed: number[] = [];
  return {
    killed,
    list,
    find: (pid) => list().find((entry) => entry.pid === pid),
    findNamespace: (pid) => (pid === "self" ? "host" : processes.find((process) => process.pid === pid)?.namespace),
    findShareBytes: (pid) => processes.find((process) => process.pid === pid)?.shareBytes,
    kill: (pid) => {
      if (!mayKill) throw new Error("EPERM");
      killed.push(pid);
    },
  };
}

function keep(
  table: ProcessTable,
  limits: { memoryBytes: number; pids: number },
  signal = new AbortController().signal,
) {
  const reasons: string[] = [];
  let ends = 0;
  const keeper = new BoundsKeeper(table);
  const end = async () => {
    ends += 1;
  };
  const isKept = keeper.keep({ pid: 10, limits, signal, onReached: (reason) => reasons.push(reason), end });
  keeper.look();
  return { keeper, isKept, reasons, ends: () => ends };
}

const FIRST = { pid: 10, namespace: "inside" };

describe("a server whose limits the engine cannot keep", () => {
  test("is ended when its processes together reach its memory, with those that the engine started inside", () => {
    const inside = { pid: 12, parent: 5, residentBytes: 300 * MIB, namespace: "inside" };
    const table = createTable([FIRST, { pid: 11, parent: 10, residentBytes: 300 * MIB }, inside]);

    const { reasons } = keep(table, { memoryBytes: 512 * MIB, pids: 0 });

    expect(reasons).toEqual(["The server was ended: its memory reached 512 MiB, and the engine cannot limit it."]);
    expect(table.killed).toEqual([10]);
  });

  test("is not ended for pages that its processes share", () => {
    const forked = [11, 12].map((pid) => ({ pid, parent: 10, residentBytes: 300 * MIB, shareBytes: 150 * MIB }));
    const table = createTable([FIRST, ...forked]);

    expect(keep(table, { memoryBytes: 512 * MIB, pids: 0 }).reasons).toEqual([]);
    expect(table.killed).toEqual([]);
  });

  test("is ended when its processes and threads reach their number, whoever their parents are", () => {
    const table = createTable([FIRST, { pid: 11, parent: 10 }, { pid: 12, parent: 11, threads: 7 }]);

    const { reasons } = keep(table, { memoryBytes: 0, pids: 9 });

    expect(reasons).toEqual([
      "The server was ended: its processes and threads reached 9, and the engine cannot limit it.",
    ]);
  });

  test("is ended by the engine where its first process cannot be killed", () => {
    const table = createTable([{ ...FIRST, threads: 9 }], { mayKill: false });

    expect(keep(table, { memoryBytes: 0, pids: 9 }).ends()).toBe(1);
  });

  test("is left alone for other processes of the machine, and once it is gone", () => {
    const processes = [{ ...FIRST }, { pid: 20, residentBytes: 900 * MIB, namespace: "host" }];
    const gone = new AbortController();
    const table = createTable(processes);
    const { keeper, reasons } = keep(table, { memoryBytes: 512 * MIB, pids: 9 }, gone.signal);
    expect(reasons).toEqual([]);

    gone.abort();
    processes[0] = { ...FIRST, residentBytes: 900 * MIB } as FakeProcess & { namespace: string };

    keeper.look();
    expect(table.killed).toEqual([]);
  });

  test("whose number another process has by now is not ended", () => {
    const processes: FakeProcess[] = [FIRST];
    const table = createTable(processes);
    const { keeper } = keep(table, { memoryBytes: 512 * MIB, pids: 0 });
    processes[0] = { ...FIRST, startedAt: "later", residentBytes: 900 * MIB };

    keeper.look();

    expect(table.killed).toEqual([]);
  });

  test("is not measured when its process belongs to no container on this machine", () => {
    expect(keep(createTable([{ pid: 10, namespace: "host" }]), { memoryBytes: 1, pids: 1 }).isKept).toBe(false);
    expect(keep(createTable([]), { memoryBytes: 1, pids: 1 }).isKept).toBe(false);
  });
});

test("a process is read whatever its name holds", () => {
  const rest = `S 7 ${"0 ".repeat(15)}3 0 4711 0 25 0`;

  expect(parseProcessStat(`42 (a) S (b) ${rest}`)).toEqual({
    pid: 42,
    parent: 7,
    threads: 3,
    residentBytes: 25 * 4096,
    startedAt: "4711",
  });
  expect(parseProcessStat("")).toBeUndefined();
});

test.skipIf(process.platform !== "linux")(
  "real processes are seen with parent and memory (skipped outside Linux)",
  async () => {
    const child = spawn(process.execPath, [
      "-e",
      "const kept = Buffer.alloc(96 * 1024 * 1024, 1); console.log(kept.length); process.stdin.resume().on('end', () => process.exit());",
    ]);
    try {
      await once(child.stdout, "data");
      const entry = procFiles.list().find(({ pid }) => pid === child.pid);

      expect(entry).toMatchObject({ parent: process.pid, startedAt: expect.stringMatching(/^\d+$/) });
      expect(entry?.residentBytes).toBeGreaterThan(96 * MIB);
      expect(procFiles.findShareBytes(child.pid as number)).toBeGreaterThan(96 * MIB);
      expect(procFiles.findNamespace(child.pid as number)).toBe(procFiles.findNamespace("self"));
      procFiles.kill(child.pid as number);
    } finally {
      child.stdin.end();
      if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
    }
    expect(child.signalCode).toBe("SIGKILL");
  },
);
