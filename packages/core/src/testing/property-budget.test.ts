import fc from "fast-check";
import { expect, test } from "vitest";
import { PropertyBudget } from "./property-budget.ts";

test("a property without a budget of time is tried as often as its test says", async () => {
  const budget = new PropertyBudget(7, "");

  await fc.assert(
    fc.asyncProperty(
      fc.integer(),
      budget.limit(async () => undefined),
    ),
    budget.parameters,
  );

  expect(budget.tried).toBe(7);
});

test("a property with one is tried once at least, and ends between two runs", async () => {
  const budget = new PropertyBudget(7, "0");

  await fc.assert(
    fc.asyncProperty(
      fc.integer(),
      budget.limit(async () => undefined),
    ),
    budget.parameters,
  );

  expect(budget.tried).toBe(1);
});

test("a failure is made as small as without a budget, and prints its seed and the smallest case", async () => {
  const budget = new PropertyBudget(1000, "0");
  const isSmall = budget.limit(async (number: number) => expect(number).toBeLessThan(10));
  const property = fc.asyncProperty(fc.integer({ min: 10, max: 1000 }), isSmall);

  await expect(fc.assert(property, budget.parameters)).rejects.toThrow(
    /seed: -?\d+, path: "[\d:]+"[\s\S]*Counterexample: \[10\]/,
  );
});
