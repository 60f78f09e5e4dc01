/** `--yes` of commands that ask before something is lost, or before a file gets something. */
import type { Flag } from "../../../command-line/flag.ts";

export const YES_FLAG = { short: "y", kind: "bool", summary: "Do not ask" } as const satisfies Flag;

/** Where a file brings a server with it. */
export const ALLOW_FLAG = {
  ...YES_FLAG,
  summary: "Do not ask for permission for folders, secrets and disabled protection",
} as const satisfies Flag;
