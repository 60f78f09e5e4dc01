/** The set of pages under /toolhive/reference/cli/: those that existing links lead to, and ours. */
import { COMMANDS, isShown } from "@toolhive/cli/commands";
import { describe, expect, test } from "vitest";
import { cliPages } from "./cli-pages.ts";

/** Source: cli.md 5.1, as words after `thv`. */
const REFERENCE_PAGES = [
  "",
  ...["client", "config", "config_otel", "mcp", "registry", "secret"],
  ...["list-registered", "register", "remove", "setup", "status"].map((word) => `client_${word}`),
  ...["get-ca-cert", "get-registry-url", "set-ca-cert", "set-registry-url", "unset-ca-cert", "unset-registry-url"].map(
    (word) => `config_${word}`,
  ),
  ...["get", "set", "unset"].flatMap((verb) =>
    ["endpoint", "env-vars", "sampling-rate"].map((word) => `config_otel_${verb}-${word}`),
  ),
  ...[
    "inspector",
    "list",
    "logs",
    "logs_prune",
    "mcp_list",
    "mcp_list_prompts",
    "mcp_list_resources",
    "mcp_list_tools",
  ],
  ...["proxy", "registry_info", "registry_list", "restart", "rm", "run", "search"],
  ...["delete", "get", "list", "provider", "reset-keyring", "set", "setup"].map((word) => `secret_${word}`),
  ...["serve", "stop", "version"],
];

/** Commands that the reference does not have. */
const OUR_PAGES = [
  "auth",
  ...["login", "logout", "status"].map((word) => `auth_${word}`),
  ...["get", "set", "unset"].map((verb) => `config_otel_${verb}-insecure`),
  "client_undo",
  "completion",
  "config_get-engine",
  "config_set-engine",
  "docs",
  "docs_mcp",
  "doctor",
  "export",
  "k8s",
  "k8s_import",
  "mcp_call",
  "registry_convert",
  "registry_run-group",
  ...["registry_source", "registry_source_add", "registry_source_list", "registry_source_remove"],
  "secret_change-password",
  "service",
  "service_install",
  "service_status",
  "service_uninstall",
  "status",
  "ui",
  "upgrade",
  "upgrade_apply",
  "upgrade_check",
  ...["tools", "tools_accept", "tools_allow", "tools_deny", "tools_find", "tools_list", "tools_pin", "tools_rename"],
  ...["group", "group_add", "group_create", "group_list", "group_remove", "group_rm", "group_show"],
  ...["permission", "permission_allow", "permission_learn", "permission_show"],
  ...["config_get-sleep-after", "config_set-sleep-after"],
  ...["config_get", "config_list", "config_set", "config_unset"],
  ...["config_get-usage", "config_set-usage"],
  ...["mcp_get", "mcp_ping", "mcp_read"],
  "proxy_stdio",
  ...["up", "down", "import", "edit", "push", "pull"],
];

describe("pages of the command reference", () => {
  const pages = cliPages();

  test("are the 52 of the reference and ours, and no other", () => {
    const wanted = [...REFERENCE_PAGES, ...OUR_PAGES].map(
      (words) => `cli/${["thv", words].filter(Boolean).join("_")}.mdx`,
    );

    expect(REFERENCE_PAGES).toHaveLength(52);
    expect(pages.map(({ path }) => path).sort()).toEqual(wanted.sort());
  });

  test.each(pages.map(({ path, content }) => [path, content] as const))(
    "%s links only to pages that are there",
    (_path, content) => {
      const links = [...content.matchAll(/\]\(\.\/(thv[\w-]*\.mdx)\)/g)].map(([, file]) => `cli/${file}`);

      expect(links.filter((link) => !pages.some(({ path }) => path === link))).toEqual([]);
      expect(links.length).toBeGreaterThan(0);
    },
  );

  test("each have usage, options with help, options of every command, and where to go from there", () => {
    for (const { path, content } of pages.filter((page) => page.path !== "cli/thv.mdx")) {
      for (const part of [
        'title="Usage"',
        "## Options\n",
        'id="option-help"',
        "## Options of every command\n",
        'id="option-debug"',
        "## See also\n",
      ]) {
        expect(content, `${path}: ${part}`).toContain(part);
      }
    }
  });

  test("are found by the command's other names, which the search takes for commands, too", () => {
    const page = pages.find(({ path }) => path === "cli/thv_list.mdx");

    expect(/^keywords: (.*)$/m.exec(page?.content ?? "")?.[1]).toContain('"thv ls","thv ps"');
  });

  test("of commands with arguments say what each of them is", () => {
    for (const command of COMMANDS.filter(isShown)) {
      const page = pages.find(({ path }) => path === `cli/${["thv", ...command.path].join("_")}.mdx`);
      for (const { name } of command.positionals) {
        const rows = page?.content.split("\n").filter((line) => line.startsWith(`| \`${name}\` | `)) ?? [];
        expect(rows, `${command.path.join(" ")} ${name}`).toHaveLength(1);
        expect(rows[0]).toMatch(/^\| `[^`]+` \| \S.+ \| (Yes|No) \|$/);
      }
    }
  });
});
