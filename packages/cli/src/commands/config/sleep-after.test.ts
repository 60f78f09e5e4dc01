import { afterEach, beforeEach, expect, test } from "vitest";
import { ServedThv } from "../../testing/served-thv.ts";

let context: ServedThv;
beforeEach(async () => {
  context = await ServedThv.start();
});
afterEach(async () => {
  await context[Symbol.asyncDispose]();
});

const config = (...argv: string[]) => context.call(["config", ...argv]);

test("the time after which new servers sleep is kept, shown and taken back", async () => {
  expect((await config("get-sleep-after")).stderr).toContain("New servers do not sleep");
  expect(await config("set-sleep-after", "90m")).toMatchObject({
    code: 0,
    stdout: "New servers sleep after 1h30m without a call, unless --sleep-after says otherwise.\n",
  });
  expect((await config("get-sleep-after")).stdout).toBe("1h30m\n");
  await config("set-sleep-after", "0");
  expect(JSON.parse((await config("get-sleep-after", "--format", "json")).stdout)).toEqual({ sleep_after_seconds: 0 });
});

test.each(["soon", "1.5s", "-1m", "9000h"])("%s is no time to sleep after", async (text) => {
  expect(await config("set-sleep-after", "--", text)).toMatchObject({
    code: 64,
    stderr: expect.stringContaining("must be whole seconds, at most a year"),
  });
});
