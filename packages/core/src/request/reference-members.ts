/**
 * Members that newer versions of the reference send when they create or change a workload. Each is read as what it means here, or
 * refused with what to use in its place; a member without effect is ignored. Decision 0077.
 */
import { isRecord, quote } from "@toolhive/http/values";
import type { LocatedProblem } from "../support/located-problem.ts";

type Members = Readonly<Record<string, unknown>>;

interface ReferenceBody {
  readonly members: Record<string, unknown>;
  readonly problems: readonly LocatedProblem[];
}

/** Values that the reference writes for a member that nobody has set. */
function isUnset(value: unknown): boolean {
  if (value === null || value === undefined || value === "" || value === false) return true;
  return typeof value === "object" && Object.keys(value).length === 0;
}

/** What is refused where it is set, by path. */
const REFUSED: readonly (readonly [path: readonly string[], instead: string])[] = [
  [
    ["oidc", "client_secret"],
    "is not kept: use an issuer of JWTs, or name a file with its token as jwks_auth_token_file",
  ],
  [
    ["oidc", "introspection_url"],
    "is not used: allow_opaque_tokens has the issuer check tokens at the address in its discovery document",
  ],
  [["runtime_config", "additional_packages"], "are not installed: name an image that has them as base_image"],
  [
    ["permission_profile", "network", "inbound"],
    "is not used: only the proxy reaches the server, and allowed_hosts has the names by which clients may call it",
  ],
  [["permission_profile", "privileged"], "is not possible: no server gets the rights of its machine"],
  [
    ["allow_docker_gateway"],
    "is not possible: name the address of this machine in allow_host of the permission profile",
  ],
];

/** @param sent The body as it was sent. It stays as it is. */
export function readReferenceMembers(sent: Members): ReferenceBody {
  const members = withoutNull(sent);
  const problems: LocatedProblem[] = REFUSED.flatMap(([path, instead]) => {
    const value = take(members, path);
    return isEmptyDeep(value) ? [] : [{ path: [...path], sentence: `${path.join(".")} ${instead}` }];
  });
  readNetworkMode(members, problems);
  readRegistryServer(members, problems);
  const image = take(members, ["runtime_config", "builder_image"]);
  if (members.base_image === undefined && !isUnset(image)) members.base_image = image;
  for (const member of REMOTE) if (isEmptyDeep(members[member])) delete members[member];
  return { members, problems };
}

/** The reference writes them without a value for a server in a container. */
const REMOTE = ["url", "oauth_config", "header_forward"] as const;

/** `none` forbids the network, and the default of the engine is what every server has. */
function readNetworkMode(members: Record<string, unknown>, problems: LocatedProblem[]): void {
  const path = ["permission_profile", "network", "mode"];
  const mode = take(members, path);
  if (isUnset(mode) || mode === "bridge" || mode === "default") return;
  const profile = members.permission_profile;
  if (mode === "none" && isRecord(profile)) {
    profile.network = { outbound: { insecure_allow_all: false, allow_host: [], allow_port: [] } };
    return;
  }
  const sentence = `${path.join(".")} ${quote(String(mode), 60)} is not possible: the server has a network of its own, or none with "none"`;
  problems.push({ path, sentence });
}

/** An entry of the registry by two members, where it is the `image` here. */
function readRegistryServer(members: Record<string, unknown>, problems: LocatedProblem[]): void {
  const registry = take(members, ["registry"]);
  const server = take(members, ["server"]);
  if (isUnset(server)) return;
  if (!isUnset(registry) && registry !== "default") {
    const sentence = `registry ${quote(String(registry), 60)} does not exist: the only one is "default"`;
    problems.push({ path: ["registry"], sentence });
  }
  if (isUnset(members.image)) members.image = server;
}

/** Takes a member out. @returns Its value. */
function take(members: Record<string, unknown>, path: readonly string[]): unknown {
  const [last = "", ...above] = [...path].reverse();
  let holder: unknown = members;
  for (const name of above.reverse()) holder = isRecord(holder) ? holder[name] : undefined;
  if (!isRecord(holder) || !Object.hasOwn(holder, last)) return undefined;
  const value = holder[last];
  delete holder[last];
  return value;
}

/** Whether nothing is set in it: an object of empty lists says nothing. */
function isEmptyDeep(value: unknown): boolean {
  return isUnset(value) || (isRecord(value) && Object.values(value).every(isUnset));
}

/** Levels of objects in a request, more than its schema has: what is deeper stays for the schema to refuse. */
const MAX_LEVELS = 20;

/** A copy without members that are `null`. Lists stay: their elements have places. */
function withoutNull(value: Members, levels = MAX_LEVELS): Record<string, unknown> {
  const present = Object.entries(value).filter(([, member]) => member !== null);
  const copy = (member: unknown) => (isRecord(member) && levels > 1 ? withoutNull(member, levels - 1) : member);
  return Object.fromEntries(present.map(([name, member]) => [name, copy(member)]));
}
