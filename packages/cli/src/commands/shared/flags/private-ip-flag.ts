/** The flag of the commands that set the address of a registry. */
import type { Flag } from "../../../command-line/flag.ts";

export const PRIVATE_IP_FLAG = {
  short: "p",
  kind: "bool",
  summary: "Allow addresses of this machine and of private networks",
} as const satisfies Flag;
