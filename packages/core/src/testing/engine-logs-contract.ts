/** What every container engine behind the port does with the logs of its containers; a part of its contract. */
import { createInterface } from "node:readline";
import { describe, expect, test, vi } from "vitest";
import type { ContainerEngine, ContainerStdio, LogLine } from "../ports/container-engine.ts";

export const WAIT = { timeout: 20_000, interval: 20 };

/** An engine, and a way to start the server whose lines are read. */
export interface LogBench {
  /** Only tests read it: it is opened before the first of them. */
  readonly engine: ContainerEngine;
  readonly startEcho: () => Promise<{ id: string; stdio: ContainerStdio }>;
}

export function describeLogs(bench: LogBench): void {
  describe("logs", () => {
    test("give the newest lines, oldest first, each with its stream", async () => {
      const { id, stdio } = await bench.startEcho();
      for (const each of [1, 2, 3]) await ping(stdio, each);

      await vi.waitFor(async () => {
        const lines = await bench.engine.readLogs(id, { tail: 2 });
        expect(lines).toEqual([
          { stream: "stdout", text: expect.stringContaining('"id":2') },
          { stream: "stdout", text: expect.stringContaining('"id":3') },
        ]);
      }, WAIT);
      await stdio.close();
    });

    test("give a long line whole and on its own stream, wherever the newest lines begin", async () => {
      const { id, stdio } = await bench.startEcho();
      const long = "long".repeat(20_000);
      await ping(stdio, long);
      await ping(stdio, 2);
      const newest = [
        { stream: "stdout", text: expect.stringMatching(/^\{.*"(long){20000}".*\}$/) },
        { stream: "stdout", text: expect.stringContaining('"id":2') },
      ];

      for (const tail of [1, 2]) {
        await vi.waitFor(async () => {
          expect(await bench.engine.readLogs(id, { tail })).toEqual(newest.slice(-tail));
        }, WAIT);
      }
      const all = await bench.engine.readLogs(id, { tail: 100 });
      const followed: LogLine[] = [];
      const following = (async () => {
        for await (const line of bench.engine.followLogs(id, { tail: 2 })) followed.push(line);
      })();
      await vi.waitFor(() => expect(followed.length).toBeGreaterThan(1), WAIT);
      await stdio.close();
      await bench.engine.stopContainer(id, { graceSeconds: 5 });
      await following;

      expect(all.filter(({ stream }) => stream === "stdout")).toEqual(newest);
      expect(all.filter(({ stream }) => stream === "stderr")).not.toContainEqual(
        expect.objectContaining({ text: expect.stringContaining("long") }),
      );
      expect(followed.slice(0, 2)).toEqual(all.slice(-2));
    });

    test("can be followed while they are written, and end with the container", async () => {
      const { id, stdio } = await bench.startEcho();
      const texts: string[] = [];
      const following = (async () => {
        for await (const { text } of bench.engine.followLogs(id, { tail: 100 })) texts.push(text);
      })();
      await vi.waitFor(() => expect(texts).toContain("echo: ready"), WAIT);

      await ping(stdio, 41);
      await vi.waitFor(() => expect(texts.some((text) => text.includes('"id":41'))).toBe(true), WAIT);
      await bench.engine.stopContainer(id, { graceSeconds: 5 });

      await following;
    });

    test("can be followed from where an earlier reader was, over a start of the container", async () => {
      const { id, stdio } = await bench.startEcho();
      const position = { count: 0 };
      const follow = async (texts: string[], signal?: AbortSignal) => {
        for await (const { text } of bench.engine.followLogs(id, { tail: 100, signal, position })) texts.push(text);
      };
      const before: string[] = [];
      const following = follow(before);
      await vi.waitFor(() => expect(before).toContain("echo: ready"), WAIT);
      await stdio.close();
      await bench.engine.stopContainer(id, { graceSeconds: 5 });
      await following;
      await bench.engine.startContainer(id);

      const leave = new AbortController();
      const after: string[] = [];
      const followingAgain = follow(after, leave.signal);
      // Whichever of the two had it: each line comes once.
      await vi.waitFor(async () => {
        const all = (await bench.engine.readLogs(id, { tail: 100 })).map(({ text }) => text);
        expect(all.filter((text) => text === "echo: ready")).toHaveLength(2);
        expect([...before, ...after]).toEqual(all);
      }, WAIT);
      leave.abort();
      await followingAgain;
      await bench.engine.stopContainer(id, { graceSeconds: 5 });
    });

    test("can be left by a signal", async () => {
      const { id, stdio } = await bench.startEcho();
      const leave = new AbortController();
      const texts: string[] = [];
      const following = (async () => {
        for await (const { text } of bench.engine.followLogs(id, { tail: 100, signal: leave.signal })) texts.push(text);
      })();
      await vi.waitFor(() => expect(texts).toContain("echo: ready"), WAIT);

      leave.abort();

      await following;
      await stdio.close();
    });

    test("are refused for what is not there", async () => {
      await expect(bench.engine.readLogs("0".repeat(64), { tail: 1 })).rejects.toMatchObject({ code: "ENGINE_FAILED" });
    });
  });
}

/** @returns The id that was answered. */
export async function ping(stdio: ContainerStdio, id: number | string): Promise<number | string> {
  stdio.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id, method: "ping" })}\n`);
  const lines = createInterface({ input: stdio.stdout });
  try {
    for await (const line of lines) return (JSON.parse(line) as { id: number | string }).id;
  } finally {
    lines.close();
  }
  throw new Error("the server's output has ended");
}
