/** The one sidebar: sections in the order a newcomer meets them. */
import type { SidebarsConfig } from "@docusaurus/plugin-content-docs";

const sidebars: SidebarsConfig = {
  docs: [
    "toolhive/index",
    {
      type: "category",
      label: "Tutorials",
      link: { type: "doc", id: "toolhive/tutorials/index" },
      collapsed: false,
      items: ["toolhive/tutorials/quickstart-cli"],
    },
  ],
};

export default sidebars;
