/** Errors of a server's life: its name, its image, its start and its end. */
import type { ErrorEntries } from "./error-entry.ts";

const RUN = ["guides-cli/run-mcp-servers", "Run MCP servers"] as const;
const MANAGE = ["guides-cli/manage-mcp-servers", "Manage MCP servers"] as const;

export const SERVERS = {
  INVALID_WORKLOAD_NAME: {
    short: "a name with other characters",
    what: "A server cannot have this name, because its container could not have it.",
    why: [
      "The name holds a space, a slash or a letter beyond a to z.",
      "It begins with a dash, a dot or an underscore, has one character, or has more than 100.",
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
    why: ["The name has a typing mistake.", "The server was removed.", "It belongs to another user of this machine."],
    remedies: [{ say: "See every name, with stopped servers included:", command: "thv list --all" }],
    guide: MANAGE,
  },
  WORKLOAD_EXISTS: {
    short: "the name is taken",
    what: "A server of this name is there already. It was left as it is.",
    why: [
      "The server was started before and is only stopped.",
      "Without `--name`, the name follows from the image, and the same image was run before.",
    ],
    remedies: [
      { say: "Start the one that is there:", command: "thv restart everything" },
      { say: "Or run a second one under another name:", command: "thv run --name everything-2 mcp/everything:latest" },
      { say: "Or remove it first:", command: "thv rm everything" },
    ],
    guide: MANAGE,
  },
  CONTAINER_NAME_TAKEN: {
    short: "somebody else's container",
    what: "A container that ToolHive did not make has the name. ToolHive leaves containers of others alone.",
    why: [
      "You started a container of this name with the engine's own command.",
      "Another tool that manages containers uses the name.",
    ],
    remedies: [
      { say: "Choose another name for the server:", command: "thv run --name everything-2 mcp/everything:latest" },
      { say: "Or rename or remove that container with the command of your engine." },
    ],
    guide: RUN,
  },
  WORKLOAD_BUSY: {
    short: "the removal goes on",
    what: "The server is being removed, and cannot be started or changed until that is done.",
    why: [
      "A removal takes as long as the server takes to end, at most until it is killed.",
      "A script removes and creates the same name without waiting.",
    ],
    remedies: [
      { say: "Wait until the name is gone from this list, then try again:", command: "thv list --all" },
      { say: "In a script, ask the API for the workload until it answers 404." },
    ],
    guide: MANAGE,
  },
  IMAGE_NOT_FOUND: {
    short: "the image cannot be pulled",
    what: "The engine does not have the image, and the image registry did not hand it out.",
    why: [
      "The name or the tag has a typing mistake.",
      "The image is private. Image registries answer the same for one that is not there.",
      "The name is that of a registry entry with a letter missing, so it was taken for an image.",
    ],
    remedies: [
      { say: "Look whether the registry lists the server under another name:", command: "thv search github" },
      { say: "Sign in and pull a private image with the command of your engine, then run it by its full name." },
    ],
    guide: RUN,
  },
  IMAGE_REGISTRY_UNREACHABLE: {
    short: "nobody could be asked",
    what: "The engine does not have the image, and the image registry that has it did not answer. Nothing of the server is left.",
    why: [
      "There is no connection, or no name server answers.",
      "The network lets the engine out through a proxy only, and the engine does not know it.",
      "The host in the image's name has a typing mistake.",
    ],
    remedies: [
      { say: "Try it with the engine alone; its own words are in the message:", command: "docker pull mcp/everything" },
      {
        say: "On a machine without a connection, bring the image along and run it as it is:",
        command: "docker load --input everything.tar\nthv run --pull never mcp/everything",
      },
    ],
    guide: RUN,
  },
  IMAGE_NOT_VERIFIED: {
    short: "the origin is not proven",
    what: "You asked for a proof of the image's origin, and there is none that holds. The server was not started.",
    why: [
      "The image is not one of the registry's, or its entry names no signer.",
      "Another workflow or another repository signed the image than the entry says.",
      "The image registry or the trust root did not answer, so nothing could be checked.",
    ],
    remedies: [
      {
        say: "See who has to have signed the image; the output has a part on provenance:",
        command: "thv registry info github",
      },
      {
        say: "Without a connection, name a trust root of your own in `TOOLHIVE_SIGSTORE_TRUSTED_ROOT` where the supervisor starts.",
      },
      {
        say: "Run the image without a proof only when you trust it for another reason:",
        command: "thv run --image-verification disabled mcp/everything:latest",
      },
    ],
    guide: ["concepts/threat-model", "Threat model"],
  },
  SERVER_EXITED: {
    short: "the server ended",
    what: "The program in the container ended. An MCP server should run until it is stopped, so this counts as a failure.",
    why: [
      "It misses a variable, a key or an argument. Its last lines, shown with the message, say which.",
      "It needs a file or a folder that was not mounted.",
      "It needs more memory than it may have, and the engine ended it.",
    ],
    remedies: [
      { say: "Read what it said last:", command: "thv logs everything" },
      { say: "For a server of the registry, see what it asks for:", command: "thv registry info github" },
      {
        say: "Pass a variable, a stored key or a folder:",
        command: "thv run --name notes --env UNITS=metric --volume /projects:/projects:ro mcp/everything:latest",
      },
    ],
    guide: RUN,
  },
  SERVER_NOT_READY: {
    short: "the server does not answer",
    what: "Something runs, and it did not answer as an MCP server within the time it has.",
    why: [
      "It is still starting: a first start can load a model or an index.",
      "It speaks another transport than `thv` was told, for example HTTP where stdio is expected.",
      "The address belongs to another kind of server, or has no `/mcp` at its end.",
    ],
    remedies: [
      { say: "Read what the server says:", command: "thv logs everything" },
      {
        say: "Name the transport and the port when the server speaks HTTP:",
        command: "thv run --transport streamable-http --target-port 8080 --name web mcp/everything:latest",
      },
    ],
    guide: RUN,
  },
  BUILD_FAILED: {
    short: "no image of the package",
    what: "The image for an `npx://`, `uvx://` or `go://` server could not be built. The message ends with the last lines of the build.",
    why: [
      "The package or the version does not exist.",
      "The build cannot reach the package registry, or a company proxy replaces certificates on the way.",
      "The package compiles something that the base image lacks.",
    ],
    remedies: [
      { say: "Check the package's name and version where it is published." },
      {
        say: "Behind a proxy that inspects traffic, set its certificate and see that it is used:",
        command: "thv config set-ca-cert company.pem\nthv config get-ca-cert",
      },
    ],
    guide: RUN,
  },
  ISOLATION_FAILED: {
    short: "the network filter did not start",
    what: "The sidecar that filters the server's network could not be built, started or made ready. The server was not started, because it would have run without a filter.",
    why: [
      "The sidecar's image is built once from a base image, and that could not be pulled.",
      "The engine cannot make another network: each has a range of addresses, and they can run out.",
    ],
    remedies: [
      { say: "Read the message: it names what is missing." },
      {
        say: "Without access to an image registry, load an image of the sidecar that was built elsewhere, and name it in `TOOLHIVE_SIDECAR_IMAGE` where the supervisor starts.",
      },
      {
        say: "Where the server needs no network at all, take it away instead; that needs no sidecar:",
        command: "thv run --permission-profile none mcp/everything:latest",
      },
    ],
    guide: ["guides-cli/custom-permissions", "Limit permissions"],
  },
} as const satisfies ErrorEntries;
