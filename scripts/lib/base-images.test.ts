import { join } from "node:path";
import { expect, test } from "vitest";
import { listNamedImages, measureAges, readBaseImages } from "./base-images.mjs";

const ROOT = join(import.meta.dirname, "../..");

test("each base image that is named has the day on which its fixes end, and no other one", () => {
  expect(Object.keys(readBaseImages(ROOT)).sort()).toEqual(listNamedImages(ROOT));
});

test("a base image is old two months before its end", () => {
  const images = { a: { ends: "2027-03-31", source: "" }, b: { ends: "2027-04-30", source: "" } };

  expect(measureAges(images, new Date("2027-02-15T12:00:00Z"))).toEqual([
    { name: "a", days: 43, isOld: true },
    { name: "b", days: 73, isOld: false },
  ]);
});

test("each row has a day and where it comes from", () => {
  for (const [name, { ends, source }] of Object.entries(readBaseImages(ROOT))) {
    expect([name, Number.isNaN(Date.parse(ends)), source.startsWith("https://")]).toEqual([name, false, true]);
  }
});
