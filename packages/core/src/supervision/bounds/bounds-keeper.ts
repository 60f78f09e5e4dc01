/**
 * Keeps bounds on memory and processes where the engine cannot: reads the processes of a container at intervals, shorter ones
 * near a bound, and ends a container that reaches one.
 */
import type { ResourceLimits } from "../../ports/container-engine.ts";
import type { ProcessEntry, ProcessTable } from "./process-table.ts";

/** Milliseconds between readings: the memory of a greedy server grows by some hundred MiB in the longer one. */
const LOOK_MS = 250;
const LOOK_NEAR_MS = 50;
/** Part of a bound from which on it counts as near. */
const NEAR = 0.5;
const MIB = 1024 * 1024;

interface Bounded {
  /** First process of a container on this machine. */
  readonly pid: number;
  /** 0: no limit. */
  readonly limits: Pick<ResourceLimits, "memoryBytes" | "pids">;
  /** Ends the watch. */
  readonly signal: AbortSignal;
  /** Called once, before the end. @param reason A sentence. */
  readonly onReached: (reason: string) => void;
  /** Ends the container where its first process cannot be killed. */
  readonly end: () => Promise<void>;
}

interface Watched extends Bounded {
  readonly startedAt: string;
  readonly namespace: string;
}

export class BoundsKeeper {
  readonly #table: ProcessTable;
  readonly #watched = new Set<Watched>();
  #timer: NodeJS.Timeout | undefined;

  constructor(table: ProcessTable) {
    this.#table = table;
  }

  /** @returns False when the process is not one of a container on this machine, for example of an engine in a virtual machine. */
  keep(bounded: Bounded): boolean {
    const first = this.#table.find(bounded.pid);
    const namespace = this.#table.findNamespace(bounded.pid);
    if (!first || namespace === undefined || namespace === this.#table.findNamespace("self")) return false;
    if (bounded.signal.aborted) return true;
    const watched = { ...bounded, startedAt: first.startedAt, namespace };
    this.#watched.add(watched);
    bounded.signal.addEventListener("abort", () => this.#watched.delete(watched), { once: true });
    this.#plan(LOOK_NEAR_MS);
    return true;
  }

  #plan(waitMs: number): void {
    clearTimeout(this.#timer);
    if (this.#watched.size === 0) return;
    this.#timer = setTimeout(() => this.#plan(this.look() > NEAR ? LOOK_NEAR_MS : LOOK_MS), waitMs);
    this.#timer.unref();
  }

  /** Measures everything once. @returns The largest part of a bound that one of them has reached. */
  look(): number {
    const entries = this.#table.list();
    return Math.max(0, ...[...this.#watched].map((watched) => this.#check(watched, entries)));
  }

  #check(watched: Watched, entries: readonly ProcessEntry[]): number {
    const { pid, startedAt, limits } = watched;
    if (entries.find((entry) => entry.pid === pid)?.startedAt !== startedAt) {
      this.#watched.delete(watched);
      return 0;
    }
    const tree = this.#listTree(watched, entries);
    const threads = tree.reduce((sum, entry) => sum + entry.threads, 0);
    const memory = this.#measure(tree, limits.memoryBytes);
    if (limits.memoryBytes > 0 && memory >= limits.memoryBytes) {
      this.#end(watched, `its memory reached ${Math.round(limits.memoryBytes / MIB)} MiB`);
    } else if (limits.pids > 0 && threads >= limits.pids) {
      this.#end(watched, `its processes and threads reached ${limits.pids}`);
    }
    return Math.max(
      limits.memoryBytes > 0 ? memory / limits.memoryBytes : 0,
      limits.pids > 0 ? threads / limits.pids : 0,
    );
  }

  /** Descendants, and processes that the engine started inside: they have another parent, but the same namespace. */
  #listTree({ pid, namespace }: Watched, entries: readonly ProcessEntry[]): ProcessEntry[] {
    const children = new Map<number, ProcessEntry[]>();
    for (const entry of entries) {
      const siblings = children.get(entry.parent);
      if (siblings) siblings.push(entry);
      else children.set(entry.parent, [entry]);
    }
    const pids = new Set([pid]);
    // A set that grows is walked to its end; an orphan becomes a child of the first process.
    for (const parent of pids) for (const child of children.get(parent) ?? []) pids.add(child.pid);
    return entries.filter((entry) => pids.has(entry.pid) || this.#table.findNamespace(entry.pid) === namespace);
  }

  /** Resident pages count once for each who shares them; the exact figure costs more, and is asked for at the bound only. */
  #measure(tree: readonly ProcessEntry[], bound: number): number {
    const resident = tree.reduce((sum, entry) => sum + entry.residentBytes, 0);
    if (bound === 0 || resident < bound || tree.length === 1) return resident;
    return tree.reduce((sum, { pid, residentBytes }) => sum + (this.#table.findShareBytes(pid) ?? residentBytes), 0);
  }

  #end(watched: Watched, what: string): void {
    this.#watched.delete(watched);
    watched.onReached(`The server was ended: ${what}, and the engine cannot limit it.`);
    try {
      // Its namespace ends with it, faster than an engine answers on a machine in need.
      this.#table.kill(watched.pid);
    } catch {
      // Whatever keeps us from it; the engine may. A failure shows as a server that runs on.
      watched.end().catch(() => undefined);
    }
  }
}
