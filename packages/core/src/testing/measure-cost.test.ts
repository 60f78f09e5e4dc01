/** Whether the comparison of costs makes as many runs as it needs, and no verdict depends on how few they are. */
import { expect, test } from "vitest";
import { compareCosts, compareGrowth } from "./measure-cost.ts";

const BYTES = 64 * 1024;
const parse = () => JSON.parse(JSON.stringify({ text: "plain text. ".repeat(BYTES / 12) }));
/** Needs processor time that grows with the square of its input. */
const square = (bytes: number) => {
  let sum = 0;
  for (let index = 0; index < (bytes / 7) ** 2; index++) sum += index % 7;
  return sum;
};

test("work that is within the limits is done once", async () => {
  let runs = 0;
  const ratios = await compareCosts({
    entrance: "once",
    input: "plain",
    bytes: BYTES,
    plain: parse,
    worst: () => {
      runs += 1;
      return parse();
    },
    limits: { processor: 1e6, memory: 1e6 },
  });

  expect(runs).toBe(1);
  expect(ratios.processor).toBeLessThan(1e6);
});

test("work that is beyond the limits is done as often as was asked for, and once before", async () => {
  let runs = 0;
  const ratios = await compareCosts({
    entrance: "beyond",
    input: "square",
    bytes: BYTES,
    plain: parse,
    worst: () => {
      runs += 1;
      return square(BYTES);
    },
    runs: 3,
    limits: { processor: 0.001 },
  });

  expect(runs).toBe(4);
  expect(ratios.processor).toBeGreaterThan(0.001);
});

const MANY = 50_000;
const createObjects = () => Array.from({ length: MANY }, (_, at) => ({ at, text: `x${at}` }));
const MEMORY = { bytes: BYTES, plain: parse, runs: 1, limits: { memory: 4 } };

test("objects that the work no longer holds do not count, however late they are collected", async () => {
  const { memory } = await compareCosts({
    ...MEMORY,
    entrance: "memory",
    input: "let go of",
    worst: () => {
      for (let round = 0; round < 40; round++) createObjects();
    },
  });

  expect(memory).toBeLessThan(4);
});

test("objects that the work holds count until it ends", async () => {
  const { memory } = await compareCosts({
    ...MEMORY,
    entrance: "memory",
    input: "held",
    worst: () => {
      const held = Array.from({ length: 24 }, createObjects);
      createObjects();
      return held.length;
    },
  });

  expect(memory).toBeGreaterThan(100);
});

test("growth of a square is found behind limits that it keeps", async () => {
  const { growth, processor } = await compareGrowth({
    entrance: "growth",
    input: "square",
    bytes: BYTES,
    plain: (bytes) => "a".repeat(bytes),
    worst: (bytes) => "a".repeat(bytes),
    // The plain input of this entrance is measured first, and once.
    read: createReader(),
    limits: { processor: 1e9, memory: 1e9 },
  });

  expect(processor).toBeGreaterThan(8);
  expect(growth).toBeGreaterThan(2);
});

function createReader(): (input: string | readonly Buffer[]) => unknown {
  let runs = 0;
  const plainRuns = 3;
  return (input) => {
    runs += 1;
    return runs <= plainRuns ? input.length : square(input.length);
  };
}
