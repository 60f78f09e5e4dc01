/** `thv permission` and its commands. */
import { type Command, type CommandDefinition, type CommandGroup, defineCommand } from "../../command-line/command.ts";
import type { Positional } from "../../command-line/flag.ts";
import { FORMAT_FLAG } from "../shared/flags/format-flag.ts";

export const PERMISSION_GROUP: CommandGroup = {
  path: ["permission"],
  summary: "Show and change what servers may reach",
};

const NAME = { name: "NAME", summary: "Name of the server", completes: "workload" } as const satisfies Positional;

export const PERMISSION_SHOW = {
  path: ["permission", "show"],
  summary: "Show the permission profile of a server",
  description:
    "On a terminal, says what the server may reach. In a pipe, prints the profile as a file for --permission-profile. Whether the network rules are enforced is printed to standard error, and with --format json in the member access.",
  positionals: [NAME],
  flags: { format: FORMAT_FLAG },
  examples: [
    { summary: "Show what a server may connect to", command: "thv permission show everything" },
    { summary: "Save the profile as a file", command: "thv permission show everything > profile.json" },
  ],
} as const satisfies CommandDefinition;

export const PERMISSION_LEARN = {
  path: ["permission", "learn"],
  summary: "Print the smallest permission profile that a server needs",
  description:
    "For a server that you started with thv run --learn: prints the profile that allows the hosts and ports that the server has reached since then, and no others. First use every tool that you need, because the profile covers used tools only. thv upgrade, thv restart --pull and thv rm discard what was learned.",
  positionals: [NAME],
  flags: {
    apply: { kind: "bool", summary: "Enforce the profile from now on, and end learning; the server keeps running" },
    format: FORMAT_FLAG,
  },
  examples: [
    { summary: "Save the profile as a file", command: "thv permission learn everything > profile.json" },
    { summary: "Enforce the learned profile at once", command: "thv permission learn everything --apply" },
  ],
} as const satisfies CommandDefinition;

export const PERMISSION_ALLOW = {
  path: ["permission", "allow"],
  summary: "Let a server reach one more host",
  description:
    "Adds the host, and the port if the profile limits ports, to the profile of a server with an isolated network. The server keeps running; if its sidecar cannot apply the new rule, the command restarts the server.",
  positionals: [
    NAME,
    {
      name: "HOST[:PORT]",
      summary:
        "A host name, .DOMAIN for a domain with all its subdomains, or an IPv4 address; the port is the one in the refusal",
    },
  ],
  flags: { format: FORMAT_FLAG },
  examples: [
    { summary: "Allow a connection that was refused", command: "thv permission allow everything api.github.com:443" },
  ],
} as const satisfies CommandDefinition;

export const PERMISSION_COMMANDS: readonly Command[] = [
  defineCommand(PERMISSION_SHOW, async () => (await import("./permission.ts")).showPermissions),
  defineCommand(PERMISSION_LEARN, async () => (await import("./permission.ts")).learnPermissions),
  defineCommand(PERMISSION_ALLOW, async () => (await import("./permission.ts")).allowPermission),
];
