import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { ContainerEngine, ContainerEvent } from "../ports/container-engine.ts";
import { ThvError } from "../support/errors.ts";
import { FakeEngine } from "../testing/fake-engine.ts";
import { FakeTime, settle } from "../testing/fake-time.ts";
import { EngineLink } from "./engine-link.ts";

let time: FakeTime;
beforeEach(() => {
  time = new FakeTime();
});
afterEach(() => time[Symbol.dispose]());

function linkTo(fake: FakeEngine, { onUp = async () => undefined }: { onUp?: () => Promise<void> } = {}) {
  const events: (ContainerEvent["action"] | "up" | `down: ${string}`)[] = [];
  let discoveries = 0;
  const link = new EngineLink({
    discover: async (): Promise<ContainerEngine> => {
      discoveries += 1;
      return await fake.connect();
    },
    labels: { toolhive: "true" },
    onUp: async () => {
      events.push("up");
      await onUp();
    },
    onDown: (reason) => events.push(`down: ${reason.code}`),
    onEvent: ({ action }) => events.push(action),
    log: { error: () => undefined, warn: () => undefined, info: () => undefined, debug: () => undefined },
  });
  return { link, events, discoveries: () => discoveries };
}

const SPEC = { name: "echo", image: "mcp/echo:1", args: [], env: {}, labels: { toolhive: "true" }, stdio: true };

describe("EngineLink", () => {
  test("connects, follows the events of the labelled containers, and ends when it is closed", async () => {
    const fake = new FakeEngine();
    const { link, events } = linkTo(fake);

    await link.start();
    const container = fake.create(SPEC);
    container.start();
    fake.create({ ...SPEC, name: "foreign", labels: {} }).start();
    container.exit(1);
    fake.remove(container);
    await settle();
    await link.close();

    expect(events).toEqual(["up", "start", "die", "destroy"]);
    expect(link.engine).toBeUndefined();
  });

  test("misses no event that happens while other listeners learn that the engine is up", async () => {
    const fake = new FakeEngine();
    const { link, events } = linkTo(fake, { onUp: async () => fake.create(SPEC).start() });

    await link.start();
    await settle();

    expect(events).toEqual(["up", "start"]);
    await link.close();
  });

  test("starts without an engine, retries with growing pauses, and connects when the engine comes", async () => {
    const fake = new FakeEngine();
    fake.goDown();
    const { link, events, discoveries } = linkTo(fake);

    await link.start();
    expect([link.engine, discoveries()]).toEqual([undefined, 1]);
    expect(events).toEqual(["down: ENGINE_UNREACHABLE"]);
    await time.advance(250 + 500 + 1_000 + 2_000 + 4_000);
    expect(discoveries()).toBe(6);
    await time.advance(60_000);
    expect(discoveries()).toBe(18);
    fake.comeUp();
    await time.advance(5_000);

    expect(events).toEqual(["down: ENGINE_UNREACHABLE", "up"]);
    expect(link.engine).toBeDefined();
    await link.close();
  });

  test("reports a loss once, and the return", async () => {
    const fake = new FakeEngine();
    const { link, events } = linkTo(fake);
    await link.start();

    fake.goDown();
    await time.advance(20_000);
    expect(link.engine).toBeUndefined();
    fake.comeUp();
    await time.advance(5_000);

    expect(events).toEqual(["up", "down: ENGINE_UNREACHABLE", "up"]);
    await link.close();
  });

  test("goes on with an engine that answers when only its stream of events has ended, and misses nothing", async () => {
    const fake = new FakeEngine();
    const { link, events } = linkTo(fake);
    await link.start();
    await time.advance(60_000);
    const container = fake.create(SPEC);
    container.start();
    await settle();

    fake.endEventStreams();
    await settle();
    container.exit(1); // while nobody listens
    expect(link.engine).toBeDefined();
    await time.advance(250);

    expect(events.filter((event) => String(event).startsWith("down"))).toEqual([]);
    expect(events).toContain("die");
    expect(link.engine).toBeDefined();
    await link.close();
  });

  test("takes an engine for lost that does not answer when its stream of events has ended", async () => {
    const fake = new FakeEngine();
    const { link, events } = linkTo(fake);
    await link.start();
    fake.interfere("ping", async () => {
      throw new ThvError("ENGINE_UNREACHABLE", "The fake engine is stuck.");
    });

    fake.endEventStreams();
    await settle();

    expect(link.engine).toBeUndefined();
    expect(events).toEqual(["up", "down: ENGINE_UNREACHABLE"]);
    await link.close();
  });

  test("asks ever more rarely where streams of events end at once", async () => {
    const fake = new FakeEngine();
    const { link, events, discoveries } = linkTo(fake);
    const refuse = async () => {
      throw new ThvError("ENGINE_FAILED", "The container engine refused: no events");
    };
    fake.interfere("watchEvents", refuse, { always: true });

    await link.start();
    await time.advance(60_000);

    expect(discoveries()).toBeLessThan(20);
    expect(events.filter((event) => String(event).startsWith("down"))).toEqual([]);
    await link.close();
  });

  test("finds an engine at once when a caller needs it, without waiting for the next attempt", async () => {
    const fake = new FakeEngine();
    fake.goDown();
    const { link, events } = linkTo(fake);
    await link.start();
    await time.advance(20_000);
    fake.comeUp();

    await link.require();
    await settle();

    expect(events).toEqual(["down: ENGINE_UNREACHABLE", "up"]);
    await link.close();
  });

  test("makes one attempt for all concurrent callers", async () => {
    const fake = new FakeEngine();
    fake.goDown();
    const { link, discoveries } = linkTo(fake);
    await link.start();
    const before = discoveries();

    const results = await Promise.allSettled([link.require(), link.require(), link.require()]);

    expect(results.map(({ status }) => status)).toEqual(["rejected", "rejected", "rejected"]);
    expect(discoveries() - before).toBe(1);
    await link.close();
  });

  test("counts an engine on which nothing can be brought back as lost, and tries again", async () => {
    const fake = new FakeEngine();
    let failures = 2;
    const { link, events } = linkTo(fake, {
      onUp: async () => {
        failures -= 1;
        if (failures >= 0) throw new ThvError("ENGINE_FAILED", "The container engine refused: out of order");
      },
    });

    await link.start();
    await time.advance(10_000);

    expect(events).toEqual(["up", "down: ENGINE_FAILED", "up", "down: ENGINE_FAILED", "up"]);
    await link.close();
  });

  test("can be closed while it waits for the next attempt", async () => {
    const fake = new FakeEngine();
    fake.goDown();
    const { link, discoveries } = linkTo(fake);
    await link.start();

    await link.close();
    const before = discoveries();
    await time.advance(60_000);

    expect(discoveries()).toBe(before);
  });
});
