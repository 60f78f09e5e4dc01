import { expect, test } from "vitest";
import { assertKeepableLimits, listUnkeptLimits, pickOwnLimits } from "./unkept-limits.ts";

const ROOTLESS = { isRemote: false, missingLimits: ["memory", "cpus", "pids"] } as const;
const ABLE = { isRemote: false };

test("of an engine that keeps everything nothing is said and nothing kept", () => {
  expect(listUnkeptLimits(ABLE, {}, "linux")).toEqual([]);
  expect(pickOwnLimits(ABLE, {}, "linux")).toBeUndefined();
  expect(() => assertKeepableLimits(ABLE, { limits: { cpus: 1 } }, "linux")).not.toThrow();
});

test("the supervisor keeps memory and processes on Linux, and says that nothing limits processors", () => {
  expect(listUnkeptLimits(ROOTLESS, {}, "linux")).toEqual([
    "The container engine cannot limit memory and processes; the supervisor ends the server at its bound instead.",
    "The container engine cannot limit processors, so nothing does.",
  ]);
  const limits = { memory_bytes: 1000, pids: 5 };
  expect(pickOwnLimits(ROOTLESS, { limits }, "linux")).toEqual({ memoryBytes: 1000, pids: 5 });
  expect(() => assertKeepableLimits(ROOTLESS, { limits }, "linux")).not.toThrow();
});

test("elsewhere, and on another machine, nothing is kept", () => {
  const remote = { ...ROOTLESS, isRemote: true };
  expect(pickOwnLimits(remote, {}, "linux")).toBeUndefined();
  expect(pickOwnLimits(ROOTLESS, {}, "darwin")).toBeUndefined();
  expect(listUnkeptLimits(remote, {}, "linux")).toEqual([
    "The container engine cannot limit memory, processors and processes, so nothing does.",
  ]);
});

test("a limit that was asked for and that nobody can keep is refused by name", () => {
  const refuse = () => assertKeepableLimits(ROOTLESS, { limits: { cpus: 0.5 } }, "linux");
  expect(refuse).toThrow("The container engine cannot limit processors: --cpus 0.5.");
  expect(() => assertKeepableLimits(ROOTLESS, { limits: { cpus: 0 } }, "linux")).not.toThrow();
});

test("a limit of 0 is none, of which nothing is said", () => {
  expect(listUnkeptLimits(ROOTLESS, { limits: { cpus: 0, memory_bytes: 0, pids: 0 } }, "linux")).toEqual([]);
});
