import { describe, expect, test } from "vitest";
import type { Logger } from "../ports/log.ts";
import { type ProxyLine, ProxyLogs } from "./proxy-logs.ts";

const ALL = { tail: Number.POSITIVE_INFINITY };

function open(now?: () => number) {
  const passed: string[] = [];
  const at = (level: string) => (_fields: unknown, message: string) => void passed.push(`${level} ${message}`);
  const log: Logger = { error: at("error"), warn: at("warn"), info: at("info"), debug: at("debug") };
  const logs = new ProxyLogs(now);
  return { logs, log, passed };
}

const texts = (lines: readonly ProxyLine[]) => lines.map(({ text }) => text);

describe("logs of proxies", () => {
  test("keep what is said of a workload, pass everything on, and leave details for developers out", () => {
    const { logs, log, passed } = open(() => 7);
    const all = logs.wrap(log);
    all.info({ workload: "a", from: "starting", to: "running", reason: "" }, "status");
    all.warn({ workload: "b", reason: "it is on\nfire" }, "server restarts");
    all.error({}, "of no workload");
    all.debug({ workload: "a" }, "detail");
    logs.wrap(log, "a").info({ port: 1, err: new Error("no") }, "proxy listening");

    expect(logs.read("a", ALL)).toEqual([
      { at: 7, level: "info", text: "status from=starting to=running" },
      { at: 7, level: "info", text: 'proxy listening port=1 err="no"' },
    ]);
    expect(logs.read("b", ALL)).toEqual([{ at: 7, level: "warn", text: 'server restarts reason="it is on\\nfire"' }]);
    expect(passed).toHaveLength(5);
  });

  test("hide the values of secrets, also within others", () => {
    const { logs, log } = open();
    logs.wrap(log, "a").info({ token: "t0", headers: { Authorization: "t1", env: ["t2"] }, ok: 1 }, "request");

    expect(texts(logs.read("a", ALL)).join()).not.toMatch(/t\d/);
    expect(texts(logs.read("a", ALL)).join()).toContain("ok=1");
  });

  test("select the newest, and those since a moment", () => {
    let now = 0;
    const { logs, log } = open(() => now);
    for (now = 1; now <= 5; now += 1) logs.wrap(log, "a").info({}, `line ${now}`);

    expect(texts(logs.read("a", { tail: 2 }))).toEqual(["line 4", "line 5"]);
    expect(texts(logs.read("a", { ...ALL, since: 3 }))).toEqual(["line 3", "line 4", "line 5"]);
    expect(logs.read("other", ALL)).toEqual([]);
  });

  test("are bounded, whatever is said and of however many", () => {
    const { logs, log } = open();
    for (let count = 0; count < 2_000; count += 1) logs.wrap(log, "a").info({ text: "x".repeat(20_000) }, `${count}`);
    for (let count = 0; count < 2_000; count += 1) logs.wrap(log, `w${count}`).info({}, "x");

    expect(logs.read("a", ALL)).toEqual([]);
    expect(logs.read("w1999", ALL)).toHaveLength(1);
    for (let count = 0; count < 2_000; count += 1) logs.wrap(log, "a").info({ text: "x".repeat(20_000) }, `${count}`);
    expect(texts(logs.read("a", ALL)).join("").length).toBeLessThanOrEqual(128 * 1024);
  });

  test("are followed in order; a slow reader misses the oldest, and the end is the reader's", async () => {
    const { logs, log } = open();
    const leave = new AbortController();
    logs.wrap(log, "a").info({}, "first");
    const lines = logs.follow("a", { tail: 1 }, leave.signal);
    expect((await lines.next()).value?.text).toBe("first");
    const next = lines.next();
    for (let count = 1; count <= 700; count += 1) logs.wrap(log, "a").info({}, `line ${count}`);

    expect((await next).value?.text).toBe("line 201");
    expect((await lines.next()).value?.text).toBe("line 202");
    leave.abort();
    expect((await lines.next()).done).toBe(true);
  });

  test("of workloads that are gone are forgotten", () => {
    const { logs, log } = open();
    for (const name of ["a", "b"]) logs.wrap(log, name).info({}, "x");
    logs.retain(["b"]);

    expect([logs.read("a", ALL).length, logs.read("b", ALL).length]).toEqual([0, 1]);
  });
});
