/** The flags of `thv run` whose values are members of a create request as they are: which member, its name says. */
import { findMemberPath } from "@toolhive/core/request-members";
import { toCamelCase } from "../../command-line/input.ts";
import { RUN, type RunInput } from "./definition.ts";
import type { RequestBody } from "./request-body.ts";

/** Flags that are read elsewhere, because their values become something else or say how the command works. */
const OTHERS: readonly (readonly (keyof typeof RUN.flags)[])[] = [
  ["allowed-host", "env", "env-file", "env-from", "label", "permission-profile", "port", "proxy-port", "secret"],
  ["sleep-after", "tools", "tools-override", "volume", "remote-forward-headers", "remote-forward-headers-secret"],
  ["remote-auth-client-secret", "remote-auth-client-secret-file", "remote-auth-bearer-token"],
  ["remote-auth-bearer-token-file", "remote-auth-timeout"],
  ["dry-run", "foreground", "format", "from-config", "yes"],
];
const READ_ELSEWHERE: ReadonlySet<string> = new Set(OTHERS.flat());

/** @returns A member for each flag that was given. */
export function readPlainFlags(input: RunInput, { keepsFalse = false } = {}): Partial<RequestBody> {
  const body: Record<string, unknown> = {};
  for (const [flag, { kind }] of Object.entries(RUN.flags)) {
    const property = toCamelCase(flag) as Parameters<RunInput["isGiven"]>[0];
    if (READ_ELSEWHERE.has(flag) || !input.isGiven(property)) continue;
    const value = input[property];
    const [member = "", inner] = findMemberPath(`--${flag}`);
    // A variable of a script that is not set is no path and no address.
    if ((value === false && !keepsFalse) || (value === "" && (kind === "path" || inner !== undefined))) continue;
    if (Array.isArray(value) && value.length === 0) continue;
    body[member] = inner === undefined ? value : { ...(body[member] as object | undefined), [inner]: value };
  }
  return body as Partial<RequestBody>;
}
