/** The one sidebar: sections in the order a newcomer meets them. */
import type { SidebarsConfig } from "@docusaurus/plugin-content-docs";
import { readSiteFacts } from "./src/site-facts.ts";

type Item =
  Exclude<SidebarsConfig[string], undefined> extends infer T ? (T extends readonly (infer I)[] ? I : never) : never;

const { commandPaths, errorPages } = readSiteFacts();

/** The pages below a command's path, as a tree; those with commands below them are closed at first. */
function commandItems(path: readonly string[]): Item[] {
  return commandPaths
    .filter((node) => node.length === path.length + 1 && path.every((word, index) => node[index] === word))
    .map((node) => {
      const id = `toolhive/reference/cli/${["thv", ...node].join("_")}`;
      const items = commandItems(node);
      if (items.length === 0) return id;
      return { type: "category", label: node.at(-1) ?? "", link: { type: "doc", id }, collapsed: true, items };
    });
}

/** A section with its own landing page. */
function section(label: string, id: string, items: string[]): Item {
  return {
    type: "category",
    label,
    link: { type: "doc", id: `toolhive/${id}/index` },
    collapsed: false,
    items: items.map((item) => `toolhive/${id}/${item}`),
  };
}

const sidebars: SidebarsConfig = {
  docs: [
    "toolhive/index",
    section("Tutorials", "tutorials", ["quickstart-cli", "quickstart-ui", "quickstart-k8s"]),
    section("Concepts", "concepts", [
      "mcp-primer",
      "architecture",
      "aggregation",
      "threat-model",
      "registry-criteria",
      "comparison",
      "search-at-scale",
    ]),
    section("UI guides", "guides-ui", [
      "install",
      "run-mcp-servers",
      "secrets-management",
      "client-configuration",
      "network-isolation",
    ]),
    section("CLI guides", "guides-cli", [
      "install",
      "run-mcp-servers",
      "manage-mcp-servers",
      "groups",
      "project-file",
      "client-configuration",
      "secrets-management",
      "tools",
      "custom-permissions",
      "control-access",
      "remote-servers",
      "observe",
      "registry",
      "api-server",
      "documentation",
    ]),
    section("Kubernetes operator", "guides-k8s", ["intro", "deploy-operator-helm", "run-mcp-k8s"]),
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
        "toolhive/reference/api",
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
        "toolhive/reference/crd-spec",
        "toolhive/reference/manifests",
        "toolhive/reference/conformance",
        "toolhive/reference/servers-tried",
        "toolhive/reference/recovery",
        "toolhive/reference/measurements",
      ],
    },
    "toolhive/faq",
    {
      type: "category",
      label: "Project",
      collapsed: false,
      items: ["toolhive/reference/changelog", "toolhive/reference/contributing"],
    },
  ],
};

export default sidebars;
