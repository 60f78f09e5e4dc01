/** Pictures of the application: each in two sizes, and with the height that its page reserves for it. */
import { readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { expect, test } from "vitest";

const website = join(import.meta.dirname, "../..");
const PICTURES = join(website, "static/img/ui");
/** Where an extended WebP has its width and its height, each less one, in three bytes. */
const SIZE_AT = 24;

function readSize(name: string): readonly [width: number, height: number] {
  const bytes = readFileSync(join(PICTURES, name));
  expect(bytes.toString("latin1", 12, 16), name).toBe("VP8X");
  return [bytes.readUIntLE(SIZE_AT, 3) + 1, bytes.readUIntLE(SIZE_AT + 3, 3) + 1];
}

const whole = readdirSync(PICTURES).filter((name) => name.endsWith(".webp") && !name.endsWith("-960.webp"));

test.each(whole)("beside %s lies one with half its pixels in each direction", (name) => {
  const [width, height] = readSize(name);

  expect(width).toBe(1920);
  expect(readSize(name.replace(".webp", "-960.webp"))).toEqual([960, Math.round(height / 2)]);
});

test("a page reserves the height that a picture has", () => {
  const wrong: string[] = [];
  let count = 0;
  const docs = join(website, "docs");
  const pages = readdirSync(docs, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".mdx"));
  for (const page of pages) {
    const text = readFileSync(join(docs, page), "utf8");
    for (const [, file = "", height] of text.matchAll(/light="\/img\/ui\/([\w-]+\.webp)"[^>]*height=\{(\d+)\}/g)) {
      count++;
      const [, actual] = readSize(file);
      if (Number(height) !== Math.round(actual / 2))
        wrong.push(`${basename(page)}: ${file} is ${actual / 2} pixels high`);
    }
  }

  expect(wrong).toEqual([]);
  expect(count).toBeGreaterThan(8);
});
