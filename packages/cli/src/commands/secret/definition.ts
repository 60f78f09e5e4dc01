/** `thv secret` and its commands. Source: cli.md 3.8. */
import { type Command, type CommandDefinition, type CommandGroup, defineCommand } from "../../command-line/command.ts";
import type { Flag } from "../../command-line/flag.ts";
import { FORMAT_FLAG } from "../shared/flags/format-flag.ts";
import { YES_FLAG } from "../shared/flags/yes-flag.ts";

const NAME = { name: "NAME", summary: "Name of the secret", completes: "secret" } as const;

const PASSWORD_FILE = {
  kind: "path",
  mayBeStdin: true,
  summary: "File with the password of the encrypted provider; - is standard input",
} as const satisfies Flag;

export const SECRET_GROUP: CommandGroup = {
  path: ["secret"],
  summary: "Store secrets for MCP servers",
  description:
    "Stores tokens and passwords outside of command lines and configurations. A server gets a secret as an environment variable when it starts: thv run --secret NAME,target=VARIABLE.",
};

export const SECRET_CHANGE_PASSWORD = {
  path: ["secret", "change-password"],
  summary: "Change the password of the encrypted secrets",
  description:
    "Decrypts the secrets with the current password and encrypts them with a new one of at least 8 characters. Without files, it prompts for both on a terminal. It also updates the keyring and the supervisor. If you set TOOLHIVE_SECRETS_PASSWORD, change it, too.",
  positionals: [],
  flags: {
    "password-file": {
      kind: "path",
      mayBeStdin: true,
      summary: "File with the current password; - is standard input",
    },
    "new-password-file": {
      kind: "path",
      mayBeStdin: true,
      summary: "File with the new password; - is standard input",
    },
    "from-keyring": {
      kind: "bool",
      summary: "Use the password in the system's keyring as the current one, such as one that setup generated",
    },
    format: FORMAT_FLAG,
  },
  examples: [
    { summary: "Enter the current and the new password at a prompt", command: "thv secret change-password" },
    {
      summary: "Change the password in a script",
      command: "thv secret change-password --password-file old --new-password-file new",
    },
  ],
} as const satisfies CommandDefinition;

export const SECRET_DELETE = {
  path: ["secret", "delete"],
  summary: "Delete a secret",
  positionals: [NAME],
  flags: { format: FORMAT_FLAG },
  examples: [{ summary: "Delete a secret", command: "thv secret delete github-token" }],
} as const satisfies CommandDefinition;

export const SECRET_GET = {
  path: ["secret", "get"],
  summary: "Print the value of a secret",
  description: "Prints the value and nothing else. The supervisor sends the value over its private socket only.",
  positionals: [NAME],
  flags: { format: FORMAT_FLAG },
  examples: [{ summary: "Copy a value into a variable", command: 'TOKEN="$(thv secret get github-token)"' }],
} as const satisfies CommandDefinition;

export const SECRET_LIST = {
  path: ["secret", "list"],
  summary: "List the names of the secrets",
  description:
    "Lists the names of stored API keys, tokens and passwords, and never their values. 1Password lists what its service account can read.",
  positionals: [],
  flags: { format: FORMAT_FLAG },
  examples: [
    { summary: "List the names", command: "thv secret list" },
    { summary: "Read the names in a script", command: "thv secret list --format json" },
  ],
} as const satisfies CommandDefinition;

export const SECRET_PROVIDER = {
  path: ["secret", "provider"],
  summary: "Choose the provider of secrets without prompts",
  description:
    "Sets up the provider encrypted, 1password or none. Secrets of the previous provider stay where they are. For the encrypted provider, the password, at least 8 characters when it is new, comes from --password-file, TOOLHIVE_SECRETS_PASSWORD or the system's keyring; on a terminal, the command asks for it if none of them has it.",
  positionals: [{ name: "PROVIDER", summary: "Where secrets are stored", values: ["encrypted", "1password", "none"] }],
  flags: { "password-file": PASSWORD_FILE, format: FORMAT_FLAG },
  examples: [
    {
      summary: "Encrypt secrets with a password from a file",
      command: "thv secret provider encrypted --password-file pw",
    },
    { summary: "Read secrets from 1Password", command: "thv secret provider 1password" },
  ],
} as const satisfies CommandDefinition;

export const SECRET_RESET_KEYRING = {
  path: ["secret", "reset-keyring"],
  summary: "Lock the encrypted secrets",
  description:
    "Removes the password from the system's keyring and from the supervisor. The secrets stay. To read them again, enter the same password.",
  positionals: [],
  flags: { yes: YES_FLAG, format: FORMAT_FLAG },
  examples: [{ summary: "Remove the password without confirmation", command: "thv secret reset-keyring --yes" }],
} as const satisfies CommandDefinition;

export const SECRET_SET = {
  path: ["secret", "set"],
  summary: "Store a secret, or replace its value",
  description:
    "Takes the value from --file, from standard input when that is not a terminal, or asks for it without showing it. It removes one newline at the end. Servers get a replaced value at their next start.",
  positionals: [NAME],
  flags: { file: { kind: "path", mayBeStdin: true, summary: "File with the value" }, format: FORMAT_FLAG },
  examples: [
    { summary: "Enter the value at a prompt", command: "thv secret set github-token" },
    { summary: "Store what a command prints", command: "gh auth token | thv secret set github-token" },
  ],
} as const satisfies CommandDefinition;

export const SECRET_SETUP = {
  path: ["secret", "setup"],
  summary: "Choose the provider of secrets",
  description:
    "Asks for the provider of secrets: encrypted, in one file whose password is in the system's keyring; 1password, in your vaults, read with the token in OP_SERVICE_ACCOUNT_TOKEN; or none. You need a provider before you can use secrets. In a script, use thv secret provider.",
  positionals: [],
  flags: { "password-file": PASSWORD_FILE, format: FORMAT_FLAG },
  examples: [{ summary: "Choose a provider at a prompt", command: "thv secret setup" }],
} as const satisfies CommandDefinition;

export const SECRET_COMMANDS: readonly Command[] = [
  defineCommand(SECRET_CHANGE_PASSWORD, async () => (await import("./change-password.ts")).changePassword),
  defineCommand(SECRET_DELETE, async () => (await import("./keys.ts")).deleteSecret),
  defineCommand(SECRET_GET, async () => (await import("./keys.ts")).getSecret),
  defineCommand(SECRET_LIST, async () => (await import("./keys.ts")).listSecrets),
  defineCommand(SECRET_PROVIDER, async () => (await import("./setup.ts")).provider),
  defineCommand(SECRET_RESET_KEYRING, async () => (await import("./setup.ts")).resetKeyring),
  defineCommand(SECRET_SET, async () => (await import("./keys.ts")).setSecret),
  defineCommand(SECRET_SETUP, async () => (await import("./setup.ts")).setup),
];
