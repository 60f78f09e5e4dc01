/** Errors of a command line, a request and the program itself. */
import type { ErrorEntries } from "./error-entry.ts";

const RUN = ["guides-cli/run-mcp-servers", "Run MCP servers"] as const;
const API = ["guides-cli/api-server", "Use the API server"] as const;
const ACCESS = ["guides-cli/control-access", "Control who may call a server"] as const;

export const CALLS = {
  INVALID_ARGUMENT: {
    short: "a value is not accepted",
    what: "A value in the command or in the request is not valid. Nothing was changed.",
    why: [
      "A value has the wrong format: a port above 65535, a relative path instead of an absolute one, or a word instead of a number.",
      "A file that you passed to an option cannot be read, or has unexpected content.",
      "Two values exclude each other, or a value requires another one that is missing.",
    ],
    remedies: [
      { say: "Correct the problems in the message. It lists all of them." },
      { say: "Check the format of the value in the command's help:", command: "thv run --help" },
    ],
    guide: RUN,
  },
  USAGE: {
    short: "the command line is wrong",
    what: "`thv` could not interpret the command line, so it did nothing.",
    why: [
      "An option or a command is misspelled.",
      "An argument is missing, or there is one too many.",
      "Options for the MCP server are mixed with options for `thv`, without `--` before them.",
    ],
    remedies: [
      { say: "Compare it with the command's help, which ends with examples:", command: "thv run --help" },
      {
        say: "Put options for the server after `--`:",
        command: "thv run mcp/filesystem:latest -- /projects",
      },
    ],
    guide: RUN,
  },
  UNAUTHENTICATED: {
    short: "no valid token",
    what: "The API or an MCP server requires a token, and the request had none or it was not accepted.",
    why: [
      "The API or the server was started with `--oidc-issuer`, and the request has no token.",
      "The browser is not signed in to the application, or the address that `thv ui` printed was used before.",
      "The token is from another issuer, is for another audience, or has expired.",
      "A remote server requires a sign-in, and nobody is signed in, the sign-in has ended, or it was not completed in time.",
    ],
    remedies: [
      { say: "In a browser, open the application with a new sign-in:", command: "thv ui" },
      { say: "Get a new token from the issuer, and send it in an `Authorization: Bearer <TOKEN>` header." },
      { say: "Check the response's `WWW-Authenticate` header: it says why the token was refused." },
      {
        say: "For a remote server that you run, sign in. All of your clients use that sign-in:",
        command: "thv auth login calendar",
      },
      {
        say: "For another remote server, run it and give your client the local URL:",
        command: "thv run --name calendar https://mcp.example.com/mcp",
      },
    ],
    guide: ACCESS,
  },
  ISSUER_UNAVAILABLE: {
    short: "the issuer does not respond",
    what: "The discovery document or the keys of an issuer cannot be read. Tokens of your callers cannot be validated and the server was not started, or nobody can sign in to a remote server. A sign-in that exists is kept, and its renewal is tried again.",
    why: [
      "The URL is misspelled, or belongs to another realm or tenant.",
      "The issuer is down, or a firewall blocks the connection.",
      "The issuer's certificate is signed by a certificate authority that this machine does not trust.",
    ],
    remedies: [
      {
        say: "Send a request to the issuer yourself. The response must be JSON with a `jwks_uri`:",
        command: "curl https://login.example.com/.well-known/openid-configuration",
      },
      {
        say: "For a private certificate authority, add `--thv-ca-bundle`. For a private address, add `--jwks-allow-private-ip`.",
      },
    ],
    guide: ACCESS,
  },
  NOT_SUPPORTED: {
    short: "not supported here",
    what: "The operation is in the API for compatibility with existing programs, but this version does not support it.",
    why: [
      "A program tried to add a second registry through the API. There is only one, which you choose in the settings.",
      "You started the MCP Inspector, and `npx` is not installed.",
    ],
    remedies: [
      {
        say: "Set the registry for all of `thv` instead:",
        command: "thv config set-registry-url https://registry.example.com/servers.json",
      },
      { say: "For the Inspector, install Node with npm, which includes `npx`." },
    ],
    guide: API,
  },
  LIMIT_REACHED: {
    short: "too much at a time",
    what: "The supervisor already does as much of this as it allows at a time, so that it stays small. Nothing was started.",
    why: [
      "Many pages or programs follow events or logs at the same time.",
      "Many calls of tools wait for their servers.",
    ],
    remedies: [
      { say: "Close pages and programs that you do not need, then try again." },
      { say: "Calls end by themselves; see which servers are busy:", command: "thv list" },
    ],
    guide: API,
  },
  INTERRUPTED: {
    short: "the command was interrupted",
    what: "The command was interrupted before it was done. It rolled back what it had started, or that continues in the background; the message says which.",
    why: [
      "You pressed `Ctrl`+`C` or closed the terminal.",
      "You answered a prompt with no.",
      "A service manager stopped the command.",
    ],
    remedies: [
      { say: "You do not need to repair anything. See the current state:", command: "thv list --all" },
      { say: "Run the command again if you still need its result." },
    ],
    guide: ["guides-cli/manage-mcp-servers", "Manage MCP servers"],
  },
  INTERNAL: {
    short: "a bug in ToolHive",
    what: "An unexpected error occurred. This is a bug in ToolHive and not your mistake.",
    why: ["There is a bug. The details are in the supervisor's log, and in the output with `--debug`."],
    remedies: [
      { say: "Run the same command with `--debug`, and save the output:", command: "thv list --debug" },
      { say: "Collect information about the machine:", command: "thv doctor --format json" },
      { say: "Report both where you got the project from. Review them first: paths contain your user name." },
    ],
    guide: ["faq", "Frequently asked questions"],
  },
} as const satisfies ErrorEntries;
