/**
 * The sections of the sidebar that hold written pages, in the order in which a newcomer meets them. Guides to the CLI stand in groups
 * of tasks; what is about this project, and not about using it, is in its last section, which is closed at first.
 */
import type { SidebarsConfig } from "@docusaurus/plugin-content-docs";

export type SidebarItem =
  Exclude<SidebarsConfig[string], undefined> extends infer T ? (T extends readonly (infer I)[] ? I : never) : never;

/** A section with its own landing page. */
function makeSection(label: string, id: string, items: readonly SidebarItem[]): SidebarItem {
  return {
    type: "category",
    label,
    link: { type: "doc", id: `toolhive/${id}/index` },
    collapsed: false,
    items: [...items],
  };
}

const listPages = (folder: string, pages: readonly string[]) => pages.map((page) => `toolhive/${folder}/${page}`);

/** Tasks that belong together, within the guides to the CLI. They have no page of their own. */
function makeTasks(label: string, pages: readonly string[]): SidebarItem {
  return { type: "category", label, collapsed: false, items: listPages("guides-cli", pages) };
}

export const GUIDES: readonly SidebarItem[] = [
  "toolhive/index",
  makeSection("Tutorials", "tutorials", listPages("tutorials", ["quickstart-cli", "quickstart-ui", "quickstart-k8s"])),
  makeSection(
    "Concepts",
    "concepts",
    listPages("concepts", [
      "mcp-primer",
      "architecture",
      "aggregation",
      "threat-model",
      "registry-criteria",
      "comparison",
    ]),
  ),
  makeSection(
    "UI guides",
    "guides-ui",
    listPages("guides-ui", [
      "install",
      "run-mcp-servers",
      "client-configuration",
      "secrets-management",
      "network-isolation",
    ]),
  ),
  makeSection("CLI guides", "guides-cli", [
    makeTasks("Run", ["install", "registry", "run-mcp-servers", "manage-mcp-servers", "project-file"]),
    makeTasks("Connect", ["client-configuration", "groups", "tools", "remote-servers"]),
    makeTasks("Secure and operate", [
      "secrets-management",
      "custom-permissions",
      "control-access",
      "observe",
      "api-server",
      "documentation",
    ]),
  ]),
  makeSection(
    "Kubernetes guides",
    "guides-k8s",
    listPages("guides-k8s", ["intro", "deploy-operator-helm", "run-mcp-k8s"]),
  ),
];

/** What the generated part of the sidebar lists; the pages of a part are made by `website/reference`. */
export interface ReferencePages {
  readonly commands: readonly SidebarItem[];
  readonly apiPages: readonly string[];
  readonly errorPages: readonly string[];
  readonly resourcePages: readonly string[];
}

/** A part of the reference: its first page, which is called like the part, and closed at first the pages below it. */
function makePart(label: string, page: string, items: readonly SidebarItem[], collapsed = true): SidebarItem {
  return {
    type: "category",
    label,
    link: { type: "doc", id: `toolhive/reference/${page}` },
    collapsed,
    items: [...items],
  };
}

export function makeReference({ commands, apiPages, errorPages, resourcePages }: ReferencePages): SidebarItem {
  return {
    type: "category",
    label: "Reference",
    collapsed: false,
    items: [
      makePart("Command reference", "cli/thv", commands),
      makePart("API reference", "api", apiPages),
      makePart("Error catalogue", "errors", errorPages),
      ...listPages("reference", ["other-programs", "configuration", "client-compatibility"]),
      makePart("Kubernetes resources", "crd-spec", resourcePages),
      ...listPages("reference", ["manifests", "servers-tried"]),
    ],
  };
}

/** About this project and this site. Their files, and so their routes, stay where they were. */
export const PROJECT_PAGES: readonly string[] = [
  "toolhive/reference/support",
  "toolhive/reference/changelog",
  ...listPages("reference", ["measurements", "conformance", "recovery"]),
  "toolhive/concepts/search-at-scale",
  "toolhive/reference/contributing",
];

export const PROJECT: SidebarItem = { type: "category", label: "Project", collapsed: true, items: [...PROJECT_PAGES] };
