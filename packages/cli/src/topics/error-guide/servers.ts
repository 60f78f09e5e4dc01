/** Errors of a server's life: its name, its image, its start and its end. */
import type { ErrorEntries } from "./error-entry.ts";

const RUN = ["guides-cli/run-mcp-servers", "Run MCP servers"] as const;
const GROUPS = ["guides-cli/groups", "Groups"] as const;
const MANAGE = ["guides-cli/manage-mcp-servers", "Manage MCP servers"] as const;

export const SERVERS = {
  INVALID_WORKLOAD_NAME: {
    short: "the name is not valid",
    what: "A server cannot have this name, because it is not valid as the name of its container.",
    why: [
      "The name contains a space, a slash or a letter other than a to z.",
      "It begins with a dash, a dot or an underscore, or it has one character or more than 100.",
    ],
    remedies: [
      {
        say: "Use 2 to 100 letters, digits, dots, dashes and underscores, and begin with a letter or a digit:",
        command: "thv run --name my-server mcp/everything:latest",
      },
    ],
    guide: RUN,
  },
  WORKLOAD_NOT_FOUND: {
    short: "no such server",
    what: "No server has this name, neither a running one nor a stopped one.",
    why: ["The name is misspelled.", "The server was removed.", "The server belongs to another user of this machine."],
    remedies: [{ say: "List the names of all servers, including stopped ones:", command: "thv list --all" }],
    guide: MANAGE,
  },
  WORKLOAD_EXISTS: {
    short: "the name is taken",
    what: "A server with this name already exists. It was not changed.",
    why: [
      "The server was started earlier and is stopped.",
      "Without `--name`, the name comes from the image, and you ran the same image before.",
    ],
    remedies: [
      { say: "Start the existing server:", command: "thv restart everything" },
      { say: "Or run a second one under another name:", command: "thv run --name everything-2 mcp/everything:latest" },
      { say: "Or remove it first:", command: "thv rm everything" },
    ],
    guide: MANAGE,
  },
  GROUP_NOT_FOUND: {
    short: "no such group",
    what: "No group has this name.",
    why: ["The name is misspelled.", "The group was removed.", "The group was not created yet."],
    remedies: [
      { say: "List the groups:", command: "thv group list" },
      { say: "Or create it:", command: "thv group create work" },
    ],
    guide: GROUPS,
  },
  GROUP_EXISTS: {
    short: "the group exists already",
    what: "A group with this name already exists. It was not changed.",
    why: ["You created it earlier.", "The name `default` belongs to the group of every server that is in no other."],
    remedies: [
      { say: "Put servers into the group that is there:", command: "thv group add work everything" },
      { say: "Or choose another name:", command: "thv group create work-2" },
    ],
    guide: GROUPS,
  },
  CONTAINER_NAME_TAKEN: {
    short: "another container has the name",
    what: "A container that ToolHive did not create has this name. ToolHive does not touch containers that it did not create.",
    why: [
      "You started a container with this name with the engine's own command.",
      "Another tool that manages containers uses the name.",
    ],
    remedies: [
      { say: "Choose another name for the server:", command: "thv run --name everything-2 mcp/everything:latest" },
      { say: "Or rename or remove that container with the engine's own command." },
    ],
    guide: RUN,
  },
  WORKLOAD_BUSY: {
    short: "the server is being removed or changed",
    what: "The server is being removed, or its settings are being replaced. You cannot start or change it until that is done.",
    why: [
      "The server has not exited yet. A removal waits until the server exits or is killed.",
      "A script removes a server and creates one with the same name without waiting.",
      "Two programs edit or upgrade the same server at the same time.",
    ],
    remedies: [
      { say: "Wait until this list no longer shows the name, then try again:", command: "thv list --all" },
      { say: "In a script, poll the workload over the API until the response is 404." },
    ],
    guide: MANAGE,
  },
  IMAGE_NOT_FOUND: {
    short: "the image cannot be pulled",
    what: "The engine does not have the image and could not pull it from the image registry.",
    why: [
      "The name or the tag is misspelled.",
      "The image is private. Image registries return the same error for private images as for images that do not exist.",
      "The name of a registry entry is misspelled, so `thv` treated it as the name of an image.",
    ],
    remedies: [
      { say: "Search the registry for the server's name:", command: "thv search github" },
      { say: "For a private image, sign in and pull it with the engine's own command, then run it by its full name." },
    ],
    guide: RUN,
  },
  IMAGE_REGISTRY_UNREACHABLE: {
    short: "no connection to the registry",
    what: "The engine does not have the image, and the image registry did not respond. Nothing of the server is left behind.",
    why: [
      "There is no connection, or the DNS server does not respond.",
      "The network requires a proxy, and the engine is not configured to use it.",
      "The host in the image's name is misspelled.",
    ],
    remedies: [
      {
        say: "Try to pull the image with the engine's own command; its error is in the message:",
        command: "docker pull mcp/everything",
      },
      {
        say: "On a machine without a connection, load the image from a file and run it without pulling:",
        command: "docker load --input everything.tar\nthv run --pull never mcp/everything",
      },
    ],
    guide: RUN,
  },
  IMAGE_NOT_VERIFIED: {
    short: "the origin is not verified",
    what: "You required verification of the image's origin, and it failed, or the image is another one than `thv.lock` says. The server was not started.",
    why: [
      "The image is not in the registry, or its entry does not specify a signer.",
      "The image was signed by a workflow or repository other than the one in the entry.",
      "The image registry or the trust root did not respond, so nothing could be verified.",
      "Since the lock file was written, the image was replaced at its registry, or the MCP registry lists another one.",
    ],
    remedies: [
      {
        say: "Check who must have signed the image; the output has a section on provenance:",
        command: "thv registry info github",
      },
      {
        say: "Without a connection, set `TOOLHIVE_SIGSTORE_TRUSTED_ROOT` to your own trust root in the environment where the supervisor starts.",
      },
      {
        say: "Run the image without verification only if you trust it for another reason:",
        command: "thv run --image-verification disabled mcp/everything:latest",
      },
      {
        say: "When `thv up` refused the image and you know why it changed, accept it:",
        command: "thv up --update-lock",
      },
    ],
    guide: ["concepts/threat-model", "Threat model"],
  },
  SERVER_EXITED: {
    short: "the server exited",
    what: "The program in the container exited. An MCP server should run until it is stopped, so this is a failure.",
    why: [
      "A variable, a key or an argument is missing. The server's last output, shown with the message, says which.",
      "It needs a file or a folder that was not mounted.",
      "It needs more memory than its limit, and the engine killed it.",
    ],
    remedies: [
      { say: "Read the server's last output:", command: "thv logs everything" },
      { say: "For a server from the registry, check what it requires:", command: "thv registry info github" },
      {
        say: "Pass a variable, a stored secret or a folder:",
        command: "thv run --name notes --env UNITS=metric --volume /projects:/projects:ro mcp/everything:latest",
      },
    ],
    guide: RUN,
  },
  SERVER_NOT_READY: {
    short: "the server does not respond",
    what: "The server is running, but it did not respond as an MCP server in time.",
    why: [
      "It is still starting: a first start can load a model or an index.",
      "It uses a transport other than the one that `thv` expects, for example HTTP instead of stdio.",
      "The URL belongs to another kind of server, or does not end in `/mcp`.",
    ],
    remedies: [
      { say: "Read the server's output:", command: "thv logs everything" },
      {
        say: "If the server speaks HTTP, specify the transport and the port:",
        command: "thv run --transport streamable-http --target-port 8080 --name web mcp/everything:latest",
      },
    ],
    guide: RUN,
  },
  CALL_FAILED: {
    short: "a tool reported an error",
    what: "The server received the call of the tool and answered with an error. The message contains what the server said.",
    why: [
      "The server does not have a tool of this name.",
      "An argument is missing, or has another type than the tool expects.",
      "The tool could not do its work: for example, it needs a token, a file or network access that the server does not have.",
    ],
    remedies: [
      { say: "Check the tool's name and arguments:", command: "thv mcp list tools --server everything --format json" },
      { say: "Read the server's output:", command: "thv logs everything" },
    ],
    guide: MANAGE,
  },
  TOOLS_CHANGED: {
    short: "tools differ from what was pinned",
    what: "A server now says something else of its tools than when they were recorded. That is held back: clients see what was recorded, and cannot call a tool that has changed; with `--pin-tools all`, also one that is new.",
    why: [
      "The server was updated: a package or an image without a fixed version may be another one after each start.",
      "The server has other tools for another configuration, or it changes them while it runs. A server that means harm does that, too.",
      "The difference was accepted with `thv tools accept`, and the server had changed it again since it was shown.",
      "The server has offered more tools than can be recorded: the others are held back.",
    ],
    remedies: [
      {
        say: "Read the difference, line by line, and the warnings below it. Then accept it:",
        command: "thv tools accept everything",
      },
      {
        say: "If you do not want tools of this server to be held back, end it:",
        command: "thv tools pin everything --off",
      },
    ],
    guide: ["guides-cli/tools", "Choose the tools of a server"],
  },
  BUILD_FAILED: {
    short: "the image was not built",
    what: "The image for an `npx://`, `uvx://` or `go://` server could not be built, or its package could not be fetched when the server started. The message ends with the last lines of the package manager.",
    why: [
      "The package or the version does not exist.",
      "The build cannot reach the package registry, or a corporate proxy replaces its certificates.",
      "The package needs a tool or library that the base image does not have.",
    ],
    remedies: [
      { say: "Check the package's name and version in its package registry." },
      {
        say: "Behind a proxy that inspects TLS connections, set its certificate and check the setting:",
        command: "thv config set-ca-cert company.pem\nthv config get-ca-cert",
      },
    ],
    guide: RUN,
  },
  ISOLATION_FAILED: {
    short: "the network filter did not start",
    what: "The sidecar that filters the server's network could not be built or started. The server was not started, because it would have run without a filter.",
    why: [
      "The sidecar's image is built once from a base image, and the base image could not be pulled.",
      "The engine cannot create another network: each network needs an address range, and the ranges can run out.",
    ],
    remedies: [
      { say: "Read the message: it names the missing values." },
      {
        say: "Without access to an image registry, load a sidecar image that was built elsewhere, and set `TOOLHIVE_SIDECAR_IMAGE` to its name in the environment where the supervisor starts.",
      },
      {
        say: "If the server does not need a network, turn it off instead; that does not need a sidecar:",
        command: "thv run --permission-profile none mcp/everything:latest",
      },
    ],
    guide: ["guides-cli/custom-permissions", "Limit permissions"],
  },
} as const satisfies ErrorEntries;
