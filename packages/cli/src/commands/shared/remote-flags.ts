/** Flags that say how a remote server is reached: `thv run URL` and `thv proxy` have the same ones. Source: cli.md 3.2. */
import type { Flags } from "../../command-line/flag.ts";

export const REMOTE_FLAGS = {
  "remote-auth": { kind: "bool", summary: "Sign in at the remote server even when it does not ask for it" },
  "remote-auth-issuer": {
    kind: "string",
    summary: "Authorization server to sign in at; by default the one the server names",
  },
  "remote-auth-authorize-url": {
    kind: "string",
    summary: "Where people sign in, for an authorization server without metadata",
  },
  "remote-auth-token-url": {
    kind: "string",
    summary: "Where tokens are issued, for an authorization server without metadata",
  },
  "remote-auth-resource": {
    kind: "string",
    summary: "Resource that tokens are asked for; by default the server's address",
  },
  "remote-auth-client-id": { kind: "string", summary: "OAuth client ID; by default a client is registered" },
  "remote-auth-client-secret": {
    kind: "string",
    summary:
      "OAuth client secret; other programs can see it here, so prefer --remote-auth-client-secret-file or the variable TOOLHIVE_REMOTE_OAUTH_CLIENT_SECRET",
  },
  "remote-auth-client-secret-file": {
    kind: "path",
    mayBeStdin: true,
    summary: "File that holds the client secret",
  },
  "remote-auth-bearer-token": {
    kind: "string",
    summary:
      "Token to send in place of a sign-in; other programs can see it here, so prefer --remote-auth-bearer-token-file",
  },
  "remote-auth-bearer-token-file": {
    kind: "path",
    mayBeStdin: true,
    summary: "File that holds the token to send in place of a sign-in",
  },
  "remote-auth-skip-browser": { kind: "bool", summary: "Print the sign-in URL instead of opening a browser" },
  "remote-forward-headers": {
    kind: "stringArray",
    summary: "Header to add to each request to the remote server: NAME: VALUE; may be repeated",
  },
  "remote-forward-headers-secret": {
    kind: "stringArray",
    summary: "The same with the value of a secret, by the secret's name: NAME: SECRET; may be repeated",
  },
} as const satisfies Flags;
