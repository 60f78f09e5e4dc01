/**
 * Random operations, and kills of servers, containers and the supervisor between them. After each, once it is calm, the
 * list, the engine and the processes are what was asked for, with nothing left over.
 *
 * A short run by default. By hand: CHAOS_OPERATIONS=500 CHAOS_SEED=7 npm run test:e2e -- packages/cli/e2e/chaos
 */
import { setTimeout as delay } from "node:timers/promises";
import { describeEngines, runThv, type TestEngine, ThrowawayHome, waitFor } from "@toolhive/testing";
import { expect, test } from "vitest";

const OPERATIONS = Number(process.env.CHAOS_OPERATIONS ?? 15);
const SEED = Number(process.env.CHAOS_SEED ?? 1);
const NAMES = ["ada", "bob", "cyd"];
const IMAGE = "toolhive-test/echo:test";
/** Kills in a row after which a server is given up, less one. */
const MAX_KILLS = 4;
/** Milliseconds until all is calm: the last of the restarts waits for some seconds. */
const CALM_DEADLINE_MS = 60_000;
/** Milliseconds of one operation, on a busy machine. */
const OPERATION_MS = 15_000;

interface Expected {
  state: "running" | "stopped";
  /** Since somebody last started it. */
  kills: number;
}

/** Mulberry32: the same seed gives the same run. */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

class Chaos {
  readonly expected = new Map<string, Expected>();
  /** What was done, for the message of a failure. */
  readonly history: string[] = [];
  readonly counts = new Map<string, number>();
  readonly #home: ThrowawayHome;
  readonly #engine: TestEngine;
  readonly #random: () => number;

  constructor(home: ThrowawayHome, engine: TestEngine, seed: number) {
    this.#home = home;
    this.#engine = engine;
    this.#random = randomFrom(seed);
  }

  #pick<T>(items: readonly T[]): T {
    const item = items[Math.floor(this.#random() * items.length)];
    if (item === undefined) throw new Error("There is nothing to pick from.");
    return item;
  }

  async step(): Promise<void> {
    const name = this.#pick(NAMES);
    const kinds = ["run", "stop", "restart", "rm", "kill", "remove-container", "kill-supervisor", "interrupt"] as const;
    const kind = this.#pick(kinds);
    this.history.push(`${kind} ${name}`);
    this.counts.set(kind, (this.counts.get(kind) ?? 0) + 1);
    const known = this.expected.get(name);
    switch (kind) {
      case "run":
        await this.#mustEnd(known ? 4 : 0, "run", "--name", name, IMAGE);
        if (!known) this.expected.set(name, { state: "running", kills: 0 });
        return;
      case "stop":
      case "restart":
        // What is not there is stopped already; it cannot be restarted.
        await this.#mustEnd(known || kind === "stop" ? 0 : 3, kind, name);
        if (known) this.expected.set(name, { state: kind === "stop" ? "stopped" : "running", kills: 0 });
        return;
      case "rm":
        await this.#mustEnd(0, "rm", name);
        this.expected.delete(name);
        return;
      case "kill":
      case "remove-container":
        if (!known || known.kills >= MAX_KILLS) return;
        known.kills += 1;
        // One that is stopped cannot be killed; that is fine.
        await this.#engine.cli(kind === "kill" ? ["kill", name] : ["rm", "--force", name]);
        return;
      case "kill-supervisor": {
        const supervisor = await this.#home.findSupervisor();
        if (supervisor) process.kill(supervisor.pid, "SIGKILL");
        return;
      }
      case "interrupt":
        await this.#interrupt(name, known);
        return;
    }
  }

  /** Ctrl-C at some moment of a start: the server runs, or nothing of it remains, and the exit code says which. */
  async #interrupt(name: string, known: Expected | undefined): Promise<void> {
    if (known) return;
    const interrupt = new AbortController();
    const options = { home: this.#home, engine: this.#engine, signal: interrupt.signal, killSignal: "SIGINT" as const };
    const running = runThv(["run", "--name", name, IMAGE], options);
    await Promise.race([running, delay(this.#random() * 600, undefined, { ref: false })]);
    interrupt.abort();
    const { code } = await running;
    expect([0, 130]).toContain(code);
    if (code === 0) this.expected.set(name, { state: "running", kills: 0 });
  }

  /** Waits until everything is as it should be. */
  async calm(): Promise<void> {
    const wanted = [...this.expected].map(([name, { state }]) => `${name} ${state}`).sort();
    const up = [...this.expected].filter(([, { state }]) => state === "running").map(([name]) => name);
    let seen: unknown;
    await waitFor(
      async () => {
        const { stdout } = await this.#thv("list", "--all", "--format", "json");
        const listed = (JSON.parse(stdout) as { name: string; status: string }[]).map(
          (each) => `${each.name} ${each.status}`,
        );
        const running = await this.#containers("--filter", "status=running");
        const all = await this.#containers();
        const supervisors = (await this.#home.listProcesses()).length;
        seen = { listed, running, all, supervisors };
        const isTidy = all.every((name) => this.expected.has(name)) && supervisors <= 1;
        return isTidy && String(listed.sort()) === String(wanted) && String(running.sort()) === String(up.sort());
      },
      { what: "calm", deadlineMs: CALM_DEADLINE_MS, intervalMs: 200 },
    ).catch((error: Error) => {
      const last = this.history.slice(-8).join(", ");
      throw new Error(
        `${error.message} Wanted ${wanted}, saw ${JSON.stringify(seen)} after ${this.history.length}: ${last}`,
      );
    });
  }

  /** An unexpected code fails with what the command said, and with what came before. */
  async #mustEnd(expected: number, ...args: string[]): Promise<void> {
    const { code, stderr } = await this.#thv(...args);
    const before = `operation ${this.history.length}, after ${this.history.slice(-8).join(", ")}`;
    expect({ code, stderr: code === expected ? "" : stderr, before }).toEqual({ code: expected, stderr: "", before });
  }

  async #thv(...args: string[]) {
    return await runThv(args, { home: this.#home, engine: this.#engine });
  }

  async #containers(...filters: string[]): Promise<string[]> {
    const names = NAMES.flatMap((name) => ["--filter", `name=^${name}$`]);
    const { stdout } = await this.#engine.cli(["ps", "--all", "--format", "{{.Names}}", ...names, ...filters]);
    return stdout.split("\n").filter((line) => line !== "");
  }
}

describeEngines("on $kind", (engine) => {
  test(
    `${OPERATIONS} random operations with random kills (seed ${SEED}) end in what was asked for, after each of them`,
    async () => {
      await using home = await ThrowawayHome.create();
      const chaos = new Chaos(home, engine, SEED);
      for (let step = 0; step < OPERATIONS; step += 1) {
        await chaos.step();
        await chaos.calm();
      }

      expect(chaos.history.length).toBe(OPERATIONS);
      if (OPERATIONS >= 100)
        process.stderr.write(`${engine.kind}: ${JSON.stringify(Object.fromEntries(chaos.counts))}\n`);
    },
    OPERATIONS * OPERATION_MS,
  );
});
