/** `thv help output` */
import { WITHOUT_JSON } from "../commands/shared/format-flag.ts";
import type { Topic } from "./topic.ts";

export const OUTPUT_TOPIC: Topic = {
  name: "output",
  title: "Output",
  blocks: [
    {
      kind: "text",
      text: "Results go to standard output. Progress, notices, questions and errors go to standard error, so that a pipe carries results only.",
    },
    {
      kind: "terms",
      terms: [
        ["--format text", "For people; columns are three spaces apart. The default"],
        [
          "--format json",
          `For scripts; an empty list is []. Members are added, and never renamed. Every command has it, but for ${Object.keys(WITHOUT_JSON).join(", ")}`,
        ],
        ["--format mcpservers", "thv list only: the mcpServers object that many clients read"],
        ["--debug", "Adds causes and stacks to errors"],
      ],
    },
    {
      kind: "text",
      text: "Colors and moving progress appear on terminals only, and not when NO_COLOR is set or TERM is dumb. Elsewhere, long work writes a plain line every few seconds. Text is wrapped to the width of the terminal; a table that is wider than it has its descriptions cut, leaves columns out and says which, or becomes a block of lines a row. In a pipe every table is whole.",
    },
    {
      kind: "text",
      text: "What servers, registries and files wrote is shown on a terminal and never obeyed: control characters and invisible ones appear as escapes, for example \\x1b for ESC and \\u{202e} for a mark that turns the line around. A pipe gets the bytes.",
    },
    {
      kind: "commands",
      commands: [["Read the names of what runs", "thv list --format json | jq -r '.[].name'"]],
    },
  ],
};
