/** `thv doctor`, which the reference does not have. */
import { type Command, type CommandDefinition, defineCommand } from "../../command-line/command.ts";
import { FORMAT_FLAG } from "../shared/flags/format-flag.ts";

export const DOCTOR = {
  path: ["doctor"],
  summary: "Diagnose problems and suggest fixes",
  description:
    "Checks the versions, programs in the PATH, the container engine, the supervisor, ports, folders, saved files, the disk, the secrets provider, clients' settings, the registry and shell completion, and shows how to fix the problems that it finds. With --kubernetes, it checks a cluster instead: its API server, the definition of MCPServer, the operator and its leader, your rights, and the conditions of each MCPServer. It does not start or change anything, and exits with 17 if something needs fixing.",
  positionals: [],
  flags: {
    kubernetes: { kind: "bool", summary: "Check the current Kubernetes cluster instead of this machine" },
    namespace: { kind: "string", summary: "Namespace to check, with --kubernetes; all by default" },
    format: FORMAT_FLAG,
  },
  examples: [
    { summary: "Check this machine", command: "thv doctor" },
    { summary: "Check a cluster", command: "thv doctor --kubernetes" },
    { summary: "Print the findings as JSON, for a report", command: "thv doctor --format json" },
  ],
} as const satisfies CommandDefinition;

export const DOCTOR_COMMAND: Command = defineCommand(DOCTOR, async () => (await import("./doctor.ts")).doctor);
