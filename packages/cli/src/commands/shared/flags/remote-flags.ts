/** Flags that say how a remote server is reached: `thv run URL` and `thv proxy` have the same ones. Source: cli.md 3.2. */
import type { Flags } from "../../../command-line/flag.ts";

export const REMOTE_FLAGS = {
  "remote-auth": { kind: "bool", summary: "Sign in at the remote server even if it does not require it" },
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
    summary: "Resource of the tokens; by default the server's URL",
  },
  "remote-auth-client-id": { kind: "string", summary: "OAuth client ID; by default thv registers a client" },
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
    summary: "Header with the value of a secret, NAME: SECRET; may be repeated",
  },
} as const satisfies Flags;

interface HeaderInput {
  readonly remoteForwardHeaders: readonly string[];
  readonly remoteForwardHeadersSecret: readonly string[];
}

interface HeaderMembers {
  readonly header_forward?: {
    add_plaintext_headers?: Record<string, string>;
    add_headers_from_secret?: Record<string, string>;
  };
}

/** @param problems Gets a sentence for each that is none, without its value. */
export function readHeaderFlags(input: HeaderInput, problems: string[]): HeaderMembers {
  const plain = readHeaders(input.remoteForwardHeaders, "--remote-forward-headers", problems);
  const secret = readHeaders(input.remoteForwardHeadersSecret, "--remote-forward-headers-secret", problems);
  if (plain.length + secret.length === 0) return {};
  return {
    header_forward: {
      ...(plain.length > 0 && { add_plaintext_headers: Object.fromEntries(plain) }),
      ...(secret.length > 0 && { add_headers_from_secret: Object.fromEntries(secret) }),
    },
  };
}

/** The reference writes `=` where HTTP has a colon; no name of a header holds one of the two. */
function readHeaders(items: readonly string[], flag: string, problems: string[]): [name: string, value: string][] {
  return items.flatMap((item) => {
    const [, name, value] = /^([^:=]+)[:=]\s*(.+)$/s.exec(item) ?? [];
    // The value may be a secret that was put in the wrong place.
    if (name === undefined || value === undefined) problems.push(`${flag} must be "NAME: VALUE"`);
    return name === undefined || value === undefined ? [] : [[name.trim(), value] as [string, string]];
  });
}
