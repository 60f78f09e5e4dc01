/** The flag of every command that shows something. */
import type { Flag } from "../command.ts";

export const FORMAT_FLAG: Flag = {
  name: "format",
  kind: "string",
  default: "text",
  values: ["text", "json"],
  summary: "Output format",
};
