import { expect, test } from "vitest";
import { runInSlices } from "./in-slices.ts";

test("others have their turn between the slices of long work, and its result is the work's", async () => {
  let clock = 0;
  const seen: string[] = [];
  function* work(): Generator<void, string> {
    for (let step = 0; step < 20; step++) {
      clock += 1;
      seen.push("step");
      yield;
    }
    return "done";
  }
  const other = (): void => {
    seen.push("other");
    if (seen.filter((who) => who === "step").length < 20) setImmediate(other);
  };
  setImmediate(other);

  expect(await runInSlices(work(), () => clock)).toBe("done");
  expect(seen.join(" ")).toMatch(/^(step ){5}(other )+(step ){5}(other )+(step ){5}other/);
});

test("an error of the work is the caller's", async () => {
  // biome-ignore lint/correctness/useYield: it fails before its first step.
  function* work(): Generator<void, string> {
    throw new RangeError("too many");
  }

  await expect(runInSlices(work())).rejects.toThrow("too many");
});
