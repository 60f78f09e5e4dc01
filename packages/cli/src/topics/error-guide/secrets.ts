/** Errors of the secrets store. */
import type { ErrorEntries } from "./error-entry.ts";

const GUIDE = ["guides-cli/secrets-management", "Manage secrets"] as const;

export const SECRETS = {
  SECRETS_NOT_SET_UP: {
    short: "choose a provider first",
    what: "A secret was asked for or named, and nobody has said yet where secrets are kept.",
    why: ["This is the first use of secrets on this machine.", "The settings file was removed."],
    remedies: [
      { say: "Choose a provider. On a terminal you are asked:", command: "thv secret setup" },
      {
        say: "In a script, name it and give the password in a file:",
        command: "thv secret provider encrypted --password-file password",
      },
    ],
    guide: GUIDE,
  },
  SECRET_NOT_FOUND: {
    short: "no such secret",
    what: "The provider has no secret of this name. A server that asks for it is not started.",
    why: [
      "The name has a typing mistake. Capital letters count.",
      "The secret was deleted.",
      "The provider was changed, and the secret is with the one before.",
    ],
    remedies: [
      { say: "See the names:", command: "thv secret list" },
      { say: "Store it; the value is asked for and not shown:", command: "thv secret set github-token" },
    ],
    guide: GUIDE,
  },
  SECRET_EXISTS: {
    short: "the name is taken",
    what: "A program asked the API to create a secret, and there is one of this name. Its value was left as it is.",
    why: ["The program creates where it should replace.", "Two programs use the same name."],
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
    short: "the provider takes no values",
    what: "The provider in use does not let ToolHive store, replace or delete.",
    why: ["`1password` is read only for ToolHive.", "`none` keeps nothing."],
    remedies: [
      { say: "With 1Password, change the value in the vault." },
      { say: "Or switch to the encrypted provider:", command: "thv secret provider encrypted" },
    ],
    guide: GUIDE,
  },
  SECRETS_NOT_READABLE: {
    short: "the provider has no values",
    what: "A value was asked for, and the provider `none` holds none.",
    why: [
      "`none` was chosen, so that nothing is kept on this machine.",
      "A server was created with `--secret` before.",
    ],
    remedies: [
      { say: "Choose a provider that keeps values:", command: "thv secret setup" },
      { say: "Or start the server without `--secret`." },
    ],
    guide: GUIDE,
  },
  SECRETS_NO_KEYRING: {
    short: "no place for the password",
    what: "The operating system offers no keyring to keep the password of the encrypted provider, and no password was given.",
    why: [
      "There is no keyring service: servers, containers and CI machines seldom have one.",
      "The keyring is there and locked, as in a session over SSH.",
    ],
    remedies: [
      { say: "Give the password in a file:", command: "thv secret provider encrypted --password-file password" },
      {
        say: "Or set `TOOLHIVE_SECRETS_PASSWORD` where the supervisor starts. Whoever can read that variable can read the secrets.",
      },
    ],
    guide: GUIDE,
  },
  SECRETS_WRONG_PASSWORD: {
    short: "another password",
    what: "The password is not the one that the secrets were stored with. It was not kept, and nothing was changed.",
    why: [
      "A typing mistake.",
      "The secrets come from another machine, with its password.",
      "The file with the password ends in a second newline.",
    ],
    remedies: [
      { say: "Try again with the right one:", command: "thv secret provider encrypted --password-file password" },
      { say: "To choose another password, give the present one too:", command: "thv secret change-password" },
      {
        say: "When nobody knows it any more, nobody can read the secrets. Remove the file `secrets_encrypted` from the data folder and store them anew.",
      },
    ],
    guide: GUIDE,
  },
  SECRETS_LOCKED: {
    short: "the password is not known",
    what: "The secrets are encrypted, and their password is neither in a keyring nor known to the supervisor.",
    why: [
      "The supervisor was restarted on a machine without a keyring.",
      "The password was forgotten with `thv secret reset-keyring`.",
    ],
    remedies: [
      {
        say: "On a terminal, this asks for the password, which is then known until the supervisor ends:",
        command: "thv secret list",
      },
      { say: "In a script, give it in a file:", command: "thv secret provider encrypted --password-file password" },
    ],
    guide: GUIDE,
  },
  SECRETS_FAILED: {
    short: "the store cannot be used",
    what: "The file or the command that holds the secrets cannot be used. The message says why; the secrets are as they were. A file that cannot be written, on a full disk for example, is [`FILE_FAILED`](./file-failed.mdx) instead.",
    why: [
      "1Password is in use, and `OP_SERVICE_ACCOUNT_TOKEN` is not set where the supervisor starts, or its command `op` is missing.",
      "The encrypted file is damaged, or another user's: it cannot be read.",
      "Another process is changing the secrets and does not finish.",
    ],
    remedies: [
      {
        say: "Act on what the message says. For 1Password, set the token and start the supervisor anew:",
        command: "export OP_SERVICE_ACCOUNT_TOKEN=<TOKEN>\nthv secret provider 1password",
      },
      { say: "Let the tool look at the file of secrets:", command: "thv doctor" },
    ],
    guide: GUIDE,
  },
} as const satisfies ErrorEntries;
