/** `thv service` and its commands, which the reference does not have. */
import { type Command, type CommandDefinition, type CommandGroup, defineCommand } from "../../command-line/command.ts";
import { FORMAT_FLAG } from "../shared/flags/format-flag.ts";

export const SERVICE_GROUP: CommandGroup = {
  path: ["service"],
  summary: "Keep the supervisor running by itself",
  description:
    "Registers thv serve with what starts programs on this system: systemd for your user on Linux, launchd on macOS, the Task Scheduler on Windows. The supervisor then starts with your session, and again when it is killed, so that servers come back without a command of yours. Needs no administrator.",
};

export const SERVICE_INSTALL = {
  path: ["service", "install"],
  summary: "Start the supervisor now and with every session",
  description:
    "Writes the service's file, starts the service and has it started with every session. A service of before is replaced. The supervisor gets your PATH and the variables for it that are set now, such as DOCKER_HOST, and no others. Arguments after -- go to thv serve.",
  positionals: [],
  takesRest: true,
  flags: {
    "dry-run": { kind: "bool", summary: "Show the file and the commands, without running them" },
    format: FORMAT_FLAG,
  },
  examples: [
    { summary: "Have servers come back by themselves", command: "thv service install" },
    { summary: "See first what would be written", command: "thv service install --dry-run" },
    { summary: "Serve the API on another port", command: "thv service install -- --port 8081" },
  ],
} as const satisfies CommandDefinition;

export const SERVICE_STATUS = {
  path: ["service", "status"],
  summary: "Show whether the service is installed and runs",
  positionals: [],
  flags: { format: FORMAT_FLAG },
  examples: [{ summary: "See whether it runs", command: "thv service status" }],
} as const satisfies CommandDefinition;

export const SERVICE_UNINSTALL = {
  path: ["service", "uninstall"],
  summary: "Stop the service and forget it",
  description:
    "Stops the supervisor with its servers and removes the service's file. Servers and their settings stay; the next thv command that needs the supervisor starts it in the background again.",
  positionals: [],
  flags: { format: FORMAT_FLAG },
  examples: [{ summary: "Go back to a supervisor in the background", command: "thv service uninstall" }],
} as const satisfies CommandDefinition;

export const SERVICE_COMMANDS: readonly Command[] = [
  defineCommand(SERVICE_INSTALL, async () => (await import("./service.ts")).installService),
  defineCommand(SERVICE_STATUS, async () => (await import("./service.ts")).showService),
  defineCommand(SERVICE_UNINSTALL, async () => (await import("./service.ts")).uninstallService),
];
