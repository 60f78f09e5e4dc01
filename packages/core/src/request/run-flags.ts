/** A create request as words of `thv run`. Nothing here needs Node.js. */

import type { CreateRequest } from "../workload/create-request-schema.ts";
import { findMemberNames, formatMember, sortMembers } from "./request-members.ts";

type Writers = {
  readonly [Member in keyof CreateRequest]?: (value: NonNullable<CreateRequest[Member]>) => readonly string[];
};

const NONE = () => [];
/** Absent and 0 mean the same. */
const writePort = (flag: string) => (port: number) => (port === 0 ? [] : [flag, String(port)]);

/** Members of which a flag has another form. Any other text or number is the flag's value, and each item of a list. */
const WRITERS: Writers = {
  cmd_arguments: NONE,
  // What a file holds is for the caller.
  permission_profile: NONE,
  tools_override: NONE,
  proxy_port: writePort("--proxy-port"),
  target_port: writePort("--target-port"),
  secrets: (secrets) => secrets.flatMap(({ name, target }) => ["--secret", `${name},target=${target}`]),
  labels: (labels) => Object.entries(labels).flatMap(([key, value]) => ["--label", `${key}=${value}`]),
  header_forward: ({ add_plaintext_headers = {}, add_headers_from_secret = {} }) => [
    ...listHeaders("--remote-forward-headers", add_plaintext_headers),
    ...listHeaders("--remote-forward-headers-secret", add_headers_from_secret),
  ],
  oauth_config: ({ client_secret, bearer_token, scopes, ...plain }) => [
    ...listWords(["oauth_config"], plain),
    // Their values come from standard input.
    ...(client_secret ? ["--remote-auth-client-secret-file", "-"] : []),
    ...(bearer_token ? ["--remote-auth-bearer-token-file", "-"] : []),
    ...listWords(["oauth_config", "scopes"], scopes),
  ],
};

/** @returns The flags with their values, without the target and its arguments. */
export function toRunFlags(request: CreateRequest): string[] {
  return sortMembers(Object.keys(request)).flatMap((member) => {
    const value = request[member as keyof CreateRequest];
    const write = WRITERS[member as keyof CreateRequest] as ((value: unknown) => readonly string[]) | undefined;
    if (value === undefined) return [];
    return write === undefined ? listWords([member], value) : write(value);
  });
}

function listWords(path: readonly string[], value: unknown): string[] {
  if (value === undefined || value === false || value === "") return [];
  if (Array.isArray(value)) return value.flatMap((item) => listWords(path, item));
  if (typeof value === "object" && value !== null)
    return Object.entries(value).flatMap(([name, member]) => listWords([...path, name], member));
  const { flag } = findMemberNames(path);
  if (flag === undefined) return [];
  return value === true ? [flag] : [flag, formatMember(path, value)];
}

function listHeaders(flag: string, headers: Readonly<Record<string, string>>): string[] {
  return Object.entries(headers).flatMap(([name, value]) => [flag, `${name}: ${value}`]);
}
