/** Commands of earlier versions that still work, and say what took their place. Source: cli.md 0.5. */
import type { Command } from "../../command-line/command.ts";
import { CLIENT_COMMANDS } from "./definition.ts";

const MOVED: readonly (readonly [old: string, successor: string])[] = [
  ["list-registered-clients", "list-registered"],
  ["register-client", "register"],
  ["remove-client", "remove"],
];

export const DEPRECATED_COMMANDS: readonly Command[] = MOVED.flatMap(([old, successor]) => {
  const command = CLIENT_COMMANDS.find(({ path }) => path[1] === successor);
  return command ? [{ ...command, path: ["config", old], replacedBy: command.path, examples: [] }] : [];
});
