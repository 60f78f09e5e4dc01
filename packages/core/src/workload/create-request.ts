/** Turns a create request into a run configuration without its port, checking everything that needs no engine. */
import { randomInt } from "node:crypto";
import { isIPv6 } from "node:net";
import { isLoopback, normalizeHost } from "@toolhive/http";
import { quote } from "@toolhive/http/values";
import type { AccessConfig } from "../access/access-config.ts";
import { listToolProblems } from "../access/tool-selection.ts";
import { parseImageReference } from "../images/image-reference.ts";
import { resolveProfile } from "../permissions/permission-profile.ts";
import { listRemoteProblems } from "../remote/remote-address.ts";
import { formatSecretReference, listReferenceProblems } from "../secrets/secret-reference.ts";
import { ThvError } from "../support/errors.ts";
import {
  addProblems,
  type LocatedProblem,
  listSentences,
  moveProblems,
  type NameMember,
  nameInWords,
} from "../support/located-problem.ts";
import { guessRemoteTransport, isRemoteTarget } from "../target/target.ts";
import { readAllowedHosts } from "./allowed-hosts.ts";
import {
  type CreateRequest,
  KEPT_MEMBERS,
  PROXY_MODES,
  SHARED_MEMBERS,
  TRANSPORT_TYPES,
} from "./create-request-schema.ts";
import { readGrants } from "./mounts.ts";
import { listLimitProblems } from "./resource-limits.ts";
import type { RunConfig } from "./run-config.ts";
import { findLabelProblem } from "./user-labels.ts";
import { assertWorkloadName, findNameProblem, generateWorkloadName } from "./workload-name.ts";

/** Range of the port on which a server listens in its container, when the request names none. */
const FIRST_TARGET_PORT = 10_000;
const LAST_TARGET_PORT = 65_534;
/** Characters of a name that are repeated. */
const SHOWN_LENGTH = 60;
/** The last that engines accept. */
const LAST_USER_ID = 2_147_483_647;
const CONTROL_CHARACTER = /\p{Cc}/u;

/** A request as it is known what runs: for a package, `image` is the one that is built of `package_target`. */
export type ResolvedRequest = CreateRequest & {
  readonly package_target?: string;
  readonly registry_source?: RunConfig["registry_source"];
};

/** @throws {ThvError} `INVALID_ARGUMENT` with everything that is wrong, for words that nothing else can be made of. */
export function assertKnownWords(request: CreateRequest): void {
  if (listWordProblems(request, nameInWords).length > 0) throw createRequestError(listRequestProblems(request));
}

export function createRequestError(problems: readonly LocatedProblem[]): ThvError {
  return new ThvError("INVALID_ARGUMENT", listSentences(problems).join("; "), { problems });
}

/**
 * @param request Those of its members that have the right form.
 * @param name What its members are called.
 * @returns Everything that is wrong, each with its path; none for a request that can be carried out.
 */
export function listRequestProblems(request: Partial<CreateRequest>, name: NameMember = nameInWords): LocatedProblem[] {
  const problems = [...listWordProblems(request, name), ...listEndpointProblems(request, name)];
  const { allowed_hosts = [], env_vars = [], secrets = [], labels = {}, limits = {}, user } = request;
  const hosts: string[] = [];
  readAllowedHosts(allowed_hosts, hosts);
  addProblems(problems, ["allowed_hosts"], hosts);
  for (const [index, item] of env_vars.entries())
    addProblems(problems, ["env_vars", String(index)], [findVariableProblem(item, name)]);
  problems.push(...moveProblems(listReferenceProblems(secrets, name), "secrets"));
  for (const [key, value] of Object.entries(labels))
    addProblems(problems, ["labels", key], [findLabelProblem(key, value)]);
  problems.push(...moveProblems(listLimitProblems(limits, name), "limits"));
  if (user !== undefined && !isUser(user))
    addProblems(
      problems,
      ["user"],
      [
        `${name(["user"], "user")} ${quote(user, SHOWN_LENGTH)} is not UID or UID:GID, numbers from 0 to ${LAST_USER_ID}`,
      ],
    );
  readGrants(collectGrants(request), process.cwd(), problems);
  return [...problems, ...listToolProblems(request), ...listPlaceProblems(request, name)];
}

/** What is wrong with its name, and with the addresses and ports of its proxy and its server. */
function listEndpointProblems(request: Partial<CreateRequest>, name: NameMember): LocatedProblem[] {
  const problems: LocatedProblem[] = [];
  const add = (member: keyof CreateRequest, words: string, rest: string) =>
    addProblems(problems, [member], [`${name([member], words)} ${rest}`]);
  const { target_port, target_host, host, proxy_port, transport } = request;
  const nameProblem = request.name ? findNameProblem(request.name) : undefined;
  if (nameProblem) add("name", "name", `${quote(request.name ?? "", SHOWN_LENGTH)}: ${nameProblem}`);
  if (findWord(TRANSPORT_TYPES, transport) === "inspector")
    add("transport", "transport", '"inspector" cannot be run: use stdio, sse or streamable-http');
  if (!isPortOrNone(target_port)) add("target_port", "target port", `${target_port} is not between 1 and 65535`);
  if (target_host && !isOwnAddress(target_host))
    add(
      "target_host",
      "target host",
      `"${target_host}" is not a loopback address: a server's own port is never offered to others`,
    );
  if (host && !isListenable(host)) add("host", "host", `"${host}" is neither an IPv4 nor an IPv6 address`);
  if (!isPortOrNone(proxy_port)) add("proxy_port", "proxy port", `${proxy_port} is not between 1 and 65535`);
  return problems;
}

/** What says something of a container. */
const CONTAINER_MEMBERS = [
  ...(["target_port", "target_host", "cmd_arguments", "env_vars", "secrets", "volumes", "permission_profile"] as const),
  ...(["network_isolation", "user", "limits", "pull_policy", "provenance", "ca_certificate", "image_digest"] as const),
  ...(Object.keys(SHARED_MEMBERS) as (keyof typeof SHARED_MEMBERS)[]),
] satisfies readonly (keyof CreateRequest)[];

/** What fits only a server in a container, or only one that is elsewhere. */
function listPlaceProblems(request: Partial<CreateRequest>, name: NameMember): LocatedProblem[] {
  const { image = "", url } = request;
  const call = (member: keyof CreateRequest) => name([member], member);
  if (!isRemoteTarget(image)) {
    const remote = (["url", "oauth_config", "header_forward", "allow_insecure_http"] as const).filter(
      (member) => isSaid(request[member]) && image !== "",
    );
    return remote.map((member) => ({
      path: [member],
      sentence: `${call(member)} is for a remote server, and image is not the address of one`,
    }));
  }
  const problems: LocatedProblem[] = CONTAINER_MEMBERS.filter((member) => isSaid(request[member])).map((member) => ({
    path: [member],
    sentence: `${call(member)} is for a server in a container, and this one runs elsewhere`,
  }));
  if (url !== undefined && url !== image)
    addProblems(problems, ["url"], [`${call("url")} and image are two different addresses`]);
  if (findWord(TRANSPORT_TYPES, request.transport) === "stdio")
    addProblems(
      problems,
      ["transport"],
      [`${call("transport")} "stdio" is for a server in a container: a remote one speaks streamable-http or sse`],
    );
  return [...problems, ...listRemoteProblems(image, request, name)];
}

/** Desktop applications send empty lists where the user chose nothing. */
function isSaid(value: unknown): boolean {
  if (typeof value === "object" && value !== null) return Object.keys(value).length > 0;
  return value !== undefined && value !== "" && value !== 0 && value !== false;
}

function listWordProblems({ transport, proxy_mode }: Partial<CreateRequest>, name: NameMember): LocatedProblem[] {
  const unknown = (member: keyof CreateRequest, values: readonly string[], value: string | undefined) =>
    value && findWord(values, value) === undefined
      ? [
          {
            path: [member],
            sentence: `${name([member], member)} ${quote(value, 100)} is not one of ${values.join(", ")}`,
          },
        ]
      : [];
  return [...unknown("transport", TRANSPORT_TYPES, transport), ...unknown("proxy_mode", PROXY_MODES, proxy_mode)];
}

/** The reference accepts the values in upper case too. */
function findWord<T extends string>(values: readonly T[], value: string | undefined): T | undefined {
  return values.find((candidate) => candidate === value?.toLowerCase());
}

function collectGrants({ permission_profile, volumes }: Partial<CreateRequest>): Parameters<typeof readGrants>[0] {
  return { permissionProfile: permission_profile && resolveProfile(permission_profile), volumes };
}

/** @throws {ThvError} `INVALID_WORKLOAD_NAME` when that is all, or `INVALID_ARGUMENT` with every problem in its message. */
export function draftRunConfig(
  request: ResolvedRequest,
  now: Date,
  access: AccessConfig = {},
): Omit<RunConfig, "port"> {
  const isRemote = isRemoteTarget(request.image);
  if (!isRemote) parseImageReference(request.image);
  const problems = listRequestProblems(request);
  const { package_target, registry_source, ca_certificate, target_port, secrets = [] } = request;
  if (request.pull_policy !== undefined && package_target !== undefined)
    addProblems(
      problems,
      ["pull_policy"],
      ["a pull policy is for images: a package is installed once, and again by thv restart NAME --pull"],
    );
  if (request.image_digest !== undefined && package_target !== undefined)
    addProblems(problems, ["image_digest"], ["an image digest is for images: that of a package is built here"]);
  for (const member of ["base_image", "with"] as const)
    if (isSaid(request[member]) && package_target === undefined)
      addProblems(
        problems,
        [member],
        [`${member} is for servers given as npx://, uvx:// or go://: other images are not built here`],
      );
  if (ca_certificate && package_target === undefined)
    addProblems(
      problems,
      ["ca_certificate"],
      ["a CA certificate is for servers given as npx://, uvx:// or go://: other images are not built here"],
    );
  const name = request.name || generateWorkloadName(package_target ?? request.image);
  if (problems.length <= 1) assertWorkloadName(name);
  if (problems.length > 0) throw createRequestError(problems);
  const transport =
    findWord(TRANSPORT_TYPES, request.transport) ?? (isRemote ? guessRemoteTransport(request.image) : "stdio");
  const isReached = transport !== "stdio" && !isRemote;
  const targetHost = request.target_host === "localhost" ? "127.0.0.1" : request.target_host || undefined;
  const env = parseEnvVars(request.env_vars ?? []);
  const labels = Object.entries(request.labels ?? {});
  const grants = readGrants(collectGrants(request), process.cwd(), problems);
  const allowedHosts = readAllowedHosts(request.allowed_hosts, []);
  return {
    name,
    container_name: name,
    base_name: name,
    image: isRemote ? "" : request.image,
    ...(isRemote && { remote_url: request.image }),
    ...(package_target !== undefined && { package_target }),
    ...(registry_source && { registry_source }),
    ...(ca_certificate && { ca_certificate }),
    cmd_args: [...(request.cmd_arguments ?? [])],
    transport,
    proxy_mode: findWord(PROXY_MODES, request.proxy_mode) ?? "streamable-http",
    ...(isReached && { target_port: target_port || randomInt(FIRST_TARGET_PORT, LAST_TARGET_PORT + 1) }),
    ...(isReached && targetHost !== undefined && { target_host: targetHost }),
    host: normalizeHost(request.host || "127.0.0.1"),
    ...(allowedHosts.length > 0 && { allowed_hosts: allowedHosts }),
    env_vars: env,
    ...(secrets.length > 0 && { secrets: secrets.map(formatSecretReference) }),
    ...(labels.length > 0 && { container_labels: Object.fromEntries(labels) }),
    ...pickKept(request),
    ...(grants.permissionProfile && { permission_profile: grants.permissionProfile }),
    ...(grants.volumes.length > 0 && { volumes: [...grants.volumes] }),
    ...(request.network_isolation && { isolate_network: true }),
    ...access,
    desired_state: "running",
    created_at: now.toISOString(),
  };
}

/** Desktop applications send them empty. */
const MAY_BE_EMPTY: ReadonlySet<string> = new Set(["tools", "tools_override", "with", "base_image"]);

/** Keeps only the members of the request, so that better defaults reach old workloads. */
function pickKept(request: CreateRequest): Pick<CreateRequest, keyof typeof KEPT_MEMBERS> {
  const { limits = {} } = request;
  const names = Object.keys(KEPT_MEMBERS) as (keyof typeof KEPT_MEMBERS)[];
  const isKept = (name: keyof typeof KEPT_MEMBERS) =>
    request[name] !== undefined &&
    request[name] !== false &&
    name !== "volumes" &&
    !(MAY_BE_EMPTY.has(name) && Object.keys(request[name] ?? {}).length === 0) &&
    (name !== "limits" || Object.keys(limits).length > 0);
  return Object.fromEntries(names.filter(isKept).map((name) => [name, request[name]]));
}

/** @param items `NAME=value` each; the last of a name counts, and items of another form are omitted. */
export function parseEnvVars(items: readonly string[]): Record<string, string> {
  const variables = items.filter((item) => findVariableProblem(item, nameInWords) === undefined);
  // `fromEntries`, because an assignment would take the name "__proto__" for something else.
  return Object.fromEntries(
    variables.map((item) => {
      const split = item.indexOf("=");
      return [item.slice(0, split), item.slice(split + 1)];
    }),
  );
}

/** @returns A sentence without the variable's value. */
function findVariableProblem(item: string, name: NameMember): string | undefined {
  const split = item.indexOf("=");
  const what = "environment variable";
  const called = name(["env_vars"], what);
  // The value may be a secret: only the part before the first "=" is repeated.
  if (split < 1) return `${called} "${split === -1 ? item.slice(0, 20) : ""}" is not KEY=VALUE`;
  const shown = item.slice(0, Math.min(split, SHOWN_LENGTH));
  // A line end would make two variables of it wherever they are listed one on a line.
  if (CONTROL_CHARACTER.test(item.slice(0, split)))
    return `the name of the ${what} ${JSON.stringify(shown)} holds a control character`;
  return item.includes("\0") ? `${called} "${shown}" holds a NUL character` : undefined;
}

/** The engine would look a name up in the image, where it may be any user. */
function isUser(text: string): boolean {
  return (
    /^\d{1,10}(?::\d{1,10})?$/.test(text) &&
    text.split(":").every((id) => Number(id) <= LAST_USER_ID && (id === "0" || !id.startsWith("0")))
  );
}

/** Absent and 0 leave the choice to us. */
function isPortOrNone(value = 0): boolean {
  return value === 0 || (Number.isInteger(value) && value >= 1 && value <= 65535);
}

/** Where a server may be reached: engines and configurations name it as IPv4 only. */
function isOwnAddress(host: string): boolean {
  return host === "localhost" || (isIpv4(host) && isLoopback(host));
}

/** An address with a zone is not: it can be in no URL. */
function isListenable(host: string): boolean {
  const bare = normalizeHost(host);
  return host === "localhost" || isIpv4(host) || (isIPv6(bare) && !bare.includes("%"));
}

function isIpv4(host: string): boolean {
  const parts = host.split(".");
  return parts.length === 4 && parts.every((part) => /^\d{1,3}$/.test(part) && Number(part) <= 255);
}
