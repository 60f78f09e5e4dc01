/**
 * Where a secret may be found after a full run, and why. The secrets hunt searches everything and accepts no other place;
 * the threat model page shows the same list.
 */

/** What is hunted. */
export const SECRETS = {
  stored: "a secret of the secrets store that a server gets",
  variable: "a value of --env",
  password: "the password of the secrets store",
  bearer: "the token of a caller",
  argument: "an argument of a tool call under a secret's name",
  result: "what a tool returns",
  issuerToken: "the token in --jwks-auth-token-file",
  telemetryHeader: "a value of --otel-headers",
} as const;
export type SecretKind = keyof typeof SECRETS;

/** Where is searched. */
export const PLACES = {
  arguments: "the arguments of every process of thv",
  environment: "the environment of the processes of thv",
  inspect: "what the engine tells about the container",
  runConfig: "run configurations in the state folder, mode 0600",
  secretFiles: "files of the user that hold it already",
  files: "every other file in the home: logs, state, settings, the secrets store",
  exported: "what thv export prints",
  messages: "all other output, error texts and answers of the API",
  engineFiles: "every file of the engine, but for the content of images",
  audit: "the audit log, with the data of requests and answers",
  traces: "traces and metrics",
  server: "what the server itself answers",
} as const;
export type Place = keyof typeof PLACES;

export interface AllowedPlace {
  readonly secret: SecretKind;
  readonly place: Place;
  readonly why: string;
}

export const ALLOWED_PLACES: readonly AllowedPlace[] = [
  { secret: "stored", place: "server", why: "The server was given it; what it says is its own affair." },
  {
    secret: "stored",
    place: "inspect",
    why: "Engines keep a container's environment; whoever reaches the engine is root.",
  },
  {
    secret: "variable",
    place: "inspect",
    why: "Engines keep a container's environment; whoever reaches the engine is root.",
  },
  { secret: "variable", place: "runConfig", why: "It is kept to start the server again; --secret keeps only a name." },
  {
    secret: "variable",
    place: "exported",
    why: "The file says how to start the same server; use --secret for a name.",
  },
  { secret: "variable", place: "server", why: "The server was given it." },
  {
    secret: "stored",
    place: "engineFiles",
    why: "Engines keep a container's environment, in files of their own user.",
  },
  {
    secret: "variable",
    place: "engineFiles",
    why: "Engines keep a container's environment, in files of their own user.",
  },
  { secret: "result", place: "server", why: "It is what the caller asked for." },
  {
    secret: "password",
    place: "environment",
    why: "TOOLHIVE_SECRETS_PASSWORD, which only the user and root can read.",
  },
  {
    secret: "issuerToken",
    place: "secretFiles",
    why: "The file is the user's; it is read each time and never copied.",
  },
  { secret: "telemetryHeader", place: "runConfig", why: "It is kept to send telemetry after a restart; not exported." },
];
