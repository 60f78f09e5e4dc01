/** `thv upgrade` and its commands. Source: the reference's `thv upgrade check` and `apply`. */
import { type Command, type CommandDefinition, type CommandGroup, defineCommand } from "../../command-line/command.ts";
import { FORMAT_FLAG } from "../shared/flags/format-flag.ts";
import { WORKLOAD } from "../shared/workload-argument.ts";

export const UPGRADE_GROUP: CommandGroup = {
  path: ["upgrade"],
  summary: "Upgrade servers to the images that the registry lists",
  description: "ToolHive finds a server's registry entry by its image, with any tag.",
};

export const UPGRADE_CHECK = {
  path: ["upgrade", "check"],
  summary: "List the servers with another image in the registry",
  description: "For a single server, it also explains why there is no upgrade. It changes nothing.",
  positionals: [{ ...WORKLOAD, isOptional: true }],
  flags: { format: FORMAT_FLAG },
  examples: [
    { summary: "Check all servers", command: "thv upgrade check" },
    { summary: "Check one server", command: "thv upgrade check everything" },
  ],
} as const satisfies CommandDefinition;

export const UPGRADE_APPLY = {
  path: ["upgrade", "apply"],
  summary: "Replace a server's image with the registry's",
  description:
    "The server keeps its settings, its URL and its clients. If the new image does not start, or the server does not answer, the command returns to the previous image. Pass variables that the new version requires with --env or --secret. The command names changed tools, which ToolHive holds back until thv tools accept.",
  positionals: [WORKLOAD],
  flags: {
    env: {
      short: "e",
      kind: "stringArray",
      summary: "Environment variable to add: KEY=VALUE, or KEY to pass on its current value; may be repeated",
    },
    secret: { kind: "stringArray", summary: "Secret to add: NAME,target=VARIABLE; may be repeated" },
    format: FORMAT_FLAG,
  },
  examples: [
    { summary: "Upgrade a server", command: "thv upgrade apply everything" },
    {
      summary: "Pass a variable that the new version requires",
      command: "thv upgrade apply everything --env UNITS=metric",
    },
  ],
} as const satisfies CommandDefinition;

export const UPGRADE_COMMANDS: readonly Command[] = [
  defineCommand(UPGRADE_CHECK, async () => (await import("./upgrade.ts")).check),
  defineCommand(UPGRADE_APPLY, async () => (await import("./upgrade.ts")).apply),
];
