/** Runs axe in the page and gives its violations as readable lines. */
import type { Page } from "@playwright/test";
import axe from "axe-core";

const TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];

export async function accessibilityViolations(page: Page): Promise<string[]> {
  await page.evaluate(axe.source);
  return await page.evaluate(async (tags) => {
    const { axe: runner } = window as unknown as { axe: typeof import("axe-core") };
    const { violations } = await runner.run(document, { runOnly: tags });
    return violations.map(
      ({ id, nodes }) => `${id}: ${nodes.map(({ html, failureSummary }) => `${html} (${failureSummary})`).join(" | ")}`,
    );
  }, TAGS);
}
