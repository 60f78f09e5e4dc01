import { expect, test } from "vitest";
import { type Bar, barPicture, describeBars } from "./bar-picture.ts";

const BARS: Bar[] = [
  { name: "ToolHive", value: 100, text: "100 calls/s", isOurs: true },
  { name: "Another", value: 50, text: "50 calls/s", isOurs: false },
];

test("bars are as long as their values, and the picture says in words what it shows", () => {
  const picture = barPicture("Calls per second", BARS, "light");
  const [first = 0, second = 0] = [...picture.matchAll(/<rect x="0" y="\d+" width="(\d+)"/g)].map(([, width]) =>
    Number(width),
  );

  expect(second).toBe(first / 2);
  expect(picture).toContain("<title>Calls per second</title>");
  expect(picture).toContain(`<desc>${describeBars(BARS)}</desc>`);
  expect(describeBars(BARS)).toBe("ToolHive: 100 calls/s; Another: 50 calls/s.");
});

test("each mode has colours of its own", () => {
  expect(barPicture("Calls", BARS, "dark")).not.toBe(barPicture("Calls", BARS, "light"));
});
