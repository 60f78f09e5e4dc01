import { expect, test } from "vitest";
import { EMPTY_DRAFT, toCommand, toDraft, toEdited, toRequest } from "./draft.ts";
import { DURATION_PATTERN, formatDuration, parseDuration } from "./sleep-time.ts";

test.each([
  ["", undefined, ""],
  ["0", 0, "0"],
  ["90s", 90, "1m30s"],
  [" 10m ", 600, "10m"],
  ["1h30m", 5_400, "1h30m"],
  ["2d", 172_800, "2d"],
])("the time %j is %s seconds, which are written %j", (text, seconds, written) => {
  expect(parseDuration(text)).toBe(seconds);
  expect(formatDuration(seconds)).toBe(written);
});

test.each(["10", "m", "-5m", "10 m", "1.5h", "10m0", "soon"])(
  "%j is no time, and the field does not take it",
  (text) => {
    expect(parseDuration(text)).toBeUndefined();
    // A browser reads a pattern with this flag.
    expect(new RegExp(`^(?:${DURATION_PATTERN})$`, "v").test(text)).toBe(false);
  },
);

test("the time after which a server sleeps is in its request, in the command, and in the form of an edit", () => {
  const request = toRequest({ image: "mcp/echo" }, { ...EMPTY_DRAFT, sleepAfter: "10m" });
  expect(request.sleep_after_seconds).toBe(600);
  expect(toCommand(request)).toBe("thv run --sleep-after 10m mcp/echo");
  expect(toDraft(request).sleepAfter).toBe("10m");

  const edit = (sleepAfter: string) => toEdited(request, { ...toDraft(request), sleepAfter }).sleep_after_seconds;
  expect([edit("10m"), edit("0"), edit("")]).toEqual([600, 0, undefined]);
});
