/** `thv help secrets` */
import type { Topic } from "./topic.ts";

export const SECRETS_TOPIC: Topic = {
  name: "secrets",
  title: "Secrets",
  blocks: [
    {
      kind: "text",
      text: "A secret is stored once, under a name, and handed to servers as an environment variable when they start. A server's saved configuration holds the name and never the value.",
    },
    {
      kind: "terms",
      terms: [
        ["encrypted", "A file on this machine; its password is in the system's keyring or given by you"],
        ["1password", "Read from 1Password with a service account; secrets cannot be changed from here"],
        ["none", "No secrets"],
      ],
    },
    {
      kind: "commands",
      commands: [
        ["Choose where secrets are kept", "thv secret setup"],
        ["Store one, typed unseen", "thv secret set github-token"],
        ["Store one from a pipe", "gh auth token | thv secret set github-token"],
        ["Hand it to a server", "thv run --secret github-token,target=GITHUB_PERSONAL_ACCESS_TOKEN github"],
      ],
    },
  ],
};
