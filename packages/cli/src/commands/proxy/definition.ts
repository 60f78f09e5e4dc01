/** `thv proxy`. Source: cli.md 3.2. */
import { type Command, type CommandDefinition, defineCommand } from "../../command-line/command.ts";
import { OIDC_FLAGS } from "../shared/access-flags.ts";

export const PROXY = {
  path: ["proxy"],
  summary: "Offer an MCP server from elsewhere on this machine",
  description:
    "Forwards everything to a server that runs already, and stays in the foreground until Ctrl-C. It can sign in at the server for its clients (OAuth 2.1 with PKCE): whom to ask is found through the server's own metadata or given, a client is registered when none is given, and tokens are renewed; they are kept in memory only. It can also ask its own clients for a token, with the --oidc flags.",
  positionals: [{ name: "SERVER_NAME", summary: "What to call it in messages" }],
  flags: {
    "target-uri": {
      kind: "string",
      isRequired: true,
      summary: "Address of the server, http:// or https://, without a path: clients' paths are handed on",
    },
    host: { kind: "string", default: "127.0.0.1", summary: "Address the proxy listens on" },
    "allowed-host": {
      kind: "stringArray",
      summary: "Name by which clients may call the proxy, besides those of this machine; may be repeated",
    },
    port: { kind: "port", min: 0, summary: "Port the proxy listens on; a free one when absent" },
    "remote-auth": { kind: "bool", summary: "Sign in at the server, also when it does not ask for it" },
    "remote-auth-issuer": {
      kind: "string",
      summary: "Authorization server to sign in at; when absent, the one that the server names",
    },
    "remote-auth-client-id": { kind: "string", summary: "Client id there; when absent, a client is registered" },
    "remote-auth-client-secret": {
      kind: "string",
      summary:
        "Client secret; other programs can see it here, so prefer --remote-auth-client-secret-file or the variable TOOLHIVE_REMOTE_OAUTH_CLIENT_SECRET",
    },
    "remote-auth-client-secret-file": {
      kind: "path",
      mayBeStdin: true,
      summary: "File that holds the client secret",
    },
    "remote-auth-scopes": {
      kind: "strings",
      default: "openid,profile,email",
      summary: "Scopes to ask for; when absent, those that the server names, if it names any",
    },
    "remote-auth-skip-browser": { kind: "bool", summary: "Print the address to sign in at, and open no browser" },
    "remote-auth-timeout": {
      kind: "duration",
      default: "30s",
      summary: "How long to wait until somebody has signed in; 0 is five minutes",
    },
    "remote-auth-callback-port": {
      kind: "port",
      min: 0,
      default: 8666,
      summary: "Port of this machine on which the browser comes back, at /callback",
    },
    ...OIDC_FLAGS,
  },
  examples: [
    {
      summary: "Forward to a server without a password",
      command: "thv proxy --target-uri http://127.0.0.1:8000 local-server",
    },
    {
      summary: "Sign in where the server says, in the browser",
      command: "thv proxy --target-uri https://mcp.example.com --remote-auth example",
    },
    {
      summary: "Sign in with a client that was registered before",
      command:
        "thv proxy --target-uri https://mcp.example.com --remote-auth-client-id thv --remote-auth-client-secret-file secret.txt example",
    },
  ],
} as const satisfies CommandDefinition;

export const PROXY_COMMAND: Command = defineCommand(PROXY, async () => (await import("./proxy.ts")).proxy);
