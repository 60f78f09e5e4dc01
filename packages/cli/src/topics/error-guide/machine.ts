/** Errors of what ToolHive stands on: the engine, ports, the supervisor, files. */
import type { ErrorEntries } from "./error-entry.ts";

const INSTALL = ["guides-cli/install", "Install the CLI"] as const;
const PROJECT = ["guides-cli/project-file", "Project file"] as const;
const MANAGE = ["guides-cli/manage-mcp-servers", "Manage MCP servers"] as const;
const API = ["guides-cli/api-server", "Use the API server"] as const;

export const MACHINE = {
  ENGINE_UNREACHABLE: {
    short: "no container engine",
    what: "No container engine responds on the sockets that the message lists.",
    why: [
      "Docker, Podman or Rancher Desktop is not running, or is still starting.",
      "It listens on a nonstandard socket.",
      "`DOCKER_HOST` points to an engine that no longer exists. If it is set, no other socket is tried.",
    ],
    remedies: [
      {
        say: "Start the engine, then check again. In a terminal, `thv run` and `thv restart` offer to start one that is installed:",
        command: "thv doctor",
      },
      {
        say: "Specify a socket in another location:",
        command: "export DOCKER_HOST=unix:///run/user/1000/podman/podman.sock\nthv doctor",
      },
      {
        say: "A running supervisor keeps using the engine that it found. Stop it, so that the next command starts one that searches again.",
      },
    ],
    guide: INSTALL,
  },
  ENGINE_PERMISSION: {
    short: "the engine refuses you",
    what: "The engine's socket exists, but your user does not have permission to open it.",
    why: [
      "Docker's socket belongs to root and to the group `docker`, and you are not in it.",
      "You were added to the group after this session started.",
    ],
    remedies: [
      {
        say: "Add yourself to the group, then sign out and in again. Anyone in this group can become root on this machine:",
        command: 'sudo usermod --append --groups docker "$USER"',
      },
      {
        say: "Or install Podman, which does not need this permission; thv starts its service:",
        command: "sudo apt-get install podman\nthv list",
      },
    ],
    guide: INSTALL,
  },
  ENGINE_FAILED: {
    short: "the engine returned an error",
    what: "The container engine returned an error or closed the connection. The message includes the engine's own error.",
    why: [
      "The disk is full.",
      "The image is for another CPU architecture.",
      "The program that responds at the address is not a container engine.",
      "The engine was restarted or stopped during the request.",
    ],
    remedies: [
      {
        say: "Follow the engine's error message. This command also checks disk space, ports and folders:",
        command: "thv doctor",
      },
      {
        say: "Try the same with the engine's own command. If that also fails, the problem is in the engine and not in ToolHive.",
      },
    ],
    guide: INSTALL,
  },
  PORT_IN_USE: {
    short: "another program listens there",
    what: "The port is in use, or your user may not use it. If the operating system provides it, the message names the other program.",
    why: [
      "Another server or program uses the port.",
      "A port below 1024 requires more permissions than you have.",
      "Another user's `thv serve` runs on the same port.",
    ],
    remedies: [
      { say: "Omit `--proxy-port`: `thv` chooses a free port and keeps it for the server." },
      { say: "For the API, choose another port:", command: "thv serve --port 8081" },
    ],
    guide: API,
  },
  SUPERVISOR_RUNNING: {
    short: "a supervisor is running",
    what: "One supervisor owns all of a user's servers, and one is already running.",
    why: [
      "`thv serve` runs in another terminal or as a service.",
      "A supervisor from an older version has not stopped yet.",
    ],
    remedies: [
      { say: "Use the running supervisor. Every command finds it automatically:", command: "thv list" },
      { say: "To run the API in this terminal, stop the other supervisor first. The message has the command." },
    ],
    guide: API,
  },
  SUPERVISOR_UNREACHABLE: {
    short: "the supervisor does not respond",
    what: "The supervisor, the background process that owns the servers, does not respond or could not be started.",
    why: [
      "It exited immediately after it was started, without giving a reason. The message has the last line of its log.",
      "The process is suspended, or the machine is too busy for it to respond in time.",
      "It is shutting down.",
    ],
    remedies: [
      { say: "Check folders, ports and disk space:", command: "thv doctor" },
      { say: "Start it in the foreground to see why it cannot run:", command: "thv serve" },
      {
        say: "Read its log, `logs/supervisor.log` in the data folder. This command lists the folders on your system:",
        command: "thv help files",
      },
    ],
    guide: ["concepts/architecture", "Architecture"],
  },
  STATE_CORRUPT: {
    short: "a damaged file",
    what: "A file in the state folder is damaged. The message names the file; other servers are not affected.",
    why: [
      "It was edited by hand or by another program.",
      "The disk or the machine failed while the file was being saved.",
    ],
    remedies: [
      { say: "Fix the file if you know what it should contain, and restart the supervisor." },
      { say: "Or remove the server, which removes the file, and run it again:", command: "thv rm everything" },
    ],
    guide: MANAGE,
  },
  STATE_TOO_NEW: {
    short: "a file of a newer version",
    what: "A file was saved by a newer version of ToolHive, in a form that this version does not know. The message names the file. ToolHive never changes such a file, and other servers are not affected.",
    why: ["You have gone back to an older version.", "Two versions are installed, and the older one runs first."],
    remedies: [
      { say: "Check whether there is a second `thv`, and which of them runs:", command: "thv doctor" },
      { say: "Install the newer version again. It reads the file as before." },
      {
        say: "If it is the run configuration of a server, you can also remove the server, and run it again:",
        command: "thv rm everything",
      },
    ],
    guide: ["guides-cli/install", "Install the CLI"],
  },
  FILE_FAILED: {
    short: "a file cannot be used",
    what: "ToolHive cannot read, write or remove one of its own files or folders. The message names it and says why. On a full disk, you can still list, stop and remove servers, and read their logs.",
    why: [
      "It belongs to another user, often to root after a command with `sudo`.",
      "The disk is full, or is mounted read-only.",
      "There is a file where a folder is needed.",
    ],
    remedies: [
      {
        say: "List the folders that ToolHive uses, then check their owner and the free space:",
        command: "thv help files",
      },
      { say: "Check all of them:", command: "thv doctor" },
    ],
    guide: INSTALL,
  },
  CLUSTER_UNREACHABLE: {
    short: "the cluster does not answer",
    what: "The API server of the Kubernetes cluster did not answer, or refused the request. The message contains what it said.",
    why: [
      "The cluster is not running, or this machine is not in its network.",
      "`KUBECONFIG` is not set and there is no `~/.kube/config`, or the current context is of another cluster.",
      "Your token is out of date, or your user may not read an `MCPServer`.",
    ],
    remedies: [
      { say: "Check the address of the current context:", command: "kubectl cluster-info" },
      { say: "Check who you are there, and what you may do:", command: "kubectl auth can-i get mcpservers" },
      { say: "Check the operator as well:", command: "thv doctor --kubernetes" },
    ],
    guide: ["guides-k8s/run-mcp-k8s", "Run MCP servers on Kubernetes"],
  },
  CHECKS_FAILED: {
    short: "a check failed",
    what: "`thv doctor` found a problem that prevents ToolHive from working. The output shows how to fix each problem.",
    why: ["The engine, a folder, a port, a settings file or a server needs your attention."],
    remedies: [
      {
        say: "Follow the instructions below each line that begins with `fail`, then check again:",
        command: "thv doctor",
      },
      { say: "In a script, read the results as JSON:", command: "thv doctor --format json" },
    ],
    guide: INSTALL,
  },
  PROJECT_DIFFERS: {
    short: "servers are not as the project file says",
    what: "`thv up --check` found servers that are missing, are stopped, have other settings than the project file, or offer other tools than its lock. Nothing was changed.",
    why: [
      "The file was changed since the last `thv up`, by you or by a change that you fetched.",
      "Somebody changed a server by another command, such as `thv tools allow` or `thv stop`.",
      "The registry lists another image for a server.",
      "A server offers a new tool, or says something else of one, than when `thv.lock` was written.",
    ],
    remedies: [
      { say: "Look at the lines above the error: each one says what differs. Then make it so:", command: "thv up" },
      {
        say: "To keep a server as it is, write its settings into the file. See them:",
        command: "thv export everything",
      },
      {
        say: "For a tool that differs, read the change and accept it, and then write the lock:",
        command: "thv tools accept everything\nthv up --update-lock",
      },
    ],
    guide: PROJECT,
  },
  NOT_CONFIRMED: {
    short: "nobody has allowed what a file asks for",
    what: "A project file, an exported workload, a manifest or an entry of a registry asks for something that nobody has allowed yet: another image, a folder, a stored secret, protection that is given up. The command could ask nobody, or it changed while somebody was asked. Nothing was started.",
    why: [
      "The command runs in a script or in CI, where nobody can answer.",
      "The file was changed since it was allowed, by you or by a change that you fetched.",
    ],
    remedies: [
      { say: "See what the servers of a project file would get:", command: "thv up --check" },
      { say: "When all of it may be, allow it. That is remembered for this file:", command: "thv up --yes" },
    ],
    guide: PROJECT,
  },
  SERVICE_FAILED: {
    short: "the service was not installed",
    what: "The system's service manager could not install or start the supervisor as a service. Nothing was installed.",
    why: [
      "The session has no service manager: a container, a chroot, `su` without a session, a system without systemd.",
      "The service exited immediately after it was started, for example because its port is in use.",
    ],
    remedies: [
      { say: "See what would be installed:", command: "thv service install --dry-run" },
      { say: "Start the supervisor by hand, and read its output:", command: "thv serve" },
      {
        say: "Over SSH, enable a service manager for your user, then sign in again:",
        command: "loginctl enable-linger",
      },
    ],
    guide: API,
  },
} as const satisfies ErrorEntries;
