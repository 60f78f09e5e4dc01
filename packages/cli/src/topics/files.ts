/** `thv help files` */
import type { Topic } from "./topic.ts";

export const FILES_TOPIC: Topic = {
  name: "files",
  title: "Files",
  blocks: [
    {
      kind: "text",
      text: "Below are the places on Linux. On macOS everything is in ~/Library/Application Support/toolhive, on Windows in %LOCALAPPDATA%\\toolhive. XDG_CONFIG_HOME, XDG_DATA_HOME and XDG_STATE_HOME replace the first part on every system.",
    },
    {
      kind: "terms",
      terms: [
        ["~/.config/toolhive/config.yaml", "Settings; may be edited by hand"],
        ["~/.local/share/toolhive/secrets_encrypted", "Secrets of the encrypted provider"],
        ["~/.local/share/toolhive/updates.json", "When a newer version was last asked for, if that is configured"],
        ["~/.local/share/toolhive/logs/supervisor.log", "What the supervisor in the background reports"],
        [
          "~/.local/share/toolhive/logs/servers/",
          "What servers on stdio write to standard error, 10 MB of each; removed with the server",
        ],
        ["~/.local/state/toolhive/runconfigs/", "One file for each server: how it is started again"],
        ["~/.local/state/toolhive/registry-cache/", "Copies of registries on the web"],
        ["~/.local/state/toolhive/sigstore/", "Trust roots that images are verified with"],
        ["~/.local/state/toolhive/client-backups/", "Clients' settings as they were before thv changed them"],
        ["~/.local/state/toolhive/supervisor.sock", "Socket over which thv talks to the supervisor; yours alone"],
      ],
    },
    {
      kind: "text",
      text: "Files with secrets, tokens or settings can be read by you alone. Every file is replaced as a whole: a crash leaves the old one or the new one.",
    },
  ],
};
