/** Errors of a command line, a request and the program itself. */
import type { ErrorEntries } from "./error-entry.ts";

const RUN = ["guides-cli/run-mcp-servers", "Run MCP servers"] as const;
const API = ["guides-cli/api-server", "Use the API server"] as const;
const ACCESS = ["guides-cli/control-access", "Control who may call a server"] as const;

export const CALLS = {
  INVALID_ARGUMENT: {
    short: "a value is not accepted",
    what: "A value in the command or in the request is not what is expected there. Nothing was changed.",
    why: [
      "A value has the wrong form: a port beyond 65535, a path that is relative where it has to be absolute, a word where a number belongs.",
      "A file that an option names cannot be read, or holds something else.",
      "Two values exclude each other, or one of them asks for another that is missing.",
    ],
    remedies: [
      { say: "Correct what the message names. When there are several problems, it names all of them." },
      { say: "Look up the form of the value in the command's help:", command: "thv run --help" },
    ],
    guide: RUN,
  },
  USAGE: {
    short: "the command line is wrong",
    what: "The words after `thv` were not understood, so nothing was done.",
    why: [
      "An option or a command is misspelled.",
      "An argument is missing, or there is one too many.",
      "Options of the MCP server stand among those of `thv`, without `--` before them.",
    ],
    remedies: [
      { say: "Compare with the command's help, which is short and ends with examples:", command: "thv run --help" },
      {
        say: "Put what belongs to the server behind `--`:",
        command: "thv run mcp/filesystem:latest -- /projects",
      },
    ],
    guide: RUN,
  },
  UNAUTHENTICATED: {
    short: "no valid token",
    what: "The API or an MCP server asks who is calling, and the answer was missing or was not accepted.",
    why: [
      "The API or the server was started with `--oidc-issuer`, and the request has no token.",
      "The token is of another issuer, for another audience, or has ended.",
      "A remote server asks for a sign-in that nobody finished in time.",
    ],
    remedies: [
      { say: "Get a new token from the issuer, and send it in the header `Authorization: Bearer <TOKEN>`." },
      { say: "Read the header `WWW-Authenticate` of the answer: it says what is wrong with the token." },
      {
        say: "For a remote server, let `thv` sign in and give your client the local address:",
        command: "thv proxy --target-uri https://mcp.example.com --remote-auth team",
      },
    ],
    guide: ACCESS,
  },
  ISSUER_UNAVAILABLE: {
    short: "the issuer does not answer",
    what: "The discovery document or the keys of the OpenID Connect issuer cannot be read, so no token can be checked. The server was not started.",
    why: [
      "The address has a typing mistake, or belongs to another realm or tenant.",
      "The issuer is down, or a firewall is in between.",
      "The issuer's certificate is signed by an authority that this machine does not trust.",
    ],
    remedies: [
      {
        say: "Ask the issuer yourself. This has to print JSON with a `jwks_uri`:",
        command: "curl https://login.example.com/.well-known/openid-configuration",
      },
      {
        say: "For a certificate of your own, add `--thv-ca-bundle`; for a private address, `--jwks-allow-private-ip`.",
      },
    ],
    guide: ACCESS,
  },
  NOT_SUPPORTED: {
    short: "not offered here",
    what: "The operation is part of the contract, so that existing programs find it, and this version does not offer it.",
    why: [
      "A program adds a second registry over the API. There is one, which the settings choose.",
      "The MCP Inspector is asked for, and `npx` is not there to start it.",
    ],
    remedies: [
      {
        say: "Choose the registry for the whole tool instead:",
        command: "thv config set-registry-url https://registry.example.com/servers.json",
      },
      { say: "For the inspector, install Node with npm, which brings `npx`." },
    ],
    guide: API,
  },
  INTERRUPTED: {
    short: "you ended it",
    what: "The command was asked to end before it was done. What was half-made was taken back, or goes on in the background; the message says which.",
    why: [
      "`Ctrl`+`C` was pressed, or the terminal was closed.",
      "A question was answered with no.",
      "A service manager ended the command.",
    ],
    remedies: [
      { say: "Nothing has to be repaired. See what there is:", command: "thv list --all" },
      { say: "Run the command again when you want its result." },
    ],
    guide: ["guides-cli/manage-mcp-servers", "Manage MCP servers"],
  },
  INTERNAL: {
    short: "a defect in ToolHive",
    what: "Something happened that the program does not know how to handle. It is our mistake, not yours.",
    why: ["A defect. The detail is in the log of the supervisor, and in the output with `--debug`."],
    remedies: [
      { say: "Run the same command with `--debug`, and keep what it prints:", command: "thv list --debug" },
      { say: "Collect what describes the machine:", command: "thv doctor --format json" },
      { say: "Report both where you got the project from. Look through them first: paths hold your user name." },
    ],
    guide: ["faq", "Frequently asked questions"],
  },
} as const satisfies ErrorEntries;
