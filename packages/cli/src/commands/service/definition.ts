/** `thv service` and its commands, which the reference does not have. */
import { type Command, type CommandDefinition, type CommandGroup, defineCommand } from "../../command-line/command.ts";
import { FORMAT_FLAG } from "../shared/flags/format-flag.ts";

export const SERVICE_GROUP: CommandGroup = {
  path: ["service"],
  summary: "Start the supervisor automatically",
  description:
    "Registers thv serve with systemd for your user on Linux, launchd on macOS, or the Task Scheduler on Windows. The supervisor then starts with your session, and again if it is killed, so servers restart without a command. This needs no administrator.",
};

export const SERVICE_INSTALL = {
  path: ["service", "install"],
  summary: "Start the supervisor now and with every session",
  description:
    "Writes the service's file, starts the service, and starts it again with every session. It replaces an existing service. The supervisor gets your PATH and the variables for it that are currently set, such as DOCKER_HOST, and no others. Arguments after -- are passed to thv serve.",
  positionals: [],
  takesRest: true,
  restSummary: "Arguments for thv serve",
  flags: {
    "dry-run": { kind: "bool", summary: "Show the file and the commands, without running them" },
    format: FORMAT_FLAG,
  },
  examples: [
    { summary: "Restart servers with every session", command: "thv service install" },
    { summary: "See what would be written", command: "thv service install --dry-run" },
    { summary: "Serve the API on another port", command: "thv service install -- --port 8081" },
  ],
} as const satisfies CommandDefinition;

export const SERVICE_STATUS = {
  path: ["service", "status"],
  summary: "Show whether the service is installed and running",
  positionals: [],
  flags: { format: FORMAT_FLAG },
  examples: [{ summary: "Check whether the service runs", command: "thv service status" }],
} as const satisfies CommandDefinition;

export const SERVICE_UNINSTALL = {
  path: ["service", "uninstall"],
  summary: "Stop and remove the service",
  description:
    "Stops the supervisor with its servers and removes the service's file. Servers keep their settings; the next thv command that needs the supervisor starts it in the background.",
  positionals: [],
  flags: { format: FORMAT_FLAG },
  examples: [{ summary: "Go back to a supervisor in the background", command: "thv service uninstall" }],
} as const satisfies CommandDefinition;

export const SERVICE_COMMANDS: readonly Command[] = [
  defineCommand(SERVICE_INSTALL, async () => (await import("./service.ts")).installService),
  defineCommand(SERVICE_STATUS, async () => (await import("./service.ts")).showService),
  defineCommand(SERVICE_UNINSTALL, async () => (await import("./service.ts")).uninstallService),
];
