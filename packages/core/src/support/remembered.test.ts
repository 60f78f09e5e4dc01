import { expect, test } from "vitest";
import { Remembered } from "./remembered.ts";

test("a value is made again only when a source of it is another one, or there are more of them", () => {
  const remembered = new Remembered<object>();
  const config = {};
  const make = () => ({});

  const first = remembered.get([config, "running", undefined], make);

  expect(remembered.get([config, "running", undefined], make)).toBe(first);
  const second = remembered.get([config, "stopped", undefined], make);
  expect(second).not.toBe(first);
  expect(remembered.get([config, "stopped", undefined, "a warning"], make)).not.toBe(second);
  expect(remembered.get([{}, "stopped", undefined, "a warning"], make)).not.toBe(second);
});
