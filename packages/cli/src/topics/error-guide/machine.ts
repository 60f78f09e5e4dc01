/** Errors of what ToolHive stands on: the engine, ports, the supervisor, files. */
import type { ErrorEntries } from "./error-entry.ts";

const INSTALL = ["guides-cli/install", "Install the CLI"] as const;
const MANAGE = ["guides-cli/manage-mcp-servers", "Manage MCP servers"] as const;
const API = ["guides-cli/api-server", "Use the API server"] as const;

export const MACHINE = {
  ENGINE_UNREACHABLE: {
    short: "no container engine",
    what: "No container engine answers at the places that the message names.",
    why: [
      "Docker, Podman or Rancher Desktop is not started, or is still starting.",
      "It listens at a socket that is not among the usual ones.",
      "`DOCKER_HOST` names an engine that is gone. Then no other place is tried.",
    ],
    remedies: [
      { say: "Start the engine, then let the tool look again:", command: "thv doctor" },
      {
        say: "Name a socket that is elsewhere:",
        command: "export DOCKER_HOST=unix:///run/user/1000/podman/podman.sock\nthv doctor",
      },
      {
        say: "A supervisor that runs keeps the engine it found. End it, so that the next command starts one that searches anew.",
      },
    ],
    guide: INSTALL,
  },
  ENGINE_PERMISSION: {
    short: "the engine refuses you",
    what: "The engine's socket is there, and your user may not open it.",
    why: [
      "Docker's socket belongs to root and to the group `docker`, and you are not in it.",
      "You were added to the group, and this session began before.",
    ],
    remedies: [
      {
        say: "Add yourself to the group, then sign out and in. Whoever is in it can become root on this machine:",
        command: 'sudo usermod --append --groups docker "$USER"',
      },
      {
        say: "Or use rootless Podman, which needs no such right:",
        command: "systemctl --user enable --now podman.socket",
      },
    ],
    guide: INSTALL,
  },
  ENGINE_FAILED: {
    short: "the engine refused",
    what: "The container engine answered with an error, or broke off. The message holds its words.",
    why: [
      "The disk is full.",
      "The image is for another kind of processor.",
      "What answers at the address is not a container engine.",
      "The engine was restarted or ended while it was asked.",
    ],
    remedies: [
      {
        say: "Act on what the engine says. Space, ports and folders are among what this looks at:",
        command: "thv doctor",
      },
      { say: "Try the same with the engine's own command. When that fails too, the engine needs help, not ToolHive." },
    ],
    guide: INSTALL,
  },
  PORT_IN_USE: {
    short: "another program listens there",
    what: "The port is taken, or your user may not use it. The message names the other program where the system tells.",
    why: [
      "Another server or program has the port.",
      "A port below 1024 needs more rights than yours.",
      "A second `thv serve` of another user runs on the same port.",
    ],
    remedies: [
      { say: "Leave `--proxy-port` out: a free port is chosen and kept for the server." },
      { say: "For the API, choose another one:", command: "thv serve --port 8081" },
    ],
    guide: API,
  },
  SUPERVISOR_RUNNING: {
    short: "there is one already",
    what: "One supervisor owns all servers of a user, and one is running already.",
    why: [
      "`thv serve` runs in another terminal or as a service.",
      "A supervisor of an older version has not ended after it was asked to.",
    ],
    remedies: [
      { say: "Use the one that runs. Every command finds it by itself:", command: "thv list" },
      { say: "To have the API in this terminal, end the other one first. The message has the command." },
    ],
    guide: API,
  },
  SUPERVISOR_UNREACHABLE: {
    short: "the background process",
    what: "The supervisor, the process in the background that owns the servers, does not answer or could not be started.",
    why: [
      "It was started and ended at once, and did not say why. The message has the last line of its log.",
      "The process is stopped, or the machine is too busy to let it answer in time.",
      "It is ending right now.",
    ],
    remedies: [
      { say: "See what is wrong with folders, ports and space:", command: "thv doctor" },
      { say: "Start it in the foreground; it says why it cannot run:", command: "thv serve" },
      {
        say: "Read its log, `logs/supervisor.log` in the data folder. The folders of your system are listed by:",
        command: "thv help files",
      },
    ],
    guide: ["concepts/architecture", "Architecture"],
  },
  STATE_CORRUPT: {
    short: "a damaged file",
    what: "A file in the state folder cannot be read as what it should be. The message names the file; other servers are not affected.",
    why: [
      "It was edited by hand or by another program.",
      "The disk or the machine failed at a moment at which nothing could be saved.",
      "It was written by a newer version.",
    ],
    remedies: [
      { say: "Fix the file if you know what it should hold, and restart the supervisor." },
      { say: "Or remove the server, which removes the file, and run it again:", command: "thv rm everything" },
    ],
    guide: MANAGE,
  },
  FILE_FAILED: {
    short: "a file cannot be used",
    what: "A file or folder of ToolHive's own cannot be read, written or removed. The message names it and says why. On a full disk servers can still be listed, stopped and removed, and their logs read.",
    why: [
      "It belongs to another user, most often to root after a command with `sudo`.",
      "The disk is full, or mounted to be read only.",
      "A file is where a folder is needed.",
    ],
    remedies: [
      { say: "See which folders are used, then look at their owner and at the space left:", command: "thv help files" },
      { say: "Let the tool check all of them:", command: "thv doctor" },
    ],
    guide: INSTALL,
  },
  CHECKS_FAILED: {
    short: "a check failed",
    what: "`thv doctor` found something without which ToolHive does not work. Each finding has its remedy below it.",
    why: ["The engine, a folder, a port, a settings file or a server needs your attention."],
    remedies: [
      { say: "Do what stands below each line that begins with `fail`, then let it look again:", command: "thv doctor" },
      { say: "In a script, read the findings as data:", command: "thv doctor --format json" },
    ],
    guide: INSTALL,
  },
  SERVICE_FAILED: {
    short: "no service",
    what: "The supervisor was to become a service, and what starts services on this system did not do it. Nothing was installed.",
    why: [
      "The session has no service manager: a container, a chroot, `su` without a session, a system without systemd.",
      "The service was started and ended at once, for example because its port is in use.",
    ],
    remedies: [
      { say: "Look at what would be installed:", command: "thv service install --dry-run" },
      { say: "Start the same by hand, and read what it says:", command: "thv serve" },
      {
        say: "Over SSH, let your session have a service manager, then sign in again:",
        command: "loginctl enable-linger",
      },
    ],
    guide: API,
  },
} as const satisfies ErrorEntries;
