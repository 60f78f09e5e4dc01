/** The one sidebar: sections in the order a newcomer meets them. */
import type { SidebarsConfig } from "@docusaurus/plugin-content-docs";
import { COMMANDS, isShown } from "../packages/cli/src/commands.ts";

type Item =
  Exclude<SidebarsConfig[string], undefined> extends infer T ? (T extends readonly (infer I)[] ? I : never) : never;

/** One page per command, in the order of their names. */
const commandPages = COMMANDS.filter(isShown)
  .map(({ path }) => `toolhive/reference/cli/${["thv", ...path].join("_")}`)
  .sort();

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
      "client-configuration",
      "secrets-management",
      "custom-permissions",
      "registry",
      "api-server",
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
          items: commandPages,
        },
        "toolhive/reference/api",
        "toolhive/reference/errors",
        "toolhive/reference/configuration",
        "toolhive/reference/client-compatibility",
        "toolhive/reference/crd-spec",
        "toolhive/reference/conformance",
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
