/**
 * The content of every page's head beside the framework's own. In the configuration it would be transferred once more, in the
 * bundle of every page.
 */
import type { Plugin } from "@docusaurus/types";
import { CATALOG_PATH } from "../../server/mcp-paths.ts";
import { collectSearchKeys } from "../../src/search-keys.ts";

export default function headTags(): Plugin {
  return {
    name: "toolhive-head-tags",
    injectHtmlTags: () => ({
      headTags: [
        { tagName: "meta", attributes: { name: "color-scheme", content: "light dark" } },
        themeColor("light", "#fbfaf7"),
        themeColor("dark", "#121416"),
        { tagName: "script", innerHTML: `(${collectSearchKeys})()` },
        { tagName: "link", attributes: { rel: "apple-touch-icon", href: "/img/touch-icon.png" } },
        { tagName: "link", attributes: { rel: "ai-catalog", type: "application/ai-catalog+json", href: CATALOG_PATH } },
      ],
    }),
  };
}

function themeColor(scheme: "light" | "dark", content: string) {
  return { tagName: "meta", attributes: { name: "theme-color", media: `(prefers-color-scheme: ${scheme})`, content } };
}
