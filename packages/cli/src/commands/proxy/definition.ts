/** `thv proxy`. Source: cli.md 3.2. */
import { type Command, type CommandDefinition, defineCommand } from "../../command-line/command.ts";
import { OIDC_FLAGS } from "../shared/flags/access-flags.ts";
import { REMOTE_FLAGS } from "../shared/flags/remote-flags.ts";

export const PROXY = {
  path: ["proxy"],
  summary: "Make a remote MCP server available on this machine",
  description:
    "Forwards calls to a running server, and stays in the foreground until Ctrl-C; thv run URL does the same in the background, and stores the sign-in. It can sign in at the server for its clients (OAuth 2.1 with PKCE): it finds the authorization server through the server's metadata, registers a client unless you specify one, and refreshes tokens, which it keeps in memory only. With the --oidc flags, it requires a token from its own clients.",
  positionals: [{ name: "SERVER_NAME", summary: "Name used in messages" }],
  flags: {
    "target-uri": {
      kind: "string",
      isRequired: true,
      summary:
        "URL of the server, http:// or https://; with a path, it is the MCP endpoint; without one, the proxy forwards the paths of clients",
    },
    host: { kind: "string", default: "127.0.0.1", summary: "Address the proxy listens on" },
    "allowed-host": {
      kind: "stringArray",
      summary: "Host name that clients may use for the proxy, besides those of this machine; may be repeated",
    },
    "allowed-origin": {
      kind: "stringArray",
      summary: "Origin of a web page that may call the proxy, such as http://localhost:5173; may be repeated",
    },
    port: { kind: "port", min: 0, summary: "Port the proxy listens on; a free one by default" },
    ...REMOTE_FLAGS,
    "remote-auth-scopes": {
      kind: "strings",
      default: "openid,profile,email",
      summary: "Scopes to request; by default those the server names, if any",
    },
    "remote-auth-timeout": {
      kind: "duration",
      default: "30s",
      summary: "How long to wait for the sign-in; 0 is five minutes",
    },
    "remote-auth-callback-port": {
      kind: "port",
      min: 0,
      default: 8666,
      summary: "Local port of the OAuth callback, /callback",
    },
    ...OIDC_FLAGS,
  },
  examples: [
    {
      summary: "Forward to a server that needs no sign-in",
      command: "thv proxy --target-uri http://127.0.0.1:8000 local-server",
    },
    {
      summary: "Sign in with the browser",
      command: "thv proxy --target-uri https://mcp.example.com --remote-auth example",
    },
    {
      summary: "Add a header with a stored key",
      command:
        "thv proxy --target-uri https://mcp.example.com/mcp --remote-forward-headers-secret 'X-API-Key: weather-key' example",
    },
    {
      summary: "Sign in with a registered client",
      command:
        "thv proxy --target-uri https://mcp.example.com --remote-auth-client-id thv --remote-auth-client-secret-file secret.txt example",
    },
  ],
} as const satisfies CommandDefinition;

export const PROXY_STDIO = {
  path: ["proxy", "stdio"],
  summary: "Connect a stdio client to a server",
  description:
    "For clients that start programs and use stdio: forwards their messages to the server's endpoint, and its answers back. If the server is down, the command waits up to a minute, connects again and repeats the client's handshake. It ends when its standard input closes. A request that was in progress when the server went down gets an error, and is not repeated.",
  positionals: [{ name: "SERVER", summary: "Name of a server, or the URL of any MCP endpoint", completes: "workload" }],
  flags: {},
  examples: [{ summary: "The command for a client that only speaks stdio", command: "thv proxy stdio everything" }],
} as const satisfies CommandDefinition;

export const PROXY_COMMANDS: readonly Command[] = [
  defineCommand(PROXY, async () => (await import("./proxy.ts")).proxy),
  defineCommand(PROXY_STDIO, async () => (await import("./stdio.ts")).proxyStdio),
];
