/** What Ctrl-C leaves, and what it says about that. */
import { describe, expect, test, vi } from "vitest";
import { ServedThv } from "../src/testing/served-thv.ts";

const WAIT = { timeout: 20_000, interval: 10 };

describe("Ctrl-C", () => {
  test("amid rm --all says what is done, what goes on, and what was not touched", async () => {
    await using world = await ServedThv.start();
    const { supervisor, world: machine } = world.served;
    const names = Array.from({ length: 10 }, (_, index) => `s${index}`);
    for (const name of names) await world.call(["run", "--name", name, "mcp/echo:1"]);
    let release: () => void = () => undefined;
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    let removed = 0;
    const holdBack = async (proceed: () => Promise<unknown>) => {
      removed += 1;
      if (removed > 1) await held;
      return await proceed();
    };
    machine.engine.interfere("removeContainer", holdBack, { always: true });
    const interrupt = new AbortController();
    const running = world.call(["rm", "--all", "--yes"], { signal: interrupt.signal });
    // One is gone, another was begun in its place, and one waits for its turn.
    await vi.waitFor(() => {
      expect(supervisor.list().filter(({ status }) => status === "removing")).toHaveLength(8);
      expect(supervisor.list()).toHaveLength(9);
    }, WAIT);

    interrupt.abort();
    const { code, stdout, stderr } = await running;

    const gone = names.filter((name) => stdout.includes(`${name} is removed.`));
    expect([code, gone.length]).toEqual([130, 1]);
    expect(stderr).toMatch(
      /^Error: Interrupted: 1 of 10 servers are done; these go on in the background: (s\d, ){7}s\d; these were not touched: s\d\.\nHint: Check the result: thv list --all\n$/,
    );
    release();
    await vi.waitFor(() => expect(supervisor.list()).toHaveLength(1), WAIT);
  });

  test.each([
    ["stop", "stopContainer", "stopping", "stopped"],
    ["restart", "stopContainer", "stopping", "running"],
    ["rm", "removeContainer", "removing", undefined],
  ] as const)(
    "during a %s prints the state of the server, and the operation goes on",
    async (verb, call, during, after) => {
      await using world = await ServedThv.start();
      const { supervisor, world: machine } = world.served;
      await world.call(["run", "--name", "echo", "mcp/echo:1"]);
      let release: () => void = () => undefined;
      const held = new Promise<void>((resolve) => {
        release = resolve;
      });
      machine.engine.interfere(call, async (proceed) => {
        await held;
        return await proceed();
      });
      const interrupt = new AbortController();
      const running = world.call([verb, "echo"], { signal: interrupt.signal });
      await vi.waitFor(() => expect(supervisor.describe("echo").status).toBe(during), WAIT);

      interrupt.abort();
      const { code, stdout, stderr } = await running;

      expect([code, stdout]).toEqual([130, ""]);
      expect(stderr).toBe(
        `Error: Interrupted: "echo" is ${during}, and the operation continues in the background.\nHint: Check the result: thv list --all\n`,
      );
      release();
      await vi.waitFor(() => expect(supervisor.list()[0]?.status).toBe(after), WAIT);
    },
  );
});
