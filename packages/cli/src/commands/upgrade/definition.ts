/** `thv upgrade` and its commands. Source: the reference's `thv upgrade check` and `apply`. */
import { type Command, type CommandDefinition, type CommandGroup, defineCommand } from "../../command-line/command.ts";
import { FORMAT_FLAG } from "../shared/flags/format-flag.ts";
import { WORKLOAD } from "../shared/workload-argument.ts";

export const UPGRADE_GROUP: CommandGroup = {
  path: ["upgrade"],
  summary: "Run servers from the images that the registry lists now",
  description: "The entry is found by the server's image, whatever its tag.",
};

export const UPGRADE_CHECK = {
  path: ["upgrade", "check"],
  summary: "List the servers for which the registry has another image",
  description: "Of one server, also why there is no upgrade. Nothing is changed.",
  positionals: [{ ...WORKLOAD, isOptional: true }],
  flags: { format: FORMAT_FLAG },
  examples: [
    { summary: "Check all servers", command: "thv upgrade check" },
    { summary: "Check one server", command: "thv upgrade check everything" },
  ],
} as const satisfies CommandDefinition;

export const UPGRADE_APPLY = {
  path: ["upgrade", "apply"],
  summary: "Replace a server's image by the registry's",
  description:
    "Settings, URL and clients stay. If the new image does not start, or the server does not answer, it runs from the image of before again. Variables that the new version requires are given with --env or --secret. Tools that the new version changes are named, and held back until thv tools accept.",
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
      summary: "Give it a variable that the new version requires",
      command: "thv upgrade apply everything --env UNITS=metric",
    },
  ],
} as const satisfies CommandDefinition;

export const UPGRADE_COMMANDS: readonly Command[] = [
  defineCommand(UPGRADE_CHECK, async () => (await import("./upgrade.ts")).check),
  defineCommand(UPGRADE_APPLY, async () => (await import("./upgrade.ts")).apply),
];
