/** The one sidebar: sections in the order a newcomer meets them. */
import type { SidebarsConfig } from "@docusaurus/plugin-content-docs";
import { GUIDES, PROJECT, type SidebarItem } from "./src/sidebar-sections.ts";
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
    {
      type: "category",
      label: "Reference",
      collapsed: false,
      items: [
        {
          type: "category",
          label: "Commands",
          link: { type: "doc", id: "toolhive/reference/cli/thv" },
          items: commandItems([]),
        },
        {
          type: "category",
          label: "API reference",
          link: { type: "doc", id: "toolhive/reference/api" },
          collapsed: true,
          items: [...apiPages],
        },
        {
          type: "category",
          label: "Errors",
          link: { type: "doc", id: "toolhive/reference/errors" },
          collapsed: true,
          items: [...errorPages],
        },
        "toolhive/reference/other-programs",
        "toolhive/reference/configuration",
        "toolhive/reference/client-compatibility",
        {
          type: "category",
          label: "Kubernetes resources",
          link: { type: "doc", id: "toolhive/reference/crd-spec" },
          collapsed: true,
          items: [...resourcePages],
        },
        "toolhive/reference/manifests",
        "toolhive/reference/servers-tried",
      ],
    },
    "toolhive/faq",
    PROJECT,
  ],
};

export default sidebars;
