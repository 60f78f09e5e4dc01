/** `thv help output` */
import { WITHOUT_JSON } from "../commands/shared/flags/format-flag.ts";
import type { Topic } from "./topic.ts";

export const OUTPUT_TOPIC: Topic = {
  name: "output",
  title: "Output",
  blocks: [
    {
      kind: "text",
      text: "Results go to standard output. Progress, notices, prompts and errors go to standard error, so that a pipe carries only results.",
    },
    {
      kind: "terms",
      terms: [
        ["--format text", "The default, for people; columns are three spaces apart"],
        [
          "--format json",
          `For scripts; an empty list is []. New fields can be added, but fields are never renamed. Every command supports it except ${Object.keys(WITHOUT_JSON).join(", ")}`,
        ],
        ["--format mcpservers", "For thv list only: the mcpServers object that many clients read"],
        ["--debug", "Adds causes and stack traces to errors"],
      ],
    },
    {
      kind: "text",
      text: "Colors and animated progress appear only on terminals, and not if NO_COLOR is set or TERM is dumb. Elsewhere, long operations write a plain line every few seconds. Text is wrapped to the width of the terminal. If a table is too wide, its descriptions are shortened, it omits columns and says which, or each row becomes a block of lines. In a pipe, every table is complete.",
    },
    {
      kind: "text",
      text: "On a terminal, control sequences from servers, registries and files are never executed: control characters and invisible characters are shown as escapes, for example \\x1b for ESC and \\u{202e} for a mark that reverses the text direction. A pipe gets the original bytes.",
    },
    {
      kind: "commands",
      commands: [["List the names of running servers", "thv list --format json | jq -r '.[].name'"]],
    },
  ],
};
