/** `thv secret` and its commands. Source: cli.md 3.8. */
import type { Command, CommandGroup, Flag } from "../../command-line/command.ts";
import { FORMAT_FLAG } from "../shared/format-flag.ts";

const NAME = { name: "NAME", summary: "Name of the secret", completes: "secret" } as const;

const PASSWORD_FILE: Flag = {
  name: "password-file",
  kind: "string",
  completes: "file",
  summary: "File that holds the password of the encrypted provider; - reads it from standard input",
};

export const SECRET_GROUP: CommandGroup = {
  path: ["secret"],
  summary: "Keep secrets for MCP servers",
  description:
    "Stores tokens and passwords outside of command lines and configurations. A server gets a secret as an environment variable when it starts: thv run --secret NAME,target=VARIABLE.",
};

export const SECRET_COMMANDS: readonly Command[] = [
  {
    path: ["secret", "change-password"],
    summary: "Change the password of the encrypted secrets",
    description:
      "Encrypts the secrets with another password of at least 8 characters, after the present one has opened them. Without files, asks for both on a terminal. The keyring and the supervisor then have the new one; where TOOLHIVE_SECRETS_PASSWORD is set, change it there too.",
    positionals: [],
    flags: [
      {
        name: "password-file",
        kind: "string",
        completes: "file",
        summary: "File that holds the present password; - reads it from standard input",
      },
      {
        name: "new-password-file",
        kind: "string",
        completes: "file",
        summary: "File that holds the new password; - reads it from standard input",
      },
      {
        name: "from-keyring",
        kind: "bool",
        summary: "The present password is the one in the system's keyring, as after a set-up that made one up",
      },
      FORMAT_FLAG,
    ],
    examples: [
      { summary: "Be asked for the present and the new password", command: "thv secret change-password" },
      {
        summary: "Change it in a script",
        command: "thv secret change-password --password-file old --new-password-file new",
      },
    ],
    load: async () => (await import("./change-password.ts")).changePassword,
  },
  {
    path: ["secret", "delete"],
    summary: "Delete a secret",
    positionals: [NAME],
    flags: [FORMAT_FLAG],
    examples: [{ summary: "Delete a secret", command: "thv secret delete github-token" }],
    load: async () => (await import("./keys.ts")).deleteSecret,
  },
  {
    path: ["secret", "get"],
    summary: "Print the value of a secret",
    description: "Prints the value and nothing else. The value is handed over the supervisor's private socket only.",
    positionals: [NAME],
    flags: [FORMAT_FLAG],
    examples: [{ summary: "Copy a value into a variable", command: 'TOKEN="$(thv secret get github-token)"' }],
    load: async () => (await import("./keys.ts")).getSecret,
  },
  {
    path: ["secret", "list"],
    summary: "List the names of the secrets",
    description:
      "Shows which API keys, tokens and passwords are stored, by name; values are never shown. 1Password lists what its service account may read.",
    positionals: [],
    flags: [FORMAT_FLAG],
    examples: [
      { summary: "List the names", command: "thv secret list" },
      { summary: "Read the names in a script", command: "thv secret list --format json" },
    ],
    load: async () => (await import("./keys.ts")).listSecrets,
  },
  {
    path: ["secret", "provider"],
    summary: "Choose where secrets are kept, without questions",
    description:
      "Sets up the provider encrypted, 1password or none. The secrets of the provider before stay where they are. For the encrypted one, the password, at least 8 characters when it is new, comes from --password-file, TOOLHIVE_SECRETS_PASSWORD or the system's keyring; on a terminal it is asked for when none of them has it.",
    positionals: [{ name: "PROVIDER", summary: "Where secrets are kept", values: ["encrypted", "1password", "none"] }],
    flags: [PASSWORD_FILE, FORMAT_FLAG],
    examples: [
      {
        summary: "Encrypt secrets with a password from a file",
        command: "thv secret provider encrypted --password-file pw",
      },
      { summary: "Read secrets from 1Password", command: "thv secret provider 1password" },
    ],
    load: async () => (await import("./setup.ts")).provider,
  },
  {
    path: ["secret", "reset-keyring"],
    summary: "Forget the password of the encrypted secrets",
    description:
      "Removes the password from the system's keyring and from the supervisor. The secrets stay, and can be read again once the same password is given.",
    positionals: [],
    flags: [{ name: "yes", short: "y", kind: "bool", summary: "Do not ask" }, FORMAT_FLAG],
    examples: [{ summary: "Forget the password without being asked", command: "thv secret reset-keyring --yes" }],
    load: async () => (await import("./setup.ts")).resetKeyring,
  },
  {
    path: ["secret", "set"],
    summary: "Store a secret, or replace its value",
    description:
      "Takes the value from --file, from standard input when that is not a terminal, or asks for it without showing it. One newline at the end is left out. Servers get a replaced value when they start the next time.",
    positionals: [NAME],
    flags: [{ name: "file", kind: "string", completes: "file", summary: "File that holds the value" }, FORMAT_FLAG],
    examples: [
      { summary: "Be asked for the value", command: "thv secret set github-token" },
      { summary: "Store what a command prints", command: "gh auth token | thv secret set github-token" },
    ],
    load: async () => (await import("./keys.ts")).setSecret,
  },
  {
    path: ["secret", "setup"],
    summary: "Choose where secrets are kept",
    description:
      "Asks which provider keeps secrets: encrypted, in one file whose password is in the system's keyring; 1password, in your vaults, read with the token in OP_SERVICE_ACCOUNT_TOKEN; or none. Secrets cannot be used before. In a script, use thv secret provider.",
    positionals: [],
    flags: [PASSWORD_FILE, FORMAT_FLAG],
    examples: [{ summary: "Be asked", command: "thv secret setup" }],
    load: async () => (await import("./setup.ts")).setup,
  },
];
