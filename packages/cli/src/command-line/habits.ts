/** What people type from habit with other programs, and what does it here. Completes a hint. */

/** Of Docker's and Podman's command lines, by the first word. */
export const COMMAND_HABITS: Readonly<Record<string, string>> = {
  add: "To run a server: thv run NAME. To put one into a group: thv group add GROUP NAME",
  attach: "A server has no terminal. Its output: thv logs NAME --follow. A tool: thv mcp call NAME TOOL",
  build: "thv run builds the image of a package: thv run npx://NAME, uvx://NAME or go://./FOLDER",
  compose: "The servers of a folder are in thv.yaml: thv up, thv down, thv up --check",
  connect: "Clients are connected with thv client setup, or one: thv client register CLIENT",
  cp: "A folder of this machine is mounted with thv run --volume HOST_PATH:CONTAINER_PATH, or later with thv edit NAME --volume HOST_PATH:CONTAINER_PATH",
  create: "thv run creates a server and starts it. A group: thv group create NAME",
  describe: "To see a server's state: thv status NAME. Its configuration: thv export NAME",
  env: "Variables of a server are changed with thv edit NAME --env KEY=VALUE, and taken away with --unset env.KEY",
  exec: "The server's container is the engine's: docker exec NAME COMMAND, or podman exec NAME COMMAND",
  images: "To see the servers that the registry has: thv registry list",
  install: "To run a server of the registry: thv run NAME",
  info: "What runs here: thv version, and what is wrong: thv doctor",
  init: "A project file is written from what a client has: thv import FILE",
  kill: "To end a server at once: thv stop NAME --timeout 0",
  login:
    "To sign in at a remote server: thv auth login NAME. At an image registry: docker login HOST, or podman login HOST",
  network: "What a server may reach: thv permission show NAME. To limit it: thv edit NAME --isolate-network",
  pause: "To stop a server: thv stop NAME. To let it sleep without calls: thv edit NAME --sleep-after 30m",
  port: "The URL of each server is in thv list. To change its port: thv edit NAME --proxy-port PORT",
  prune: "To remove servers: thv rm NAME, or thv rm --all. To delete logs that remain: thv logs prune",
  rename: "A server keeps its name. For a second one: thv export NAME | thv run --from-config - --name OTHER",
  rmi: "Images are the engine's: docker rmi IMAGE, or podman rmi IMAGE",
  set: "To change a server: thv edit NAME. A setting of thv: thv config set KEY VALUE",
  stats:
    "The state of a server is in thv status NAME; what it takes of this machine, in docker stats NAME or podman stats NAME",
  tag: "Another tag of an image: thv edit NAME --image IMAGE:TAG",
  top: "The state of a server is in thv status NAME; its processes, in docker top NAME or podman top NAME",
  uninstall: "To remove a server: thv rm NAME",
  unpause: "To start a server again: thv start NAME",
  volume:
    "The folders of a server are in thv status NAME. To mount one: thv edit NAME --volume HOST_PATH:CONTAINER_PATH",
  update: "To change a server: thv edit NAME. Its image: thv restart NAME --pull, or thv upgrade apply NAME",
};

const BACKGROUND = "a server runs in the background unless --foreground is given";
const TERMINAL = "a server has no terminal; thv connects to its standard input by itself";
const ENTRYPOINT = "the image's own program runs; its arguments come after --";
const WORKDIR = "a server starts in the folder that its image names";
const PORT = "the address for clients is chosen by --proxy-port PORT, the server's own port by --target-port PORT";

const NAMES = "the names alone: thv list --format json | jq -r '.[].name'";
const FILTER = "servers are chosen by --label KEY=VALUE, or by --group NAME";
const VOLUMES = "thv rm leaves your folders and volumes as they are";

/** Flags of other programs, by the command here and the flag as it is written. */
export const FLAG_HABITS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  run: {
    "-d": BACKGROUND,
    "--detach": BACKGROUND,
    "-i": TERMINAL,
    "-t": TERMINAL,
    "--interactive": TERMINAL,
    "--tty": TERMINAL,
    "--rm": "thv rm NAME removes a server with its container",
    "-p": PORT,
    "--publish": PORT,
    "--network": "the network of a server is its permission profile: --permission-profile and --isolate-network",
    "--mount": "a folder is mounted with --volume HOST_PATH:CONTAINER_PATH",
    "--restart": "a server that ends is started again by itself",
    "-u": "the user of a server is chosen by --user UID:GID",
    "-m": "the memory of a server is limited by --memory",
    "-w": WORKDIR,
    "--workdir": WORKDIR,
    "--entrypoint": ENTRYPOINT,
    "--cap-add": "a server runs without Linux capabilities, and gets none",
    "--privileged": "a server runs without Linux capabilities, and gets none",
    "--replace": "a server that exists is changed with thv edit NAME",
  },
  edit: {
    "--name": "a server keeps its name. For a second one: thv export NAME | thv run --from-config - --name OTHER",
    "--group": "groups are changed with thv group add and thv group remove",
    "--replace": "thv edit replaces settings in any case",
  },
  list: {
    "-q": NAMES,
    "--quiet": NAMES,
    "--no-trunc": "in a pipe, every column is whole: thv list | cat",
    "-f": FILTER,
    "--filter": FILTER,
  },
  logs: { "--until": "the newest lines are chosen by --tail and --since" },
  rm: { "-v": VOLUMES, "--volumes": VOLUMES },
  stop: { "-t": "the time to exit is chosen by --timeout SECONDS" },
  up: {
    "-d": BACKGROUND.replace(" unless --foreground is given", ""),
    "--detach": BACKGROUND.replace(" unless --foreground is given", ""),
    "--dry-run": "what would change is shown by --check",
  },
  down: { "-v": "thv down leaves folders and volumes as they are" },
};
