/** What Ctrl-C leaves, and what it says about that. */
import { describe, expect, test, vi } from "vitest";
import { ServedThv } from "../src/testing/served-thv.ts";

const WAIT = { timeout: 20_000, interval: 10 };

describe("Ctrl-C", () => {
  test.each([
    ["stop", "stopContainer", "stopping", "stopped"],
    ["restart", "stopContainer", "stopping", "running"],
    ["rm", "removeContainer", "removing", undefined],
  ] as const)(
    "while a server is told to %s says where it is, and what was asked for goes on",
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
      await vi.waitFor(() => expect(supervisor.get("echo").status).toBe(during), WAIT);

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
