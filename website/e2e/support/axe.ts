/** Runs axe in the page and gives its violations as readable lines. */
import type { Page } from "@playwright/test";
import axe from "axe-core";

const TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];

export async function accessibilityViolations(page: Page): Promise<string[]> {
  await loadAxe(page);
  return await page.evaluate(async (tags) => {
    // The shadows at a table's sides are gradients, and of text before a gradient axe does not say whether it is too pale.
    for (const table of document.querySelectorAll<HTMLElement>(".scroll-table")) table.style.backgroundImage = "none";
    // A section that is not laid out has a guessed height, and to axe its links lie on those of the next one.
    for (const box of document.querySelectorAll<HTMLElement>(".deferred-layout"))
      box.style.contentVisibility = "visible";
    // Until the next frame is drawn, axe passes over what had not been laid out.
    await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
    const { axe: runner } = window as unknown as { axe: typeof import("axe-core") };
    const { violations } = await runner.run(document, { runOnly: tags, resultTypes: ["violations"], preload: false });
    return violations.map(
      ({ id, nodes }) => `${id}: ${nodes.map(({ html, failureSummary }) => `${html} (${failureSummary})`).join(" | ")}`,
    );
  }, TAGS);
}

/**
 * axe makes some twenty objects for the colours of each word, and keeps the numbers of each in seven weak maps, because its
 * private fields are translated for old browsers. That takes two thirds of the processor time of a page with thousands of words.
 * Here the numbers are properties of the colour instead, and a colour that a style names is parsed once. The rules, the elements
 * that they check and what they find stay the same, which a test of `accessibility.e2e.ts` holds.
 *
 * @param options `areColorsQuick`: default true; the other is for that test.
 */
export async function loadAxe(page: Page, { areColorsQuick = true } = {}): Promise<void> {
  if (!areColorsQuick) return void (await page.evaluate(axe.source));
  await page.evaluate(defineColorField);
  await page.evaluate(QUICK_SOURCE);
  await page.evaluate(parseColorsOnce);
}

/** Where axe makes the stores of the private fields of a colour. */
const COLOR_FIELDS =
  /_r = new WeakMap\(\), _g = new WeakMap\(\), _b = new WeakMap\(\), _red = new WeakMap\(\),\s+_green = new WeakMap\(\), _blue = new WeakMap\(\), _Class3_brand = new WeakSet\(\)/;

const QUICK_SOURCE = replaceColorFields(axe.source);

function replaceColorFields(source: string): string {
  if (!COLOR_FIELDS.test(source))
    throw new Error(`axe-core ${axe.version} makes the fields of its colours elsewhere: adapt COLOR_FIELDS.`);
  return source.replace(COLOR_FIELDS, (fields) => fields.replace(/new Weak(?:Map|Set)\(\)/g, "createColorField()"));
}

function defineColorField(): void {
  type Color = Record<symbol, unknown>;
  /** As much of a WeakMap and a WeakSet as axe uses for a private field. */
  const createColorField = () => {
    const key = Symbol("field of a colour");
    return {
      has: (color: Color) => key in color,
      get: (color: Color) => color[key],
      set: (color: Color, value: unknown) => {
        color[key] = value;
      },
      add: (color: Color) => {
        color[key] = true;
      },
    };
  };
  Object.assign(window, { createColorField });
}

function parseColorsOnce(): void {
  interface Color {
    r: number;
    g: number;
    b: number;
    alpha: number;
    parseString(text: string): Color;
  }
  const { axe: runner } = window as unknown as { axe: { commons: { color: { Color: { prototype: Color } } } } };
  const { prototype } = runner.commons.color.Color;
  const { parseString } = prototype;
  const parsed = new Map<string, Pick<Color, "r" | "g" | "b" | "alpha">>();
  prototype.parseString = function (text) {
    const known = parsed.get(text);
    if (known !== undefined) return Object.assign(this, known);
    parseString.call(this, text);
    const { r, g, b, alpha } = this;
    parsed.set(text, { r, g, b, alpha });
    return this;
  };
}
