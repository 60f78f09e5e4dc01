/** `thv auth` and its commands. */
import { type Command, type CommandDefinition, type CommandGroup, defineCommand } from "../../command-line/command.ts";
import { FORMAT_FLAG } from "../shared/flags/format-flag.ts";
import { WORKLOAD } from "../shared/workload-argument.ts";

export const AUTH_GROUP: CommandGroup = {
  path: ["auth"],
  summary: "Sign in at remote servers",
  description:
    "ToolHive stores the tokens of a sign-in with the secrets, encrypted, and renews them automatically. When you have to sign in again, the server's status is unauthenticated.",
};

export const AUTH_LOGIN = {
  path: ["auth", "login"],
  summary: "Sign in at a remote server",
  description:
    "Opens the page of the server's authorization server and waits up to five minutes until you have signed in there. The browser then returns to a port of this machine. If the browser runs on another machine, open a tunnel for that port, or use --device, which needs none.",
  positionals: [WORKLOAD],
  flags: {
    device: { kind: "bool", summary: "Enter a code in any browser, if the authorization server supports it" },
    "skip-browser": { kind: "bool", summary: "Print the URL instead of opening a browser" },
    format: FORMAT_FLAG,
  },
  examples: [
    { summary: "Sign in with the browser of this machine", command: "thv auth login calendar" },
    { summary: "Sign in on a machine without a browser", command: "thv auth login calendar --device" },
  ],
} as const satisfies CommandDefinition;

export const AUTH_STATUS = {
  path: ["auth", "status"],
  summary: "Show the sign-ins at remote servers",
  description: "Never shows a token. For a single server, it also shows what is wrong and how to fix it.",
  positionals: [{ ...WORKLOAD, isOptional: true }],
  flags: { format: FORMAT_FLAG },
  examples: [
    { summary: "Show all remote servers", command: "thv auth status" },
    { summary: "Show one sign-in for a script", command: "thv auth status calendar --format json" },
  ],
} as const satisfies CommandDefinition;

export const AUTH_LOGOUT = {
  path: ["auth", "logout"],
  summary: "End the sign-in at a remote server",
  description: "Revokes the tokens if the authorization server supports it, and deletes them in any case.",
  positionals: [WORKLOAD],
  flags: { format: FORMAT_FLAG },
  examples: [{ summary: "Sign out", command: "thv auth logout calendar" }],
} as const satisfies CommandDefinition;

export const AUTH_COMMANDS: readonly Command[] = [
  defineCommand(AUTH_LOGIN, async () => (await import("./auth.ts")).login),
  defineCommand(AUTH_STATUS, async () => (await import("./auth.ts")).status),
  defineCommand(AUTH_LOGOUT, async () => (await import("./auth.ts")).logout),
];
