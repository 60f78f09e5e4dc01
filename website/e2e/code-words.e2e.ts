/** Flags and identifiers in inline code on a phone: outside tables, none is broken over two lines, and none makes the page scroll sideways. */
import { expect, openPage, test } from "./support/site.ts";

test.use({ viewport: { width: 360, height: 800 } });

for (const path of ["/toolhive/guides-cli/run-mcp-servers", "/toolhive/guides-cli/custom-permissions"]) {
  test(`no flag or identifier of ${path} is broken over two lines at 360 px`, async ({ page }) => {
    await openPage(page, path);

    const { broken, count } = await page.evaluate(() => {
      const words: { text: string; lines: number }[] = [];
      for (const code of document.querySelectorAll("article :not(pre, td, th) > code")) {
        const walker = document.createTreeWalker(code, NodeFilter.SHOW_TEXT);
        for (let node = walker.nextNode(); node; node = walker.nextNode()) {
          for (const match of (node.textContent ?? "").matchAll(/\S+/g)) {
            if (!/[-/?]/.test(match[0]) || match[0].length > 28) continue;
            const range = document.createRange();
            range.setStart(node, match.index);
            range.setEnd(node, match.index + match[0].length);
            const tops = [...range.getClientRects()].filter(({ width }) => width > 0).map(({ top }) => Math.round(top));
            words.push({ text: match[0], lines: new Set(tops).size });
          }
        }
      }
      return { broken: words.filter(({ lines }) => lines > 1).map(({ text }) => text), count: words.length };
    });

    expect(broken).toEqual([]);
    expect(count).toBeGreaterThan(5);
    const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    expect(overflow).toBeLessThanOrEqual(0);
  });
}
