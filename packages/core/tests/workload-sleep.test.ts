/** Servers that are stopped while nobody calls, and started by the next call, on a simulated machine. */
import { EventEmitter } from "node:events";
import type { ServerResponse } from "node:http";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { exitingServer } from "../src/testing/fake-server.ts";
import { FakeTime } from "../src/testing/fake-time.ts";
import { Life } from "../src/testing/life.ts";
import { PropertyBudget } from "../src/testing/property-budget.ts";
import { type Booted, World } from "../src/testing/world.ts";
import type { CreateRequest } from "../src/workload/create-request-schema.ts";

const REQUEST: CreateRequest = { name: "mine", image: "mcp/echo:1", sleep_after_seconds: 60 };

type Outcome = "waits" | "served" | Error;

class Machine implements Disposable {
  readonly time = new FakeTime();
  readonly world: World;
  booted: Booted | undefined;
  life = new Life();

  constructor(options: ConstructorParameters<typeof World>[0] = {}) {
    this.world = new World(options);
  }

  async boot(): Promise<void> {
    const life = new Life();
    this.life = life;
    this.booted = undefined;
    void this.world.load(life).then(async (booted) => {
      this.booted = booted;
      await booted.supervisor.start();
    });
    await this.time.advanceUntil(() => this.booted !== undefined, "a supervisor");
  }

  get supervisor() {
    if (!this.booted) throw new Error("no supervisor");
    return this.booted.supervisor;
  }

  async create(changes: Partial<CreateRequest> = {}): Promise<void> {
    const created = this.supervisor.create({ ...REQUEST, ...changes });
    created.catch(() => undefined);
    await this.time.advanceUntil(() => this.status === "running", "the server to run");
    await created;
  }

  get status(): string | undefined {
    return this.booted?.supervisor.list()[0]?.status;
  }

  get isAsleep(): boolean {
    return this.booted?.supervisor.list()[0]?.isAsleep === true;
  }

  get endpoint() {
    return [...this.world.network.endpoints.values()][0];
  }

  async fallAsleep(): Promise<void> {
    await this.time.advanceUntil(() => this.isAsleep, "the server to fall asleep");
  }

  /** A client's request; it stays open until it is ended. */
  call() {
    const response = new EventEmitter() as unknown as ServerResponse;
    const call = {
      outcome: "waits" as Outcome,
      wasHeld: false,
      /** Whether its server ran when it was served. */
      wasUp: false,
      end: () => void response.emit("close"),
    };
    try {
      const wait = this.endpoint?.gate?.enter(response);
      const serve = () => {
        call.outcome = "served";
        call.wasUp = this.world.running.includes("mine");
      };
      if (wait) {
        call.wasHeld = true;
        wait.then(serve, (error: Error) => {
          call.outcome = error;
        });
      } else serve();
    } catch (error) {
      call.outcome = error as Error;
    }
    return call;
  }

  [Symbol.dispose](): void {
    this.life.kill();
    this.time[Symbol.dispose]();
  }
}

describe("a server that nobody calls", () => {
  test.each([{}, { network_isolation: true }])(
    "is stopped, keeps its address and is served by the next call (%j)",
    async (changes) => {
      using machine = new Machine();
      await machine.boot();
      await machine.create(changes);
      const { url } = machine.supervisor.describe("mine");
      const [container] = machine.world.engine.containers.keys();
      await machine.fallAsleep();

      expect(machine.world.running).toEqual([]);
      expect(machine.supervisor.describe("mine")).toMatchObject({ status: "running", isAsleep: true, url });
      expect(machine.supervisor.describe("mine").statusContext).toContain("asleep");
      expect(machine.world.config("mine")).toMatchObject({ desired_state: "running", asleep: true });
      // Nothing wakes it but a call.
      await machine.time.advance(600_000);
      expect(machine.isAsleep).toBe(true);

      const calls = [machine.call(), machine.call()];
      expect(calls.map(({ outcome }) => outcome)).toEqual(["waits", "waits"]);
      await machine.time.advanceUntil(
        () => calls.every(({ outcome }) => outcome !== "waits"),
        "the calls to be served",
      );

      expect(calls).toMatchObject([
        { outcome: "served", wasUp: true },
        { outcome: "served", wasUp: true },
      ]);
      expect([machine.status, machine.isAsleep]).toEqual(["running", false]);
      expect(machine.world.config("mine")).not.toHaveProperty("asleep");
      expect([...machine.world.engine.containers.keys()][0]).toBe(container);
      expect(machine.world.bugs).toEqual([]);
    },
  );

  test("does not sleep while a call is open or somebody is subscribed", async () => {
    using machine = new Machine();
    await machine.boot();
    await machine.create();
    const call = machine.call();
    await machine.time.advance(3_600_000);
    expect([call.outcome, machine.isAsleep]).toEqual(["served", false]);

    if (machine.endpoint) machine.endpoint.hasSubscribers = true;
    call.end();
    await machine.time.advance(3_600_000);
    expect(machine.isAsleep).toBe(false);

    if (machine.endpoint) machine.endpoint.hasSubscribers = false;
    await machine.fallAsleep();
  });

  test.each(["docker", "podman"] as const)(
    "sleeps on under the next supervisor, and is woken there (%s)",
    async (kind) => {
      using machine = new Machine({ kind });
      await machine.boot();
      await machine.create();
      await machine.fallAsleep();
      machine.life.kill();

      await machine.boot();
      await machine.time.advanceUntil(() => machine.isAsleep, "it to be found asleep");
      expect(machine.world.running).toEqual([]);
      const call = machine.call();
      await machine.time.advanceUntil(() => call.outcome !== "waits", "the call to be served");

      expect(call).toMatchObject({ outcome: "served", wasUp: true });
    },
  );

  test("answers a call that waits with the reason why it cannot be started, and the next step", async () => {
    using machine = new Machine();
    await machine.boot();
    await machine.create();
    await machine.fallAsleep();
    machine.world.engine.images.set("mcp/echo:1", exitingServer(1));
    for (const container of machine.world.engine.containers.values()) machine.world.engine.remove(container);

    const call = machine.call();
    await machine.time.advanceUntil(() => call.outcome !== "waits", "the call to be refused");

    expect(call.outcome).toMatchObject({
      code: "SERVER_NOT_READY",
      message: expect.stringContaining('"mine" slept and could not be started: The server exited with code 1.'),
      hint: expect.stringContaining("thv restart mine"),
    });
    expect(machine.status).toBe("error");
  });

  test.each(["stop", "delete", "restart"] as const)("accepts %s while it sleeps", async (verb) => {
    using machine = new Machine();
    await machine.boot();
    await machine.create();
    await machine.fallAsleep();

    let isDone = false;
    void machine.supervisor[verb]("mine").then(async ({ done }) => {
      await done;
      isDone = true;
    });
    await machine.time.advanceUntil(() => isDone, verb);

    const expected = { stop: "stopped", delete: undefined, restart: "running" }[verb];
    expect([machine.status, machine.isAsleep, machine.world.running.length]).toEqual([
      expected,
      false,
      verb === "restart" ? 1 : 0,
    ]);
    expect(machine.world.config("mine") ?? {}).not.toHaveProperty("asleep");
  });

  test("has the time of the settings unless it says another one", async () => {
    using machine = new Machine();
    machine.world.sleepDefault = 600;
    await machine.boot();
    const { sleep_after_seconds: _, ...request } = REQUEST;
    for (const asked of [
      { ...request, name: "default" },
      { ...request, name: "never", sleep_after_seconds: 0 },
    ]) {
      let isCreated = false;
      void machine.supervisor.create(asked).then(() => {
        isCreated = true;
      });
      await machine.time.advanceUntil(() => isCreated, "the server to be created");
    }

    expect(machine.world.config("default")).toMatchObject({ sleep_after_seconds: 600 });
    expect(machine.world.config("never")).toMatchObject({ sleep_after_seconds: 0 });
  });

  test("needs no engine while it sleeps", async () => {
    using machine = new Machine();
    await machine.boot();
    await machine.create();
    await machine.fallAsleep();
    machine.world.engine.goDown({ keepContainers: true });
    await machine.time.advance(60_000);
    expect(machine.isAsleep).toBe(true);
    machine.world.engine.comeUp();
    await machine.time.advance(60_000);

    expect(machine.isAsleep).toBe(true);
    const call = machine.call();
    await machine.time.advanceUntil(() => call.outcome !== "waits", "the call to be served");
    expect(call.wasUp).toBe(true);
  });

  test("stays awake when that it sleeps cannot be written down", async () => {
    using machine = new Machine();
    await machine.boot();
    await machine.create();
    if (machine.booted) machine.booted.store.save = async () => Promise.reject(new Error("disk is full"));
    await machine.time.advance(600_000);

    expect([machine.status, machine.isAsleep, machine.world.running]).toEqual(["running", false, ["mine"]]);
  });
});

type Step = { readonly kind: "call" | "end" | "crash" | "kill" | "restart" | "engine"; readonly pauseMs: number };

const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.record({
    kind: fc.constantFrom("call", "call", "end", "end", "crash", "kill", "restart", "engine"),
    pauseMs: fc.oneof(fc.integer({ min: 0, max: 200 }), fc.integer({ min: 50_000, max: 70_000 })),
  }),
  { minLength: 1, maxLength: 12 },
);

describe.each(["docker", "podman"] as const)("on a simulated %s", (kind) => {
  test("whatever happens, each call is served or answered with the reason, and silence stops the server", async () => {
    const budget = new PropertyBudget(60);
    await fc.assert(
      fc.asyncProperty(
        steps,
        fc.infiniteStream(fc.integer({ min: 1, max: 9 })),
        budget.limit(async (plan, latencies) => {
          using machine = new Machine({ kind, latencyMs: () => latencies.next().value ?? 1 });
          await machine.boot();
          await machine.create({ network_isolation: true });
          let calls: ReturnType<Machine["call"]>[] = [];
          const isSettled = () => calls.every(({ outcome }) => outcome !== "waits");
          for (const { kind: step, pauseMs } of plan) {
            if (step === "call" && machine.endpoint) calls.push(machine.call());
            if (step === "end") for (const { end } of calls.splice(0)) end();
            if (step === "crash") machine.world.engine.find("mine")?.exit(1);
            if (step === "restart") machine.supervisor.restart("mine").catch(() => undefined);
            if (step === "engine") {
              machine.world.engine.goDown({ keepContainers: true });
              await machine.time.advance(pauseMs);
              machine.world.engine.comeUp();
            }
            if (step === "kill") {
              // Its connections end with it.
              machine.life.kill();
              calls = [];
              await machine.boot();
            }
            await machine.time.advance(pauseMs);
          }
          // A call that waits is settled within its bound.
          await machine.time.advanceUntil(isSettled, "all calls to be settled", 300_000);
          expect(calls.filter(({ outcome, wasHeld, wasUp }) => outcome === "served" && wasHeld && !wasUp)).toEqual([]);
          for (const { end } of calls) end();
          await machine.time.advanceUntil(
            () => machine.isAsleep || machine.status === "error",
            "silence to stop it",
            900_000,
          );
          if (machine.isAsleep) {
            expect(machine.world.running).toEqual([]);
            const last = machine.call();
            await machine.time.advanceUntil(() => last.outcome !== "waits", "the last call", 300_000);
            expect(last).toMatchObject({ outcome: "served", wasUp: true });
            expect(machine.world.running).toEqual(["mine", "mine.network"]);
          }
          expect(machine.world.bugs).toEqual([]);
        }),
      ),
      budget.parameters,
    );
  }, 600_000);
});
