/**
 * What every container engine behind the port does, the one in memory included. A fake that keeps this contract stands for
 * the real ones; a real one that breaks it would break supervision.
 */
import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import type { Container, ContainerEngine, ContainerEvent, ContainerSpec } from "../ports/container-engine.ts";
import { CLOSED_LINE } from "../sidecar-rules/sidecar-rules.ts";
import { ThvError } from "../support/errors.ts";
import { describeLogs, ping, WAIT } from "./engine-logs-contract.ts";

export interface EngineUnderTest {
  readonly engine: ContainerEngine;
  /** A server that writes `echo: ready` to stderr, answers pings, and ends with its input. */
  readonly echoImage: string;
  /** A server that writes a line beginning with `exits: ` to stderr and ends with code 3. */
  readonly exitsImage: string;
}

/** Defines the tests. @param open Called once, before the first test. */
export function describeEngineContract(open: () => Promise<EngineUnderTest>): void {
  const run = randomBytes(4).toString("hex");
  const labels = { "toolhive-contract": run };
  let engine: ContainerEngine;
  let echoImage: string;
  let exitsImage: string;
  let count = 0;

  beforeAll(async () => {
    ({ engine, echoImage, exitsImage } = await open());
  });
  afterAll(async () => {
    for (const { id } of await engine.listContainers(labels)) await engine.removeContainer(id);
  });

  const spec = (changes: Partial<ContainerSpec> = {}): ContainerSpec => {
    count += 1;
    return { name: `contract-${run}-${count}`, image: echoImage, args: [], env: {}, labels, stdio: true, ...changes };
  };
  const create = async (changes: Partial<ContainerSpec> = {}) => {
    const made = spec(changes);
    return { id: await engine.createContainer(made), name: made.name };
  };
  const startEcho = async (changes: Partial<ContainerSpec> = {}) => {
    const { id, name } = await create(changes);
    const stdio = await engine.attach(id);
    stdio.stderr.resume();
    await engine.startContainer(id);
    return { id, name, stdio };
  };
  const readState = async (id: string): Promise<Container["state"] | undefined> =>
    (await engine.findContainer(id))?.state;

  describe("images", () => {
    test("an engine that answers a ping has the images that are there and no others", async () => {
      await engine.ping();

      expect(await engine.hasImage(echoImage)).toBe(true);
      expect(await engine.hasImage("toolhive-test/absent:1")).toBe(false);
    });

    test("an image that is not there has no digest of an image registry", async () => {
      expect(await engine.imageDigests("toolhive-test/absent:1")).toEqual([]);
    });

    test("pulling what no image registry has is refused", async () => {
      await expect(engine.pullImage("example.invalid/no/such:1")).rejects.toMatchObject({
        code: "IMAGE_REGISTRY_UNREACHABLE",
      });
    });
  });

  describe("containers", () => {
    test("a created container has an id of 64 digits, its labels, and does not run", async () => {
      const { id, name } = await create();

      expect(id).toMatch(/^[0-9a-f]{64}$/);
      expect(await engine.findContainer(name)).toMatchObject({ id, name, state: "created" });
      expect((await engine.findContainer(id))?.labels).toMatchObject(labels);
    });

    test("two containers of one image have the same identifier of an image, which one of another has not", async () => {
      const [first, second, other] = [await create(), await create(), await create({ image: exitsImage })];
      const read = async (id: string) => (await engine.findContainer(id))?.imageId;

      expect(await read(first.id)).toEqual(expect.any(String));
      expect(await read(second.id)).toBe(await read(first.id));
      expect(await read(other.id)).not.toBe(await read(first.id));
    });

    test("is found by its whole name or id only", async () => {
      const { id, name } = await create();

      expect(await engine.findContainer(id.slice(0, 12))).toBeUndefined();
      expect(await engine.findContainer(name.slice(0, -1))).toBeUndefined();
      expect(await engine.findContainer("no-such-container")).toBeUndefined();
    });

    test("a name that several ids begin with is free", async () => {
      const first = new Set<string>();
      let shared: string | undefined;
      while (shared === undefined) {
        const letter = (await create()).id.slice(0, 1);
        if (first.has(letter)) shared = letter;
        first.add(letter);
      }

      expect(await engine.findContainer(shared)).toBeUndefined();
    });

    test("a name is given once, and the container that has it stays", async () => {
      const { id, name } = await create();

      await expect(engine.createContainer(spec({ name }))).rejects.toMatchObject({ code: "CONTAINER_NAME_TAKEN" });

      expect(await readState(id)).toBe("created");
    });

    test("of two that are created at once under one name exactly one is made", async () => {
      const made = spec();

      const results = await Promise.allSettled([engine.createContainer(made), engine.createContainer(made)]);

      expect(results.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
      expect(results.find((result) => result.status === "rejected")).toMatchObject({
        reason: { code: "CONTAINER_NAME_TAKEN" },
      });
    });

    test("an image that is not there makes no container", async () => {
      const made = spec({ image: "toolhive-test/absent:1" });

      await expect(engine.createContainer(made)).rejects.toMatchObject({ code: "IMAGE_NOT_FOUND" });

      expect(await engine.findContainer(made.name)).toBeUndefined();
    });

    test("are listed by all the given labels, whether they run or not", async () => {
      const special = { ...labels, "toolhive-special": "yes" };
      const created = await create({ labels: special });
      const running = await startEcho({ labels: special });

      const listed = await engine.listContainers(special);

      expect(listed.map(({ id }) => id).sort()).toEqual([created.id, running.id].sort());
      expect(await engine.listContainers({ ...special, "toolhive-special": "no" })).toEqual([]);
      await running.stdio.close();
    });

    test("starting what runs succeeds, and starting what is not there is refused", async () => {
      const { id, stdio } = await startEcho();

      await engine.startContainer(id);

      expect(await readState(id)).toBe("running");
      await expect(engine.startContainer("0".repeat(64))).rejects.toMatchObject({ code: "ENGINE_FAILED" });
      await stdio.close();
    });

    test("stopping ends the server and its attachment, and succeeds again on what is stopped or gone", async () => {
      const { id, stdio } = await startEcho();

      await engine.stopContainer(id, { graceSeconds: 5 });
      await stdio.closed;

      expect(await readState(id)).toBe("exited");
      await engine.stopContainer(id, { graceSeconds: 5 });
      await engine.removeContainer(id);
      await engine.stopContainer(id, { graceSeconds: 5 });
    });

    test("removing works while it runs, and succeeds again on what is gone", async () => {
      const { id, stdio } = await startEcho();

      await engine.removeContainer(id);
      await stdio.closed;

      await vi.waitFor(async () => expect(await engine.findContainer(id)).toBeUndefined(), WAIT);
      await engine.removeContainer(id);
    });

    test("a server that ends shows its exit code, closes its attachment and leaves its log", async () => {
      const { id, stdio } = await startEcho({ image: exitsImage });

      await stdio.closed;

      await vi.waitFor(async () => {
        expect(await engine.findContainer(id)).toMatchObject({ state: "exited", exitCode: 3 });
      }, WAIT);
      const [line] = await engine.readLogs(id, { tail: 100 });
      expect(line).toMatchObject({ stream: "stderr", text: expect.stringMatching(/^exits: /) });
    });

    test("one that has ended can be started again after it was attached to again, at the second try at the latest", async () => {
      const { id, stdio } = await startEcho();
      expect(await ping(stdio, 1)).toBe(1);
      await engine.stopContainer(id, { graceSeconds: 5 });
      await stdio.closed;
      const startAgain = async () => {
        const again = await engine.attach(id);
        again.stderr.resume();
        await engine.startContainer(id);
        const answer = await ping(again, 2).finally(() => again.close());
        return answer;
      };

      // Now and then both engines end what is started right after its earlier run; a restart allows for that.
      expect(await startAgain().catch(startAgain)).toBe(2);
    });
  });

  describe("networks and commands", () => {
    test("its networks are IPv4 networks with their length", async () => {
      const networks = await engine.listNetworks();

      expect(networks.length).toBeGreaterThan(0);
      for (const network of networks) expect(network).toMatch(/^\d+\.\d+\.\d+\.\d+\/\d+$/);
    });

    test("a command runs beside the server until it has ended", async () => {
      const { id, stdio } = await startEcho();
      const script = `setTimeout(() => console.log("${CLOSED_LINE}"), 200)`;

      expect(await engine.runInContainer(id, ["node", "-e", script])).toEqual([CLOSED_LINE]);

      expect(await readState(id)).toBe("running");
      await stdio.close();
    });

    test("a command is refused where nothing runs", async () => {
      const { id } = await create();

      await expect(engine.runInContainer(id, ["node", "--version"])).rejects.toThrow(ThvError);
    });
  });

  describe("attachments", () => {
    test("carry input and output of the server", async () => {
      const { stdio } = await startEcho();

      expect(await ping(stdio, 1)).toBe(1);
      expect(await ping(stdio, 2)).toBe(2);
      await stdio.close();
    });

    test("keep stdout and stderr apart", async () => {
      const { id } = await create();
      const stdio = await engine.attach(id);
      const texts = { stdout: "", stderr: "" };
      for (const stream of ["stdout", "stderr"] as const) {
        stdio[stream].on("data", (chunk) => {
          texts[stream] += chunk;
        });
      }
      await engine.startContainer(id);

      stdio.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id: 7, method: "ping" })}\n`);

      await vi.waitFor(() => expect(texts.stdout).toContain('"id":7'), WAIT);
      await vi.waitFor(() => expect(texts.stderr).toContain("echo: ready"), WAIT);
      expect(texts.stdout).not.toContain("echo: ready");
      await stdio.close();
    });

    test("receive their end, also when they end it themselves, and may be closed twice", async () => {
      const { stdio } = await startEcho();

      await stdio.close();
      await stdio.close();

      await stdio.closed;
    });

    test("when lost leave the server to be attached to again where the engine keeps its input, else it ends", async () => {
      const { id, stdio } = await startEcho();
      expect(await ping(stdio, 1)).toBe(1);

      await stdio.close();

      if (engine.info.keepsStdin) {
        const again = await engine.attach(id);
        again.stderr.resume();
        expect(await ping(again, 2)).toBe(2);
        expect(await readState(id)).toBe("running");
        await again.close();
      } else {
        await vi.waitFor(async () => expect(await readState(id)).toBe("exited"), WAIT);
      }
    });

    test("are refused for what is not there", async () => {
      await expect(engine.attach("0".repeat(64))).rejects.toMatchObject({ code: "ENGINE_FAILED" });
    });
  });

  describeLogs({
    get engine() {
      return engine;
    },
    startEcho,
  });

  describe("events", () => {
    test("report start, end and removal of the labelled containers, from the given moment on", async () => {
      const leave = new AbortController();
      const chosen = { ...labels, "toolhive-watched": randomBytes(4).toString("hex") };
      const since = new Date();
      const { id, stdio } = await startEcho({ labels: chosen });
      const other = await startEcho();
      const seen: ContainerEvent[] = [];
      const watching = (async () => {
        for await (const event of engine.watchEvents(chosen, { since, signal: leave.signal })) seen.push(event);
      })();
      await vi.waitFor(() => expect(seen.map(({ action }) => action)).toEqual(["start"]), WAIT);

      await engine.stopContainer(id, { graceSeconds: 5 });
      await vi.waitFor(() => expect(seen.map(({ action }) => action)).toEqual(["start", "die"]), WAIT);
      await engine.removeContainer(id);
      await vi.waitFor(() => expect(seen.map(({ action }) => action)).toEqual(["start", "die", "destroy"]), WAIT);
      leave.abort();
      await watching;

      expect(new Set(seen.map(({ containerId }) => containerId))).toEqual(new Set([id]));
      await Promise.all([stdio.close(), other.stdio.close()]);
    });
  });

  describe("a signal that has fired", () => {
    test("keeps a call from being made", async () => {
      const made = spec();

      await expect(engine.createContainer(made, { signal: AbortSignal.abort() })).rejects.toThrow();

      expect(await engine.findContainer(made.name)).toBeUndefined();
    });
  });
}
