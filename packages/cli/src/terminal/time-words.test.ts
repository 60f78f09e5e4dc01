/** Points in time, as people read them. */
import { expect, test } from "vitest";
import { formatAge, formatLocalTime, formatTime } from "./time-words.ts";

test.each([
  [0, "now"],
  [-0.5, "now"],
  [-5, "in 5 seconds"],
  [-7_200, "in 2 hours"],
  [1, "1 second ago"],
  [59, "59 seconds ago"],
  [300, "5 minutes ago"],
  [3_600, "1 hour ago"],
  [200_000, "2 days ago"],
])("what was %f seconds ago is shown so to people", (seconds, expected) => {
  const now = Date.parse("2025-07-20T10:00:00Z");

  expect(formatAge(new Date(now - seconds * 1_000).toISOString(), now)).toBe(expected);
});

test("a terminal shows how long ago, and a pipe the local time with its offset, which can be compared", () => {
  const stamp = new Date(Date.now() - 61_000).toISOString();

  expect(formatTime(stamp, { isOutputTerminal: true })).toBe("1 minute ago");
  expect(formatTime(stamp, { isOutputTerminal: false })).toBe(formatLocalTime(stamp));
  expect(formatLocalTime("2025-07-20T10:04:11Z")).toMatch(/^2025-07-\d\d \d\d:\d\d:11 [+-]\d{4}$/);
});
