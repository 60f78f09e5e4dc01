import { describe, expect, test } from "vitest";
import { formatMemory, listLimitProblems, parseMemory } from "./resource-limits.ts";

describe("a size of memory", () => {
  test.each([
    ["0", 0],
    ["4096", 4096],
    ["512m", 512 * 1024 * 1024],
    ["2G", 2 * 1024 * 1024 * 1024],
    ["1.5g", 1.5 * 1024 * 1024 * 1024],
    ["64k", 65_536],
    [" 7b ", 7],
  ])("%j is %i bytes", (text, bytes) => {
    expect(parseMemory(text)).toBe(bytes);
  });

  test.each(["", "m", "-1", "2t", "1e9", "512 m b", "0x10"])("%j is none", (text) => {
    expect(parseMemory(text)).toBeUndefined();
  });

  test.each(["0", "7b", "64k", "512m", "1536m", "2g"])("%s is written again as it was read", (text) => {
    expect(formatMemory(parseMemory(text) ?? Number.NaN)).toBe(text);
  });
});

describe("limits", () => {
  test("of nothing, of zero and of usual sizes have no problem", () => {
    expect(listLimitProblems({})).toEqual([]);
    expect(listLimitProblems({ memory_bytes: 0, cpus: 0, pids: 0 })).toEqual([]);
    expect(listLimitProblems({ memory_bytes: 6 * 1024 * 1024, cpus: 0.01, pids: 1 })).toEqual([]);
  });

  test("that no engine takes are all named at once", () => {
    expect(listLimitProblems({ memory_bytes: 1024, cpus: 0.001, pids: 1.5 })).toEqual([
      { path: ["memory_bytes"], sentence: "memory limit 1024 is below 6 MiB (0: no limit)" },
      { path: ["cpus"], sentence: "CPU limit 0.001 is below 0.01 (0: no limit)" },
      { path: ["pids"], sentence: "process limit 1.5 is not a whole number of 0 or more (0: no limit)" },
    ]);
  });

  test("below zero are refused", () => {
    expect(listLimitProblems({ memory_bytes: -1, cpus: -1, pids: -1 })).toHaveLength(3);
  });
});
