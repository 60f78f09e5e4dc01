/** A `server.json` becomes an entry, or a reason why it is none. */
import { shorten, toRecord } from "@toolhive/http/values";
import { parseImageReference } from "../images/image-reference.ts";
import { parsePackageTarget } from "../images/package-target.ts";
import { listProblems } from "../schemas/schema-problems.ts";
import { listSentences } from "../support/located-problem.ts";
import { fillTemplate, readDeclaration } from "./read-inputs.ts";
import { readPackage, sortPackages } from "./read-package.ts";
import {
  DESCRIPTION_LENGTH,
  type HeaderDeclaration,
  REMOTE_TRANSPORTS,
  type RegistryEntry,
  RegistryRemoteServerSchema,
  RegistryServerSchema,
} from "./registry-schema.ts";
import {
  OFFICIAL_KEY,
  readExtension,
  type ServerJson,
  ServerJsonSchema,
  type ServerTransport,
} from "./server-json-schema.ts";

export interface ReadServerJson {
  readonly name: string;
  readonly entry?: RegistryEntry;
  /** Why there is no entry. */
  readonly reason?: string;
  /** Whether its registry calls it the latest version. */
  readonly isLatest?: boolean;
}

/** @param value A `server.json`, or the answer of a registry with one in its `server`. */
export function readServerJson(value: unknown): ReadServerJson {
  const whole = toRecord(value);
  const server = typeof whole.server === "object" && whole.server !== null ? toRecord(whole.server) : whole;
  const name = typeof server.name === "string" ? shorten(server.name, 200) : "an entry without a name";
  const problems = listSentences(listProblems(ServerJsonSchema, server, { root: "the entry" }));
  if (problems.length > 0) return { name, reason: `${findOldForm(server)}${problems.join("; ")}` };
  const meta = { ...toRecord(server._meta), ...toRecord(whole._meta) };
  const official = toRecord(meta[OFFICIAL_KEY]);
  const status = official.status ?? server.status;
  if (status === "deleted") return { name, reason: "its registry says that it is deleted" };
  const read = buildEntry(server as ServerJson, status === "deprecated");
  if (typeof read === "string") return { name, reason: read };
  const entry = withDate(read, official.updatedAt ?? official.publishedAt);
  return { name, entry, ...(typeof official.isLatest === "boolean" && { isLatest: official.isLatest }) };
}

/** When its registry last changed it, unless its publisher says more. */
function withDate(entry: RegistryEntry, changed: unknown): RegistryEntry {
  const isDate = typeof changed === "string" && /^\d{4}-\d\d-\d\dT[\d:.]+(?:Z|[+-]\d\d:\d\d)$/.test(changed);
  return isDate && entry.metadata === undefined ? { ...entry, metadata: { last_updated: changed } } : entry;
}

/** Forms before 2025-09 have other names of members. */
function findOldForm(server: Record<string, unknown>): string {
  const [first] = Array.isArray(server.packages) ? server.packages : [];
  const isOld = "version_detail" in server || "registry_type" in toRecord(first) || "registry_name" in toRecord(first);
  return isOld ? "it has the form of before September 2025: " : "";
}

function buildEntry(server: ServerJson, isDeprecated: boolean): RegistryEntry | string {
  const reasons: string[] = [];
  for (const pack of sortPackages(server.packages ?? [])) {
    const parts = readPackage(pack);
    if (typeof parts === "string") {
      reasons.push(parts);
      continue;
    }
    const extension = readExtension(server._meta, pack.identifier, "image");
    const { args = [], ...rest } = parts;
    const own = (extension.args as string[] | undefined) ?? [];
    const entry = {
      ...describeServer(server, isDeprecated),
      ...extension,
      ...rest,
      ...(args.length + own.length > 0 && { args: [...args, ...own] }),
    };
    const problems = [
      ...listSentences(listProblems(RegistryServerSchema, entry, { root: "the entry" })),
      ...listMistakes(entry),
    ];
    if (problems.length === 0) return entry;
    reasons.push(problems.join("; "));
  }
  for (const transport of sortRemotes(server.remotes ?? [])) {
    const parts = readRemote(transport);
    if (typeof parts === "string") {
      reasons.push(parts);
      continue;
    }
    const entry = {
      ...describeServer(server, isDeprecated),
      ...readExtension(server._meta, transport.url ?? "", "remote"),
      ...parts,
    };
    const problems = listSentences(listProblems(RegistryRemoteServerSchema, entry, { root: "the entry" }));
    if (problems.length === 0) return entry;
    reasons.push(problems.join("; "));
  }
  return reasons.length > 0 ? [...new Set(reasons)].join("; ") : "it has neither a package nor a remote server";
}

function describeServer(
  { name, title, description, version, repository, icons = [] }: ServerJson,
  isDeprecated: boolean,
) {
  const icon = findIcon(icons);
  const words = description.trim();
  const long = words.length < DESCRIPTION_LENGTH.min ? `${words} (${name})` : words;
  return {
    name,
    ...(title && { title: shorten(title, 200) }),
    version,
    ...(icon !== undefined && { icon }),
    description: shorten(long, DESCRIPTION_LENGTH.max),
    tier: "Community" as const,
    status: isDeprecated ? ("Deprecated" as const) : ("Active" as const),
    tools: [] as string[],
    ...(repository?.url && URL.canParse(repository.url) && { repository_url: repository.url }),
  };
}

/** One that is shown: SVG, which may hold a program, is not. Where there are several, the one for light pages. */
function findIcon(icons: NonNullable<ServerJson["icons"]>): string | undefined {
  const shown = icons.filter(
    ({ src = "", mimeType = "" }) =>
      /^https:\/\/\S+$/.test(src) && src.length <= 512 && !/svg/i.test(mimeType) && !/\.svg(?:[?#]|$)/i.test(src),
  );
  return (shown.find(({ theme }) => theme !== "dark") ?? shown[0])?.src;
}

function listMistakes({
  image,
  env_vars = [],
}: {
  image: string;
  env_vars?: { name: string }[] | undefined;
}): string[] {
  const names = env_vars.map(({ name }) => name);
  const repeated = names.find((name, index) => names.indexOf(name) !== index);
  if (parsePackageTarget(image) === undefined) parseImageReference(image);
  return repeated === undefined ? [] : [`it names the variable "${repeated}" more than once`];
}

function sortRemotes(remotes: readonly ServerTransport[]): ServerTransport[] {
  const rank = ({ type }: ServerTransport) => (type === "streamable-http" ? 0 : 1);
  return remotes.toSorted((left, right) => rank(left) - rank(right));
}

function readRemote({ type, url = "", headers = [], variables }: ServerTransport) {
  const transport = REMOTE_TRANSPORTS.find((each) => each === type);
  if (transport === undefined) return `the transport of its remote server is "${type}"`;
  const address = fillTemplate(url, variables);
  if (address === undefined || /[{}]/.test(address)) {
    return `its address ${shorten(url, 200)} has parts that only you know: fill them in, and run the address`;
  }
  const declared: HeaderDeclaration[] = headers.map(readDeclaration);
  return { url: address, transport, ...(declared.length > 0 && { headers: declared }) };
}
