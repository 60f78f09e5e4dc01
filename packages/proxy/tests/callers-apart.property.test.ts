/**
 * Random callers, sessions, protocol eras, transports and messages on one stdio server: whatever carries the mark of one
 * caller never arrives at another, and no caller answers for another. The server is a decent one that speaks of a call
 * where MCP lets it, and reads JSON as Go does; the callers try everything.
 */
import { PropertyBudget, TestIssuer } from "@toolhive/core/testing";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { arbitrarySteps, CALLER_NAMES, LEAK_PATHS, type LeakPath, type Step } from "../src/testing/caller-steps.ts";
import { CallersWorld } from "../src/testing/callers-world.ts";

const RUNS = 40;

describe("of what carries the mark of a caller", () => {
  let issuer: TestIssuer;
  beforeAll(async () => {
    issuer = await TestIssuer.start();
  });
  afterAll(() => issuer[Symbol.asyncDispose]());

  const play = async (script: readonly Step[]): Promise<CallersWorld> => {
    await using world = await CallersWorld.open(issuer);
    for (const step of script) await world.perform(step);
    await world.finish();
    return world;
  };

  test.each([...LEAK_PATHS.map((way) => [way, [way]] as const), ["all of them together", LEAK_PATHS] as const])(
    "nothing arrives at another by %s",
    async (_, ways: readonly LeakPath[]) => {
      let arrived = 0;
      const budget = new PropertyBudget(RUNS);
      const holds = budget.limit(async (script: readonly Step[]) => {
        const world = await play(script);

        expect(world.strayed).toEqual([]);
        expect(world.lost).toEqual([]);
        arrived += world.arrived;
      });
      await fc.assert(fc.asyncProperty(arbitrarySteps(ways), holds), budget.parameters);
      // Else the property held because nothing happened.
      expect(arrived).toBeGreaterThan(budget.tried / 2);
    },
  );

  test("a caller's sessions go only when it has more than its part of all", async () => {
    const opening = fc.array(fc.nat({ max: CALLER_NAMES.length - 1 }), { minLength: 1, maxLength: 20 });
    await fc.assert(
      fc.asyncProperty(opening, async (openings) => {
        await using world = await CallersWorld.open(issuer, { maxSessions: 6, maxCallerSessions: 4 });
        for (const caller of openings) await world.perform({ act: "open", caller, kind: "2025-06-18" });

        expect(await world.countLatestAlive(2)).toEqual(
          CALLER_NAMES.map((_, caller) => Math.min(2, openings.filter((opened) => opened === caller).length)),
        );
      }),
      { numRuns: RUNS },
    );
  });
});
