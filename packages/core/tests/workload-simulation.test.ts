/**
 * The whole domain on a simulated machine: random commands, crashes of servers, an engine that comes and goes, and
 * supervisors that are killed between any two calls, all on simulated time, so that a failure can be replayed by its seed.
 */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { READY_LINE } from "../src/sidecar-rules/sidecar-rules.ts";
import { formatSidecarName } from "../src/supervision/containers/sidecar-spec.ts";
import { FakeTime } from "../src/testing/fake-time.ts";
import { type DeathMoment, Life } from "../src/testing/life.ts";
import { PropertyBudget } from "../src/testing/property-budget.ts";
import { type Booted, World } from "../src/testing/world.ts";

const NAMES = ["alpha", "beta"] as const;
/** The one that has a network sidecar. */
const ISOLATED = "beta";

type Step =
  | {
      readonly kind: "create" | "stop" | "restart" | "delete" | "crash" | "vanish" | "cut";
      readonly name: (typeof NAMES)[number];
    }
  | { readonly kind: "engine-down"; readonly keepContainers: boolean }
  | { readonly kind: "engine-up" | "late-event" }
  | { readonly kind: "kill"; readonly afterCalls: number; readonly moment: DeathMoment }
  | { readonly kind: "hand-over" | "shut-down" };

interface Planned {
  readonly step: Step;
  /** Milliseconds until the next one. */
  readonly pauseMs: number;
}

const name = fc.constantFrom(...NAMES);
const command = fc.record({ kind: fc.constantFrom("create", "stop", "restart", "delete"), name }) as fc.Arbitrary<Step>;
const mishap = fc.record({ kind: fc.constantFrom("crash", "vanish", "cut"), name }) as fc.Arbitrary<Step>;
const engine: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ kind: fc.constant("engine-down" as const), keepContainers: fc.boolean() }),
  fc.record({ kind: fc.constant("engine-up" as const) }),
  fc.record({ kind: fc.constant("late-event" as const) }),
);
const death: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant("kill" as const),
      afterCalls: fc.integer({ min: 0, max: 14 }),
      moment: fc.constantFrom("before" as const, "after" as const),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constantFrom("hand-over" as const, "shut-down" as const) }) },
);
const plan: fc.Arbitrary<Planned[]> = fc.array(
  fc.record({
    step: fc.oneof(
      { weight: 8, arbitrary: command },
      { weight: 2, arbitrary: mishap },
      { weight: 2, arbitrary: engine },
      { weight: 2, arbitrary: death },
    ),
    pauseMs: fc.oneof({ weight: 3, arbitrary: fc.integer({ min: 0, max: 30 }) }, fc.integer({ min: 31, max: 3_000 })),
  }),
  { minLength: 1, maxLength: 16 },
);

class Simulation {
  readonly world: World;
  readonly #time: FakeTime;
  #life = new Life();
  #booted: Booted | undefined;
  /** Names of the workloads whose server was ended or whose container was removed from outside. */
  readonly harmed = new Set<string>();
  /** Starts of the isolated server without a sidecar that was ready. */
  unfiltered = 0;

  constructor(time: FakeTime, world: World) {
    this.#time = time;
    this.world = world;
    world.engine.onEvent(() => this.#watchNetworks());
  }

  /** At no moment an isolated server begins to run on a network that is not filtered yet. */
  #watchNetworks(): void {
    const server = this.world.engine.find(ISOLATED);
    if (server === undefined || !server.isRunning || server.log.length > 0) return;
    const { network } = server.spec;
    const sidecar = typeof network === "object" ? this.world.engine.find(network.joins) : undefined;
    const isFiltered = sidecar?.isRunning && sidecar.log.some(({ text }) => text === READY_LINE);
    if (!isFiltered) this.unfiltered += 1;
  }

  get supervisor() {
    if (!this.#booted) throw new Error("no supervisor");
    return this.#booted.supervisor;
  }

  boot(): void {
    const life = new Life();
    this.#life = life;
    void this.world.load(life).then(async (booted) => {
      this.#booted = booted;
      await booted.supervisor.start();
    });
  }

  async do({ step, pauseMs }: Planned): Promise<void> {
    switch (step.kind) {
      case "create":
        this.#command(() =>
          this.supervisor.create({ name: step.name, image: "mcp/echo:1", network_isolation: step.name === ISOLATED }),
        );
        break;
      case "stop":
        this.#command(() => this.supervisor.stop(step.name));
        break;
      case "restart":
        this.#command(() => this.supervisor.restart(step.name));
        break;
      case "delete":
        this.#command(() => this.supervisor.delete(step.name));
        break;
      case "crash":
        this.harmed.add(step.name);
        this.world.engine.find(step.name)?.exit(1);
        break;
      case "cut":
        this.harmed.add(step.name);
        this.world.engine.find(formatSidecarName({ container_name: step.name }))?.exit(1);
        break;
      case "vanish": {
        this.harmed.add(step.name);
        const container = this.world.engine.find(step.name);
        if (container) this.world.engine.remove(container);
        break;
      }
      case "engine-down":
        this.world.engine.goDown({ keepContainers: step.keepContainers });
        break;
      case "engine-up":
        this.world.engine.comeUp();
        break;
      case "late-event":
        for (const container of this.world.engine.containers.values()) {
          this.world.engine.report({ action: "die", containerId: container.id, containerName: container.name });
        }
        break;
      case "kill":
        if (step.afterCalls === 0) this.#life.kill();
        else this.#life.dieAt(this.#life.steps + step.afterCalls, step.moment);
        break;
      case "hand-over":
      case "shut-down": {
        const { supervisor } = this;
        let isClosed = false;
        const closing = supervisor.close({ keepContainers: step.kind === "hand-over" }).then(() => {
          isClosed = true;
        });
        await this.#time.advanceUntil(() => isClosed || this.#life.isDead, "the supervisor to let go", 120_000);
        if (isClosed) await closing;
        this.#life.kill();
        break;
      }
    }
    await this.#time.advance(pauseMs);
    if (this.#life.isDead) {
      this.#booted = undefined;
      this.boot();
      await this.#time.advanceUntil(() => this.#booted !== undefined, "the next supervisor", 10_000);
    }
  }

  /** A user's command; that it may be refused is part of the game. */
  #command(run: () => Promise<unknown>): void {
    void run().catch(() => undefined);
  }

  /** Nothing happens any more: the engine answers, and all have had the time they need. */
  async comeToRest(): Promise<void> {
    this.#life.dieAt(Number.POSITIVE_INFINITY, "before");
    this.world.engine.comeUp();
    await this.#time.advance(120_000);
  }
}

/** What must be true once everything is at rest. */
function assertConverged({ world, supervisor, harmed, unfiltered }: Simulation): void {
  expect(unfiltered).toBe(0);
  const rows = supervisor.list().map(({ name: workload, status, statusContext, port }) => {
    const container = world.engine.find(workload);
    return {
      workload,
      status,
      statusContext,
      desired: world.config(workload)?.desired_state,
      runs: container?.isRunning ?? false,
      attachments: container?.attachmentCount ?? 0,
      listens: world.network.endpoints.has(port),
    };
  });
  for (const row of rows) {
    switch (row.desired) {
      case "running":
        // A start during which the server was harmed is an error; nothing else may keep it from running.
        if (row.status === "error" && harmed.has(row.workload)) {
          expect(row).toMatchObject({ runs: false, attachments: 0, listens: false });
        } else expect(row).toMatchObject({ status: "running", runs: true, attachments: 1, listens: true });
        break;
      case "stopped":
        expect(row).toMatchObject({ status: "stopped", runs: false, attachments: 0, listens: false });
        break;
      default:
        expect(row).toMatchObject({ desired: "running or stopped" });
    }
  }
  const names = rows.map(({ workload }) => workload);
  expect([...world.disk.keys()].sort()).toEqual(names);
  const sidecar = formatSidecarName({ container_name: ISOLATED });
  const isIsolatedUp = rows.some((row) => row.workload === ISOLATED && row.status === "running");
  expect(world.engine.find(sidecar)?.isRunning ?? false).toBe(isIsolatedUp);
  const expected = names.includes(ISOLATED) ? [...names, sidecar] : names;
  expect(world.containers.filter((container) => !expected.includes(container))).toEqual([]);
  expect(new Set(world.containers).size).toBe(world.containers.length);
  expect(world.network.endpoints.size).toBe(rows.filter(({ listens }) => listens).length);
  expect(world.bugs).toEqual([]);
}

describe.each(["docker", "podman"] as const)("on a simulated %s", (kind) => {
  test("whatever happens, once it is calm reality is what the disk says, with nothing left over", async () => {
    const budget = new PropertyBudget(300);
    await fc.assert(
      fc.asyncProperty(
        plan,
        fc.infiniteStream(fc.integer({ min: 1, max: 9 })),
        budget.limit(async (steps, latencies) => {
          using time = new FakeTime();
          const world = new World({ kind, latencyMs: () => latencies.next().value ?? 1 });
          const simulation = new Simulation(time, world);
          simulation.boot();
          await time.advance(200);

          for (const step of steps) await simulation.do(step);
          await simulation.comeToRest();

          assertConverged(simulation);
        }),
      ),
      budget.parameters,
    );
  }, 600_000);

  test.each([true, false])(
    "an engine that is away for a moment costs a server nothing, whenever in its creation (it keeps containers: %s)",
    async (keepContainers) => {
      for (let pauseMs = 1; pauseMs <= 60; pauseMs += 1) {
        using time = new FakeTime();
        const world = new World({ kind, latencyMs: () => 4 });
        const simulation = new Simulation(time, world);
        simulation.boot();
        await time.advance(200);

        await simulation.do({ step: { kind: "create", name: "alpha" }, pauseMs });
        await simulation.do({ step: { kind: "engine-down", keepContainers }, pauseMs: 0 });
        await simulation.comeToRest();

        assertConverged(simulation);
      }
    },
  );
});
