/** The resources of the operator as a page: every type with its fields, linked both ways. */
import type { GeneratedPage } from "./cli-pages.ts";
import { type FieldGroup, MCP_GROUP, MCP_REMOTE_PROXY, MCP_SERVER, MCP_TOOL_CONFIG } from "./data/mcpserver-schema.ts";
import { blocks, code, fence, pageHead, table, text } from "./markdown.ts";

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

export function crdPage(): GeneratedPage {
  return {
    path: "crd-spec.mdx",
    content: blocks(
      pageHead({
        title: "Reference of the Kubernetes resources",
        sidebarLabel: "Kubernetes resources",
        description:
          "Every field of the ToolHive Kubernetes operator's MCPServer, MCPRemoteProxy, MCPGroup and MCPToolConfig, from the definitions that its chart installs.",
        keywords: ["crd", "custom resource", "kubernetes", "operator", "yaml", "fields", "v1alpha1"],
      }),
      "With the Kubernetes operator, you describe each MCP server with one resource: an `MCPServer` runs on the cluster, an `MCPRemoteProxy` stands for one that runs elsewhere. An `MCPGroup` gives several of them one URL, and an `MCPToolConfig` chooses the tools that clients see. [Run MCP servers in Kubernetes](../guides-k8s/run-mcp-k8s.mdx) shows how to use it.",
      "The API server refuses a field that it does not know: `kubectl apply` asks for that by default (`--validate=strict`). A client that asks for less has such fields dropped, with a warning or without.",
      table(
        ["Group", "Version", "Kind", "Short name", "Scope", "Columns in a list"],
        [
          [
            "`toolhive.stacklok.dev`",
            "`v1alpha1`",
            "[`MCPServer`](#mcpserver)",
            "`mcp`",
            "Namespace",
            "Status, URL, Age",
          ],
          [
            "`toolhive.stacklok.dev`",
            "`v1alpha1`",
            "[`MCPRemoteProxy`](#mcpremoteproxy)",
            "`rp`, `mcprp`",
            "Namespace",
            "Status, Remote, URL, Age; Reason with `-o wide`",
          ],
          [
            "`toolhive.stacklok.dev`",
            "`v1alpha1`",
            "[`MCPGroup`](#mcpgroup)",
            "`mcpg`",
            "Namespace",
            "Status, Servers, URL, Age; Reason with `-o wide`",
          ],
          [
            "`toolhive.stacklok.dev`",
            "`v1alpha1`",
            "[`MCPToolConfig`](#mcptoolconfig)",
            "`tc`",
            "Namespace",
            "Valid, Servers, Age",
          ],
        ],
      ),
      ...kindBlocks("MCPServer", "An MCP server that runs on the cluster.", EXAMPLE, MCP_SERVER),
      ...kindBlocks("MCPRemoteProxy", "An MCP server that runs elsewhere.", REMOTE_EXAMPLE, MCP_REMOTE_PROXY),
      ...kindBlocks("MCPGroup", "Several servers behind one URL.", GROUP_EXAMPLE, MCP_GROUP),
      ...kindBlocks("MCPToolConfig", "The tools of servers that clients see.", TOOL_CONFIG_EXAMPLE, MCP_TOOL_CONFIG),
    ),
  };
}

function kindBlocks(kind: string, summary: string, example: string, groups: readonly FieldGroup[]): string[] {
  return [
    `## ${kind} {#${kind.toLowerCase()}}`,
    summary,
    fence("yaml", 'title="Example"', example),
    ...groups.map((group) => {
      const same = findSame(group, kind);
      return same === undefined ? groupBlock(group, groups) : repeatBlock(group, same);
    }),
  ];
}

/** The group of an MCPServer with the same fields and checks, for a group that another kind has below its spec. */
function findSame(group: FieldGroup, kind: string): FieldGroup | undefined {
  // Links of readers lead to the states of each kind.
  if (/(?:Spec|Status|Conditions|Endpoints)$/.test(group.name)) return undefined;
  const write = ({ fields, checks }: FieldGroup, prefix: string) =>
    JSON.stringify([fields.map((field) => ({ ...field, of: field.of?.replace(prefix, "") })), checks]);
  return MCP_SERVER.find(
    (other) =>
      other !== group && other.name === group.name.replace(kind, "") && write(other, "") === write(group, kind),
  );
}

function repeatBlock({ name }: FieldGroup, same: FieldGroup): string {
  return blocks(
    `#### ${name} {#${name.toLowerCase()}}`,
    `Has the fields of [${same.name}](#${same.name.toLowerCase()}) of an MCPServer, and the API server checks the same.`,
  );
}

function groupBlock(group: FieldGroup, all: readonly FieldGroup[]): string {
  const users = all.flatMap((other) =>
    other.fields
      .filter((field) => field.of === group.name)
      .map((field) => `[${code(`${other.name}.${field.name}`)}](#${other.name.toLowerCase()})`),
  );
  return blocks(
    // The contents beside the page have the kinds, and of each what is written and what is reported.
    `${/(?:Spec|Status)$/.test(group.name) ? "###" : "####"} ${group.name} {#${group.name.toLowerCase()}}`,
    group.summary,
    group.checks.length === 0
      ? undefined
      : `The API server also checks:\n\n${group.checks.map((check) => `- ${markFields(text(check))}`).join("\n")}`,
    users.length === 0 ? undefined : `Used by ${users.join(", ")}.`,
    table(
      ["Field", "Type", "Required", "Default", "Meaning"],
      group.fields.map((field) => [
        code(field.name),
        field.of === undefined ? field.type : `${field.type} of [${field.of}](#${field.of.toLowerCase()})`,
        field.required ? "Yes" : "No",
        field.default === undefined ? "" : text(field.default),
        field.meaning,
      ]),
    ),
  );
}

/** Paths of fields as code. */
function markFields(sentence: string): string {
  return sentence.replaceAll(/\bspec(?:\.\w+)+/g, (field) => code(field));
}
