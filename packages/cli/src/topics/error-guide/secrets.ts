/** Errors of the secrets store. */
import type { ErrorEntries } from "./error-entry.ts";

const GUIDE = ["guides-cli/secrets-management", "Manage secrets"] as const;

export const SECRETS = {
  SECRETS_NOT_SET_UP: {
    short: "choose a provider first",
    what: "A secret was requested, but no secrets provider has been set up yet.",
    why: ["This is the first use of secrets on this machine.", "The settings file was removed."],
    remedies: [
      { say: "Set up a provider. On a terminal, this command prompts you:", command: "thv secret setup" },
      {
        say: "In a script, specify the provider and pass the password in a file:",
        command: "thv secret provider encrypted --password-file password",
      },
    ],
    guide: GUIDE,
  },
  SECRET_NOT_FOUND: {
    short: "no such secret",
    what: "The provider has no secret with this name. A server that needs it does not start.",
    why: [
      "The name is misspelled. Names are case-sensitive.",
      "The secret was deleted.",
      "You changed the provider, and the secret is in the previous one.",
    ],
    remedies: [
      { say: "List the names:", command: "thv secret list" },
      {
        say: "Store it; you are prompted for the value, which is not displayed:",
        command: "thv secret set github-token",
      },
    ],
    guide: GUIDE,
  },
  SECRET_EXISTS: {
    short: "the name is taken",
    what: "A program tried to create a secret through the API, but a secret with this name exists. Its value was not changed.",
    why: ["The program creates a secret that it should replace.", "Two programs use the same name."],
    remedies: [
      {
        say: "Replace the value with `PUT /api/v1beta/secrets/default/keys/{key}`, or with the command, which does both:",
        command: "thv secret set github-token --file token",
      },
      { say: "Or choose another name." },
    ],
    guide: GUIDE,
  },
  SECRETS_READ_ONLY: {
    short: "the provider is read-only",
    what: "The current provider does not let ToolHive store, replace or delete secrets.",
    why: ["ToolHive can only read from `1password`.", "`none` stores nothing."],
    remedies: [
      { say: "With 1Password, change the value in the vault." },
      { say: "Or switch to the encrypted provider:", command: "thv secret provider encrypted" },
    ],
    guide: GUIDE,
  },
  SECRETS_NOT_READABLE: {
    short: "the provider has no values",
    what: "A value was requested, but the provider `none` does not store any.",
    why: [
      "You chose `none`, so nothing is stored on this machine.",
      "A server was created with `--secret` before you chose `none`.",
    ],
    remedies: [
      { say: "Set up a provider that stores values:", command: "thv secret setup" },
      { say: "Or start the server without `--secret`." },
    ],
    guide: GUIDE,
  },
  SECRETS_NO_KEYRING: {
    short: "no place for the password",
    what: "The operating system has no keyring to store the encrypted provider's password in, and you did not provide a password.",
    why: [
      "There is no keyring service: servers, containers and CI machines rarely have one.",
      "The keyring is locked, as in an SSH session.",
    ],
    remedies: [
      { say: "Pass the password in a file:", command: "thv secret provider encrypted --password-file password" },
      {
        say: "Or set `TOOLHIVE_SECRETS_PASSWORD` in the environment where the supervisor starts. Anyone who can read that variable can read the secrets.",
      },
    ],
    guide: GUIDE,
  },
  SECRETS_WRONG_PASSWORD: {
    short: "the password is wrong",
    what: "The password is not the one that the secrets were stored with. It was not saved, and nothing was changed.",
    why: [
      "The password is misspelled.",
      "The secrets come from another machine, which has a different password.",
      "The file with the password ends in a second newline.",
    ],
    remedies: [
      { say: "Try again with the right one:", command: "thv secret provider encrypted --password-file password" },
      { say: "To change the password, you also need the current one:", command: "thv secret change-password" },
      {
        say: "If nobody knows the password, nobody can read the secrets. Remove the file `secrets_encrypted` from the data folder and store the secrets again.",
      },
    ],
    guide: GUIDE,
  },
  SECRETS_LOCKED: {
    short: "the password is not known",
    what: "The secrets are encrypted. Their password is not in a keyring, and the supervisor does not have it.",
    why: [
      "The supervisor was restarted on a machine without a keyring.",
      "`thv secret reset-keyring` removed the password.",
    ],
    remedies: [
      {
        say: "On a terminal, this command prompts you for the password, and the supervisor remembers it until it stops. The servers that waited for the secrets then start by themselves:",
        command: "thv secret list",
      },
      { say: "In a script, pass it in a file:", command: "thv secret provider encrypted --password-file password" },
    ],
    guide: GUIDE,
  },
  SECRETS_FAILED: {
    short: "the store cannot be used",
    what: "The secrets file or the 1Password command cannot be used. The message says why; the secrets were not changed. A file that cannot be written, on a full disk for example, is [`FILE_FAILED`](./file-failed.mdx) instead.",
    why: [
      "1Password is in use, and `OP_SERVICE_ACCOUNT_TOKEN` is not set in the supervisor's environment, or the `op` command is missing.",
      "The encrypted file is damaged, or belongs to another user and cannot be read.",
      "Another process is changing the secrets and does not finish.",
    ],
    remedies: [
      {
        say: "Fix the problem in the message. For 1Password, set the token and restart the supervisor:",
        command: "export OP_SERVICE_ACCOUNT_TOKEN=<TOKEN>\nthv secret provider 1password",
      },
      { say: "Check the secrets file:", command: "thv doctor" },
    ],
    guide: GUIDE,
  },
} as const satisfies ErrorEntries;
