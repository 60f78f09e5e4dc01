/** What the site's configuration makes of links that lead nowhere, by the framework's own check of a build's links. */
import { createRequire } from "node:module";
import path from "node:path";
import { describe, expect, test, vi } from "vitest";
import { createSiteConfig } from "../site-config.ts";

const require = createRequire(import.meta.url);
// The package's exports map hides the file.
const coreDir = path.dirname(require.resolve("@docusaurus/core/package.json"));
const { handleBrokenLinks } = require(path.join(coreDir, "lib/server/brokenLinks.js")) as {
  handleBrokenLinks(build: {
    readonly collectedLinks: Readonly<Record<string, { readonly links: string[]; readonly anchors: string[] }>>;
    readonly routes: readonly { readonly path: string; readonly exact: boolean }[];
    readonly onBrokenLinks: unknown;
    readonly onBrokenAnchors: unknown;
  }): Promise<void>;
};
const settings = { analytics: { gtagId: "", vercel: false }, source: "", hasColourSwitch: true };
const { onBrokenLinks, onBrokenAnchors } = createSiteConfig(settings, { version: "1.2.3", constants: {} });

/** Checks a build of two pages, the first of which has the link. */
async function checkLink(link: string): Promise<void> {
  await handleBrokenLinks({
    collectedLinks: { "/a": { links: [link], anchors: [] }, "/b": { links: [], anchors: ["part"] } },
    routes: ["/a", "/b"].map((address) => ({ path: address, exact: true })),
    onBrokenLinks,
    onBrokenAnchors,
  });
}

describe("a link in a page", () => {
  test("that leads to no page fails the build and is named", async () => {
    await expect(checkLink("/nowhere")).rejects.toThrow("/nowhere");
  });

  test("that leads to a missing part of a page is a warning", async () => {
    const warn = vi.spyOn(console, "warn").mockImplementation(() => {});

    await expect(checkLink("/b#nowhere")).resolves.toBeUndefined();

    expect(warn.mock.calls.join("\n")).toContain("/b#nowhere");
    warn.mockRestore();
  });

  test("that leads to a part of a page is neither", async () => {
    const warn = vi.spyOn(console, "warn").mockImplementation(() => {});

    await expect(checkLink("/b#part")).resolves.toBeUndefined();

    expect(warn).not.toHaveBeenCalled();
    warn.mockRestore();
  });
});
