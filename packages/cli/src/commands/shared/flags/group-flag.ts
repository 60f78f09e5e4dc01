/** `--group`, of commands that act on the servers of one group. */
import type { Flag } from "../../../command-line/flag.ts";

export const GROUP_FLAG = {
  kind: "string",
  completes: "group",
  summary: "Only the servers of this group",
} as const satisfies Flag;

export const GROUP = {
  name: "GROUP",
  summary: "Name of the group, as thv group list shows it",
  completes: "group",
} as const;
