/** `thv help secrets` */
import type { Topic } from "./topic.ts";

export const SECRETS_TOPIC: Topic = {
  name: "secrets",
  title: "Secrets",
  blocks: [
    {
      kind: "text",
      text: "You store a secret once, under a name. Servers get it as an environment variable when they start. A server's saved configuration contains the name and never the value.",
    },
    {
      kind: "terms",
      terms: [
        ["encrypted", "A file on this machine; its password is in the system's keyring, or you provide it"],
        ["1password", "1Password, read with a service account; thv cannot change these secrets"],
        ["none", "No secrets"],
      ],
    },
    {
      kind: "commands",
      commands: [
        ["Choose where to store secrets", "thv secret setup"],
        ["Store a secret that you type; the input is hidden", "thv secret set github-token"],
        ["Store a secret from a pipe", "gh auth token | thv secret set github-token"],
        ["Pass it to a server", "thv run --secret github-token,target=GITHUB_PERSONAL_ACCESS_TOKEN github"],
      ],
    },
  ],
};
