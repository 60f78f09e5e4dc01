/** Settings, environment variables, files and limits as a page, from the code that reads them. */
import { ENVIRONMENT_VARIABLES, TOPICS } from "@toolhive/cli/topics";
import { ConfigSchema, DEFAULT_CONFIG } from "@toolhive/core";
import { DEFAULT_BOUNDS, type Limits } from "@toolhive/proxy/facts";
import type { GeneratedPage } from "./cli-pages.ts";
import { LIMIT_GUIDE } from "./data/limits.ts";
import { SETTING_GUIDE } from "./data/settings.ts";
import { blocks, code, fence, pageHead, table, text } from "./markdown.ts";

type TopicBlock = (typeof TOPICS)[number]["blocks"][number];

interface SchemaNode {
  readonly type?: string;
  readonly properties?: Readonly<Record<string, SchemaNode>>;
}

/** Paths of every setting that the schema knows, in its order. */
export function settingPaths(node: SchemaNode = ConfigSchema as SchemaNode, path: readonly string[] = []): string[] {
  return node.properties === undefined
    ? [path.join(".")]
    : Object.entries(node.properties).flatMap(([name, member]) => settingPaths(member, [...path, name]));
}

function findDefault(setting: string): string {
  const value = setting
    .split(".")
    .reduce<unknown>((inner, name) => (inner as Record<string, unknown>)[name], DEFAULT_CONFIG);
  if (value === undefined) return "Not set";
  return value === "" ? "Empty" : code(JSON.stringify(value));
}

/** In the unit that reads best. */
function limitValue(name: keyof Limits): string {
  const value = DEFAULT_BOUNDS[name];
  if (name.endsWith("Bytes")) return `${value / 1024 ** 2} MiB`;
  if (!name.endsWith("Ms")) return value.toLocaleString("en-US");
  return value % 60_000 === 0 ? `${value / 60_000} min` : `${value / 1000} s`;
}

export function configurationPage(): GeneratedPage {
  const files = TOPICS.find(({ name }) => name === "files")?.blocks ?? [];
  return {
    path: "configuration.mdx",
    sectionQuestions: {
      settings: settingPaths().map((setting) => `What does the setting ${setting} do?`),
      environment: ENVIRONMENT_VARIABLES.map(({ name }) => `What does the variable ${name} do?`),
    },
    content: blocks(
      pageHead({
        title: "Configuration",
        description:
          "Every setting in config.yaml, every environment variable, file and limit of the ToolHive CLI, with its default and what changes it.",
        keywords: ["settings", "config.yaml", "environment variables", "files", "folders", "limits", "defaults"],
        previous: "toolhive/reference/errors",
      }),
      "A flag overrides an environment variable, a variable overrides a setting, and a setting overrides the default.",
      "## Settings {#settings}",
      `Settings are in ${code("config.yaml")}, in the settings folder. You can edit the file by hand: ${code("thv")} keeps comments and settings that it does not know. Changes take effect immediately.`,
      table(
        ["Setting", "Values", "Default", "Meaning", "Changed by"],
        settingPaths().map((setting) => {
          const guide = SETTING_GUIDE[setting];
          if (guide === undefined) throw new Error(`website/reference/data/settings.ts does not explain "${setting}".`);
          return [code(setting), guide.values, findDefault(setting), guide.meaning, guide.changedBy];
        }),
      ),
      fence(
        "yaml",
        'title="config.yaml" schema="config"',
        ["registry_url: https://mcp.example.com/registry.json", "otel:", "    sampling-rate: 0.25"].join("\n"),
      ),
      "## Environment variables {#environment}",
      `The background supervisor keeps the variables of the command that started it. ${code("thv help environment")} prints this list.`,
      table(
        ["Variable", "Meaning"],
        ENVIRONMENT_VARIABLES.map(({ name, meaning }) => [code(name), text(meaning)]),
      ),
      "## Files {#files}",
      ...files.map(fileBlock),
      "## Limits of a proxy {#limits}",
      "No client or server can make a proxy use unlimited resources. These limits are built in.",
      table(
        ["Limit", "Value"],
        (Object.keys(DEFAULT_BOUNDS) as (keyof Limits)[]).map((name) => [LIMIT_GUIDE[name], limitValue(name)]),
      ),
    ),
  };
}

function fileBlock(block: TopicBlock): string | undefined {
  switch (block.kind) {
    case "text":
      return text(block.text);
    case "heading":
      return `### ${text(block.text)}`;
    case "terms":
      return table(
        ["File", "Content"],
        block.terms.map(([file, meaning]) => [code(file), text(meaning)]),
      );
    case "commands":
      return undefined;
  }
}
