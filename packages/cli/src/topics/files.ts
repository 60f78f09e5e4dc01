/** `thv help files` */
import type { Topic } from "./topic.ts";

export const FILES_TOPIC: Topic = {
  name: "files",
  title: "Files",
  blocks: [
    {
      kind: "text",
      text: "These are the locations on Linux. On macOS, everything is in ~/Library/Application Support/toolhive, on Windows, in %LOCALAPPDATA%\\toolhive. XDG_CONFIG_HOME, XDG_DATA_HOME and XDG_STATE_HOME replace the first part of the path on every system.",
    },
    {
      kind: "terms",
      terms: [
        ["~/.config/toolhive/config.yaml", "Settings; you can edit this file by hand"],
        ["~/.local/share/toolhive/secrets_encrypted", "Secrets of the encrypted provider"],
        ["~/.local/share/toolhive/updates.json", "Time of the last update check, if it is configured"],
        ["~/.local/share/toolhive/logs/supervisor.log", "Log of the background supervisor"],
        [
          "~/.local/share/toolhive/logs/servers/",
          "Standard error of stdio servers, 10 MB each; removed with the server",
        ],
        [
          "~/.local/share/toolhive/logs/failed/",
          "Output of the newest servers whose start failed, for a week; thv logs shows it",
        ],
        ["~/.local/state/toolhive/runconfigs/", "One file for each server, with its configuration"],
        ["~/.local/state/toolhive/toolpins/", "Definitions of tools as they were seen first, one file for each server"],
        ["~/.local/state/toolhive/registry-cache/", "Cached copies of remote registries"],
        ["~/.local/state/toolhive/sigstore/", "Trust roots for image verification"],
        ["~/.local/state/toolhive/client-backups/", "Backups of clients' settings from before thv changed them"],
        [
          "~/.local/state/toolhive/supervisor.sock",
          "Socket for communication between thv and the supervisor; only you can open it. On Windows it is a named pipe, which supervisor.json names",
        ],
      ],
    },
    {
      kind: "text",
      text: "Only you can read files with secrets, tokens or settings. Every file is replaced atomically: after a crash, you have the old file or the new one.",
    },
  ],
};
