/** The one sidebar: sections in the order a newcomer meets them. */
import type { SidebarsConfig } from "@docusaurus/plugin-content-docs";
import { GUIDES, makeReference, PROJECT, type SidebarItem } from "./src/sidebar-sections.ts";
import { readSiteFacts } from "./src/site-facts.ts";

const { apiPages, commandPaths, errorPages, resourcePages } = readSiteFacts();

/** The pages below a command's path, as a tree; those with commands below them are closed at first. */
function commandItems(path: readonly string[]): SidebarItem[] {
  return commandPaths
    .filter((node) => node.length === path.length + 1 && path.every((word, index) => node[index] === word))
    .map((node) => {
      const id = `toolhive/reference/cli/${["thv", ...node].join("_")}`;
      const items = commandItems(node);
      if (items.length === 0) return id;
      return { type: "category", label: node.at(-1) ?? "", link: { type: "doc", id }, collapsed: true, items };
    });
}

const sidebars: SidebarsConfig = {
  docs: [
    ...GUIDES,
    makeReference({ commands: commandItems([]), apiPages, errorPages, resourcePages }),
    "toolhive/faq",
    PROJECT,
  ],
};

export default sidebars;
