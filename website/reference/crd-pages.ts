/**
 * The resources of the operator: a page for each kind, with every type and its fields, linked both ways. The index has the specified
 * address and a link at each anchor that it had when all kinds were on one page.
 */
import type { GeneratedPage } from "./cli-pages.ts";
import { type FieldGroup, MCP_GROUP, MCP_REMOTE_PROXY, MCP_SERVER, MCP_TOOL_CONFIG } from "./data/mcpserver-schema.ts";
import { blocks, code, fence, pageHead, table, text } from "./markdown.ts";

const INDEX = "crd-spec";

const EXAMPLE = `apiVersion: toolhive.stacklok.dev/v1alpha1
kind: MCPServer
metadata:
  name: github
  namespace: tools
spec:
  image: ghcr.io/github/github-mcp-server:latest
  transport: stdio
  port: 8080
  secrets:
    - name: github-token
      key: token
      targetEnvName: GITHUB_PERSONAL_ACCESS_TOKEN
  podTemplateSpec:
    spec:
      containers:
        - name: mcp
          resources:
            limits: { cpu: 500m, memory: 256Mi }`;

const REMOTE_EXAMPLE = `apiVersion: toolhive.stacklok.dev/v1alpha1
kind: MCPRemoteProxy
metadata:
  name: forecast
  namespace: tools
spec:
  remoteURL: https://mcp.example.com/mcp
  auth:
    type: bearer
    bearerToken: { name: forecast-token, key: token }
  audit:
    enabled: true`;

const GROUP_EXAMPLE = `apiVersion: toolhive.stacklok.dev/v1alpha1
kind: MCPGroup
metadata:
  name: work
  namespace: tools
spec:
  description: Everything for the daily work
  naming: auto
  toolConfigRef: { name: read-only }`;

const TOOL_CONFIG_EXAMPLE = `apiVersion: toolhive.stacklok.dev/v1alpha1
kind: MCPToolConfig
metadata:
  name: read-only
  namespace: tools
spec:
  toolsFilter: [search, read]
  toolsOverride:
    search_code:
      name: search
      description: Searches all repositories.`;

interface Kind {
  readonly name: string;
  readonly summary: string;
  /** Of its page, in a sentence. */
  readonly description: string;
  readonly shortNames: string;
  readonly columns: string;
  readonly example: string;
  readonly groups: readonly FieldGroup[];
}

const KINDS: readonly Kind[] = [
  {
    name: "MCPServer",
    summary: "An MCP server that runs on the cluster.",
    description:
      "Every field of an MCPServer, which runs an MCP server on the cluster, and everything that the operator reports about it.",
    shortNames: "`mcp`",
    columns: "Status, URL, Age",
    example: EXAMPLE,
    groups: MCP_SERVER,
  },
  {
    name: "MCPRemoteProxy",
    summary: "An MCP server that runs elsewhere.",
    description:
      "Every field of an MCPRemoteProxy, which connects the cluster to an MCP server that runs elsewhere, and its status.",
    shortNames: "`rp`, `mcprp`",
    columns: "Status, Remote, URL, Age; Reason with `-o wide`",
    example: REMOTE_EXAMPLE,
    groups: MCP_REMOTE_PROXY,
  },
  {
    name: "MCPGroup",
    summary: "Several servers behind one URL.",
    description: "Every field of an MCPGroup, which puts several MCP servers behind one URL, and its status.",
    shortNames: "`mcpg`",
    columns: "Status, Servers, URL, Age; Reason with `-o wide`",
    example: GROUP_EXAMPLE,
    groups: MCP_GROUP,
  },
  {
    name: "MCPToolConfig",
    summary: "The tools of servers that clients see.",
    description:
      "Every field of an MCPToolConfig, which chooses and renames the tools that clients see of a server, and its status.",
    shortNames: "`tc`",
    columns: "Valid, Servers, Age",
    example: TOOL_CONFIG_EXAMPLE,
    groups: MCP_TOOL_CONFIG,
  },
];

/** The pages of the kinds, in the order of the sidebar; behind the folder of the reference. */
export const CRD_PAGES: readonly string[] = KINDS.map(pathOfKind);

export function crdPages(): GeneratedPage[] {
  return [indexPage(), ...KINDS.map(kindPage)];
}

function indexPage(): GeneratedPage {
  return {
    path: `${INDEX}.mdx`,
    content: blocks(
      pageHead({
        title: "Reference of the Kubernetes resources",
        sidebarLabel: "Kubernetes resources",
        description:
          "The kinds of the ToolHive Kubernetes operator, MCPServer, MCPRemoteProxy, MCPGroup and MCPToolConfig, with a page of fields for each.",
        keywords: ["crd", "custom resource", "kubernetes", "operator", "yaml", "fields", "v1alpha1"],
      }),
      'import { MovedAnchors } from "@site/src/components/api.tsx";',
      "With the Kubernetes operator, you describe each MCP server with one resource: an `MCPServer` runs on the cluster, an `MCPRemoteProxy` stands for one that runs elsewhere. An `MCPGroup` gives several of them one URL, and an `MCPToolConfig` chooses the tools that clients see. [Run MCP servers in Kubernetes](../guides-k8s/run-mcp-k8s.mdx) shows how to use them.",
      "<MovedAnchors />",
      "All kinds are in the group `toolhive.stacklok.dev`, version `v1alpha1`, and belong to a namespace.",
      table(
        ["Kind", "Short name", "Columns in a list"],
        KINDS.map((kind) => [`[${code(kind.name)}](${linkTo(kind)})`, kind.shortNames, kind.columns]),
      ),
      "## Unknown fields {#unknown-fields}",
      "The API server refuses a field that it does not know: `kubectl apply` asks for that by default (`--validate=strict`). A client that asks for less has such fields dropped, with a warning or without.",
      ...KINDS.flatMap((kind) => [
        `## ${kind.name} {#${makeAnchor(kind)}}`,
        `${kind.summary} [All fields of ${kind.name}](${linkTo(kind)}) has its spec, its status and an example.`,
        // Readers arrive here from links to the anchors of the page that all of this once was; the search leads to the pages.
        `<div data-search-exclude="">\n\n${kind.groups
          .map(
            (group) => `<span id="${makeAnchor(group)}">[${group.name}](${linkToGroup(group, kind, undefined)})</span>`,
          )
          .join(", ")}\n\n</div>`,
      ]),
    ),
  };
}

function kindPage(kind: Kind): GeneratedPage {
  const groups = kind.groups.filter((group) => findSame(group, kind) === undefined);
  return {
    path: `${pathOfKind(kind)}.mdx`,
    sectionQuestions: Object.fromEntries(groups.map((group) => [makeAnchor(group), askAbout(group, kind)])),
    content: blocks(
      pageHead({
        title: `${kind.name} reference`,
        sidebarLabel: kind.name,
        description: kind.description,
        keywords: ["crd", "custom resource", "kubernetes", "yaml", "fields", "v1alpha1"],
      }),
      `${kind.summary} Its API version is ${code("toolhive.stacklok.dev/v1alpha1")}; ${code("kubectl")} also knows it as ${kind.shortNames.replace(", ", " and ")}. [Kubernetes resources](../${INDEX}.mdx) lists all kinds.`,
      fence("yaml", 'title="Example"', kind.example),
      ...groups.map((group) => groupBlock(group, kind)),
    ),
  };
}

/** Asks what each field of a spec does, because readers look a field up by its path. For another type, asks which fields it has. */
function askAbout(group: FieldGroup, kind: Kind): string[] {
  if (group.name !== `${kind.name}Spec`) return [`Which fields has ${group.name}?`];
  return group.fields.map((field) => `What does ${kind.name} spec.${field.name} do?`);
}

/** @returns The group of an MCPServer with the same fields and checks, for a group that another kind has below its spec. */
function findSame(group: FieldGroup, { name: kind }: Kind): FieldGroup | undefined {
  // Links of readers lead to the states of each kind.
  if (/(?:Spec|Status|Conditions|Endpoints)$/.test(group.name)) return undefined;
  const write = ({ fields, checks }: FieldGroup, prefix: string) =>
    JSON.stringify([fields.map((field) => ({ ...field, of: field.of?.replace(prefix, "") })), checks]);
  return MCP_SERVER.find(
    (other) =>
      other !== group && other.name === group.name.replace(kind, "") && write(other, "") === write(group, kind),
  );
}

function groupBlock(group: FieldGroup, kind: Kind): string {
  const users = kind.groups.flatMap((other) =>
    other.fields
      .filter((field) => field.of === group.name)
      .map((field) => `[${code(`${other.name}.${field.name}`)}](#${makeAnchor(other)})`),
  );
  const sharers = KINDS.filter(
    (other) => other !== kind && other.groups.some((each) => findSame(each, other) === group),
  );
  return blocks(
    `${/(?:Spec|Status)$/.test(group.name) ? "##" : "###"} ${group.name} {#${makeAnchor(group)}}`,
    group.summary,
    group.checks.length === 0
      ? undefined
      : `The API server also checks:\n\n${group.checks.map((check) => `- ${markFields(text(check))}`).join("\n")}`,
    users.length === 0 ? undefined : `Used by ${[...users, ...sharers.map(linkToSharer)].join(", ")}.`,
    table(
      ["Field", "Type", "Required", "Default", "Meaning"],
      group.fields.map((field) => {
        const type = kind.groups.find(({ name }) => name === field.of);
        return [
          code(field.name),
          type === undefined ? field.type : `${field.type} of ${typeLink(type, kind)}`,
          field.required ? "Yes" : "No",
          field.default === undefined ? "" : text(field.default),
          field.meaning,
        ];
      }),
    ),
  );
}

function typeLink(group: FieldGroup, kind: Kind): string {
  return `[${(findSame(group, kind) ?? group).name}](${linkToGroup(group, kind, kind)})`;
}

function linkToSharer(kind: Kind): string {
  return `[${code(kind.name)}](./${makeAnchor(kind)}.mdx)`;
}

/** @param from The kind on whose page the link is; `undefined` for the index. */
function linkToGroup(group: FieldGroup, kind: Kind, from: Kind | undefined): string {
  const same = findSame(group, kind);
  const home = same === undefined ? kind : KINDS.find(({ groups }) => groups.includes(same));
  const fragment = `#${makeAnchor(same ?? group)}`;
  if (home === undefined || home === from) return fragment;
  return `${from === undefined ? linkTo(home) : `./${makeAnchor(home)}.mdx`}${fragment}`;
}

function makeAnchor({ name }: Kind | FieldGroup): string {
  return name.toLowerCase();
}

function pathOfKind(kind: Kind): string {
  return `${INDEX}/${makeAnchor(kind)}`;
}

/** From the index. */
function linkTo(kind: Kind): string {
  return `./${pathOfKind(kind)}.mdx`;
}

/** Paths of fields as code. */
function markFields(sentence: string): string {
  return sentence.replaceAll(/\bspec(?:\.\w+)+/g, (field) => code(field));
}
