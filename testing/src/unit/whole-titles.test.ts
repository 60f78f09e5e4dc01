import { expect, test } from "vitest";

/** As long as titles of engines are that say why an engine is missing. */
const LONG = { title: `an engine (skipped: ${"a reason that is long, ".repeat(8)}and its end)` };

test.each([LONG])("the title of a test has the whole of $title", ({ title }) => {
  expect(expect.getState().currentTestName).toContain(title);
});

test("a failure shows the values that differ", () => {
  const few = Array.from({ length: 20 }, (_, index) => index);

  expect(() => expect(few).toBe("another value")).toThrow("18, 19");
});
