import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, test } from "vitest";
import { startTimeout } from "./timeout-signal.ts";

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;

/** @returns Its parts are out of reach when it has returned. */
function waitForEither(ms: number): Promise<unknown> {
  const either = AbortSignal.any([new AbortController().signal, startTimeout(ms)]);
  return new Promise((resolve) => either.addEventListener("abort", () => resolve(either.reason), { once: true }));
}

test("aborts with the error of a timeout", async () => {
  const signal = startTimeout(5);
  expect(signal.aborted).toBe(false);

  await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));

  expect(signal.reason).toMatchObject({ name: "TimeoutError" });
});

test("aborts a signal that it is part of, however often garbage is collected before", async () => {
  const waiting = Array.from({ length: 20 }, (_, index) => waitForEither(200 + index));
  for (let turn = 0; turn < 5; turn += 1) {
    collectGarbage();
    await new Promise((resolve) => setTimeout(resolve, 10));
  }

  expect(await Promise.all(waiting)).toEqual(waiting.map(() => expect.objectContaining({ name: "TimeoutError" })));
});
