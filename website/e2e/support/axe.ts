/** Runs axe in the page and gives its violations as readable lines. */
import type { Page } from "@playwright/test";
import axe from "axe-core";

const TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];

export async function accessibilityViolations(page: Page): Promise<string[]> {
  await page.evaluate(axe.source);
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
