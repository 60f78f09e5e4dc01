/** `--yes` of commands that ask before something is lost. */
import type { Flag } from "../../../command-line/flag.ts";

export const YES_FLAG = { short: "y", kind: "bool", summary: "Do not ask" } as const satisfies Flag;
