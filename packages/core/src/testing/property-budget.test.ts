import fc from "fast-check";
import { expect, test } from "vitest";
import { PropertyBudget } from "./property-budget.ts";

test.each([
  ["without a budget of time is tried as often as its test says", "", 7],
  ["with one is tried once at least, and ends between two runs", "0", 1],
])("a property %s", async (_, seconds, tried) => {
  const budget = new PropertyBudget(7, seconds);
  const property = fc.asyncProperty(
    fc.integer(),
    budget.limit(async () => undefined),
  );

  await fc.assert(property, budget.parameters);

  expect(budget.tried).toBe(tried);
});

test("a failure is made as small as without a budget, and prints its seed and the smallest case", async () => {
  const budget = new PropertyBudget(1000, "0");
  const isSmall = budget.limit(async (number: number) => expect(number).toBeLessThan(10));
  const property = fc.asyncProperty(fc.integer({ min: 10, max: 1000 }), isSmall);

  await expect(fc.assert(property, budget.parameters)).rejects.toThrow(
    /seed: -?\d+, path: "[\d:]+"[\s\S]*Counterexample: \[10\]/,
  );
});
