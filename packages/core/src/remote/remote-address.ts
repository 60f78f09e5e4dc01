/** The address of a remote server: which are accepted, and how one is shown. */
import { isLoopback } from "@toolhive/http";
import { quote } from "@toolhive/http/values";
import { ThvError } from "../support/errors.ts";
import { addProblems, type LocatedProblem, type NameMember, nameInWords } from "../support/located-problem.ts";
import { isRemoteTarget } from "../target/target.ts";
import { listRemoteSecrets, MAX_FORWARDED_HEADERS, type RemoteMembers } from "./remote-schema.ts";

/** Characters of an address. */
const MAX_LENGTH = 2_048;
const SHOWN_LENGTH = 100;
/** Bytes of one header that is added. */
const MAX_HEADER_BYTES = 8 * 1_024;
const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}$/;
const HEADER_VALUE = /^[\t\x20-\x7e]*$/;
/** The proxy sets these itself, or they belong to one connection or to MCP's own exchange. */
const RESERVED_HEADERS =
  /^(?:host|connection|content-.*|transfer-encoding|te|trailer|upgrade|keep-alive|proxy-.*|cookie|origin|accept|last-event-id|mcp-.*|x-forwarded-.*|forwarded)$/i;

/** @throws {ThvError} `INVALID_ARGUMENT`. */
export function parseRemoteAddress(text: string, members: RemoteMembers): URL {
  const problems = listRemoteProblems(text, members);
  const [problem] = problems;
  if (problem !== undefined) throw new ThvError("INVALID_ARGUMENT", problem.sentence, { problems: [problem] });
  return new URL(text);
}

/** The address as it may be shown and logged: the text after the question mark may be a key. */
export function formatRemoteAddress(address: string | URL): string {
  const { origin, pathname, search } = new URL(address);
  return `${origin}${pathname === "/" ? "" : pathname}${search === "" ? "" : "?…"}`;
}

/**
 * The problems of an address and the headers for it. The paths are those of a request with that address as its `url`; `name` is
 * their name in the sentences.
 */
export function listRemoteProblems(
  address: string,
  members: RemoteMembers,
  name: NameMember = nameInWords,
): LocatedProblem[] {
  const problems: LocatedProblem[] = [];
  addProblems(problems, ["url"], listAddressProblems(address, members, name));
  problems.push(...listHeaderProblems(members, name(["header_forward"], "header_forward")));
  return problems;
}

function listAddressProblems(address: string, members: RemoteMembers, name: NameMember): string[] {
  const shown = address.slice(0, SHOWN_LENGTH);
  const what = name(["url"], "url");
  if (address.length > MAX_LENGTH) return [`${what} "${shown}…" is longer than ${MAX_LENGTH} characters`];
  if (!isRemoteTarget(address) || !URL.canParse(address))
    return [`${what} "${shown}" is not an address that begins with https:// or http://`];
  const url = new URL(address);
  const place = formatRemoteAddress(url);
  const problems: string[] = [];
  if (url.username !== "" || url.password !== "")
    problems.push(
      `${what} of ${url.host} holds a password, which would be kept in clear: forward it as a header from a secret`,
    );
  if (url.hash !== "") problems.push(`${what} "${place}" has a fragment, which no server sees`);
  if (url.protocol === "http:" && !isLoopback(url.hostname)) {
    const secrets = listRemoteSecrets(members);
    const allow = name(["allow_insecure_http"], "allow_insecure_http");
    if (members.allow_insecure_http !== true)
      problems.push(
        `${what} "${place}" begins with http://, and is not of this machine: everybody on the way could read and change what is said. Use https://, or allow it with ${allow}`,
      );
    else if (secrets.length > 0 || members.oauth_config?.required)
      problems.push(
        `${what} "${place}" begins with http://, and no secret is sent that way: ${secrets.map(({ target }) => target).join(", ") || "a token"} needs https://`,
      );
  }
  return problems;
}

/** @param what They are called. */
function listHeaderProblems({ header_forward: headers = {} }: RemoteMembers, what: string): LocatedProblem[] {
  const plain = Object.entries(headers.add_plaintext_headers ?? {});
  const secret = Object.keys(headers.add_headers_from_secret ?? {});
  const all = [
    ...plain.map(([name]) => ({ name, owner: "add_plaintext_headers" })),
    ...secret.map((name) => ({ name, owner: "add_headers_from_secret" })),
  ];
  const problems: LocatedProblem[] = [];
  const add = (path: readonly string[], rest: string) =>
    problems.push({ path: ["header_forward", ...path], sentence: `${what} has ${rest}` });
  if (all.length > MAX_FORWARDED_HEADERS) add([], `${all.length} headers, and may have ${MAX_FORWARDED_HEADERS}`);
  const seen = new Set<string>();
  for (const { name, owner } of all.slice(0, MAX_FORWARDED_HEADERS)) {
    const shown = quote(name, SHOWN_LENGTH);
    if (!HEADER_NAME.test(name)) add([owner, name], `the name ${shown}, which no header can have`);
    else if (RESERVED_HEADERS.test(name)) add([owner, name], `${shown}, which the proxy sets itself`);
    if (seen.has(name.toLowerCase())) add([owner, name], `${shown} twice`);
    seen.add(name.toLowerCase());
  }
  for (const [name, value] of plain) {
    const path = ["add_plaintext_headers", name];
    // The value may be a secret that was put in the wrong place: it is not repeated.
    if (!isHeaderValue(value)) add(path, `a value of ${quote(name, SHOWN_LENGTH)} that no header can have`);
    if (name.toLowerCase() === "authorization")
      add(path, "Authorization with its value in clear: take it from a secret");
  }
  return problems;
}

/** Whether a text can be sent as the value of a header. */
export function isHeaderValue(value: string): boolean {
  return HEADER_VALUE.test(value) && Buffer.byteLength(value) <= MAX_HEADER_BYTES;
}
