/** What people type from habit with other programs, and what does it here. Completes a hint. */

/** Of Docker's and Podman's command lines, by the first word. */
export const COMMAND_HABITS: Readonly<Record<string, string>> = {
  add: "To run a server: thv run NAME. To put one into a group: thv group add",
  exec: "The server's container is the engine's: docker exec, or podman exec",
  images: "To see the servers that the registry has: thv registry list",
  inspect: "To see a server's state: thv status NAME. Its configuration: thv export NAME",
  install: "To run a server of the registry: thv run NAME",
  kill: "To end a server at once: thv stop NAME --timeout 0",
};

const BACKGROUND = "a server runs in the background unless --foreground is given";
const TERMINAL = "a server has no terminal; thv connects to its standard input by itself";
const PORT = "the address for clients is chosen by --proxy-port PORT, the server's own port by --target-port PORT";

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
  },
  edit: {
    "--name": "a server keeps its name. For a second one: thv export NAME | thv run --from-config - --name OTHER",
    "--group": "groups are changed with thv group add and thv group remove",
    "--replace": "thv edit replaces settings in any case",
  },
  up: {
    "-d": BACKGROUND.replace(" unless --foreground is given", ""),
    "--detach": BACKGROUND.replace(" unless --foreground is given", ""),
    "--dry-run": "what would change is shown by --check",
  },
  down: { "-v": "thv down leaves folders and volumes as they are" },
};
