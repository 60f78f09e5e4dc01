import { describe, expect, test } from "vitest";
import { untilAborted, waitForAbort } from "./until-aborted.ts";

describe("work that others wait for, too", () => {
  test("gives its result", async () => {
    expect(await untilAborted(Promise.resolve(1), new AbortController().signal)).toBe(1);
  });

  test("is left when the signal fires, with the signal's reason", async () => {
    const controller = new AbortController();
    const left = untilAborted(new Promise(() => undefined), controller.signal);
    controller.abort(new Error("enough"));

    await expect(left).rejects.toThrow("enough");
  });
});

describe("waiting for a signal", () => {
  test("settles when it is aborted", async () => {
    const controller = new AbortController();
    const waiting = waitForAbort(controller.signal);
    controller.abort();

    await expect(waiting).resolves.toBeUndefined();
  });

  test("settles at once when it was aborted before", async () => {
    await expect(waitForAbort(AbortSignal.abort())).resolves.toBeUndefined();
  });
});
