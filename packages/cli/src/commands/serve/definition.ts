/** `thv serve`. Source: cli.md 3.1. */
import { type Command, type CommandDefinition, defineCommand } from "../../command-line/command.ts";

export const SERVE = {
  path: ["serve"],
  summary: "Start the supervisor and its API server in the foreground",
  description:
    "Serves the local API for scripts and graphical interfaces, described by an OpenAPI document at /api/openapi.json, and takes over the servers of a background supervisor. Ctrl-C stops the servers; the next start restarts them. With an OIDC issuer or its keys, every request over the port needs a bearer token, except for /health; thv itself uses a private UNIX socket and needs none.",
  positionals: [],
  flags: {
    host: { kind: "string", default: "127.0.0.1", summary: "Address the API listens on" },
    port: { kind: "port", min: 0, default: 8080, summary: "Port the API listens on" },
    socket: {
      kind: "path",
      summary: "UNIX socket or named pipe to listen on, instead of the port",
    },
    "allowed-origin": {
      kind: "stringArray",
      summary:
        "Origin of a web page that may call the API and the servers, such as http://localhost:5173; null for a page from a file, which may call the API only",
    },
    openapi: { kind: "bool", summary: "Also serve the OpenAPI document as a page at /api/doc" },
    "oidc-issuer": {
      kind: "string",
      summary: "OIDC issuer whose tokens the API requires, https://…; its keys are found through discovery",
    },
    "oidc-audience": { kind: "string", summary: "Audience that tokens must have; any by default" },
    "oidc-jwks-url": {
      kind: "string",
      summary: "URL of the issuer's keys (JWKS), instead of the one in its discovery document",
    },
    "oidc-client-id": { kind: "string", summary: "Client ID at the issuer; tokens are not checked against it" },
    "oidc-skip-opaque-token-validation": {
      kind: "bool",
      summary: "Accepted for compatibility, without effect: the API refuses opaque tokens",
    },
    background: {
      kind: "bool",
      summary: "Serve the private socket only, and exit when idle",
      hidden: true,
    },
  },
  examples: [
    { summary: "Serve the API on another port", command: "thv serve --port 8081" },
    {
      summary: "Serve only programs of this user, and no web page",
      command: "thv serve --socket $XDG_RUNTIME_DIR/toolhive.sock",
    },
    {
      summary: "Let a web interface in development call the API",
      command: "thv serve --allowed-origin http://localhost:5173",
    },
    {
      summary: "Require a token from every caller",
      command: "thv serve --oidc-issuer https://login.example.com --oidc-audience toolhive",
    },
  ],
} as const satisfies CommandDefinition;

export const SERVE_COMMAND: Command = defineCommand(SERVE, async () => (await import("./serve.ts")).serve);
