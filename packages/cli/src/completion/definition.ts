/** `thv completion`, and the hidden command that its scripts ask. Source: cli.md 0.5. */
import { type Command, type CommandDefinition, defineCommand } from "../command-line/command.ts";

export const SHELLS = ["bash", "zsh", "fish", "powershell"] as const;

export const COMPLETION = {
  path: ["completion"],
  summary: "Print the script that completes thv in your shell",
  description:
    "The script completes commands, flags, their values, and the names of servers, registry entries, clients and secrets. It asks thv for them; this does not start anything or use the network.",
  positionals: [{ name: "SHELL", summary: "The shell that the script is for", values: SHELLS }],
  flags: { "no-descriptions": { kind: "bool", summary: "Show names without descriptions" } },
  examples: [
    { summary: "bash, for this session", command: "source <(thv completion bash)" },
    {
      summary: "bash, for every session",
      command: "thv completion bash > ~/.local/share/bash-completion/completions/thv",
    },
    {
      summary: "zsh, for every session; the folder must be in fpath",
      command: 'thv completion zsh > "$HOME/.zfunc/_thv"',
    },
    {
      summary: "fish, for every session",
      command: "mkdir -p ~/.config/fish/completions && thv completion fish > ~/.config/fish/completions/thv.fish",
    },
    {
      summary: "PowerShell, for this session",
      command: "thv completion powershell | Out-String | Invoke-Expression",
    },
  ],
} as const satisfies CommandDefinition;

export const COMPLETE = {
  path: ["__complete"],
  hidden: true,
  summary: "Print the words that can end a command line",
  positionals: [],
  takesRest: true,
  restSummary: "The words of the command line",
  flags: { "then-empty": { kind: "bool", summary: "An empty word follows, for shells that cannot pass one" } },
  examples: [],
} as const satisfies CommandDefinition;

export const COMPLETION_COMMANDS: readonly Command[] = [
  defineCommand(COMPLETION, async () => (await import("./completion.ts")).completion),
  defineCommand(COMPLETE, async () => (await import("./completion.ts")).complete),
];
