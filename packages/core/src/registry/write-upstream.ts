/** Writes a registry in the form of the official one; what only our map has goes into our members of each publisher's. */
import { shorten } from "@toolhive/http/values";
import { parsePackageTarget } from "../images/package-target.ts";
import { isRemoteServer, type Registry, type RegistryEntry, type RegistryServer } from "./registry-schema.ts";
import {
  DEFAULT_VERSION,
  EXTENSION_KEY,
  EXTENSION_MEMBERS,
  PUBLISHER_KEY,
  SERVER_JSON_SCHEMA,
} from "./server-json-schema.ts";

/** Something that the other form has no place for. */
export interface Loss {
  /** Name of the entry. */
  readonly name: string;
  readonly what: string;
}

const MAX_DESCRIPTION = 100;

export function writeUpstream(registry: Registry, losses: Loss[]): object {
  const { version, lastUpdated, servers, remoteServers, groups, olderVersions } = registry;
  const write = (entries: readonly RegistryEntry[]) => entries.flatMap((entry) => writeEntry(entry, losses) ?? []);
  return {
    version,
    meta: { last_updated: lastUpdated },
    data: {
      servers: write([...servers, ...remoteServers, ...olderVersions]),
      ...(groups.length > 0 && {
        groups: groups.map((group) => ({
          name: group.name,
          description: group.description,
          servers: write([...group.servers, ...group.remoteServers]),
        })),
      }),
    },
  };
}

function writeEntry(entry: RegistryEntry, losses: Loss[]): object | undefined {
  const parts = isRemoteServer(entry) ? writeRemote(entry) : writePackage(entry, losses);
  if (!parts) return undefined;
  const { name, longName, title, icon, description, repository_url: url, version = DEFAULT_VERSION } = entry;
  if (description.length > MAX_DESCRIPTION) {
    losses.push({ name, what: `its description has at most ${MAX_DESCRIPTION} characters there, and is cut` });
  }
  const { id, extension, ...rest } = parts;
  return {
    $schema: SERVER_JSON_SCHEMA,
    name: longName ?? (name.includes("/") ? name : `${EXTENSION_KEY}/${name}`),
    description: shorten(description, MAX_DESCRIPTION),
    ...(title !== undefined && { title: shorten(title, MAX_DESCRIPTION) }),
    version,
    ...(icon !== undefined && { icons: [{ src: icon }] }),
    ...(url !== undefined && { repository: { url, source: findForge(url) } }),
    ...rest,
    _meta: { [PUBLISHER_KEY]: { [EXTENSION_KEY]: { [id]: extension } } },
  };
}

function writePackage(server: RegistryServer, losses: Loss[]) {
  const found = splitTarget(server.image);
  const { name, transport, target_port, env_vars = [], needed_args = [] } = server;
  if (!found) {
    losses.push({ name, what: `it is left out: there is no kind of package for ${server.image}` });
    return undefined;
  }
  for (const variable of env_vars) {
    if (!variable.required || variable.default === undefined) continue;
    losses.push({
      name,
      what: `${variable.name} is required and has a default, and there such a variable may be left out`,
    });
  }
  const host = `http://localhost${target_port === undefined ? "" : `:${target_port}`}`;
  const pack = {
    ...found,
    transport: transport === "stdio" ? { type: transport } : { type: transport, url: host },
    ...(env_vars.length > 0 && { environmentVariables: env_vars.map(writeDeclaration) }),
    ...(needed_args.length > 0 && { packageArguments: needed_args.map(writeNeeded) }),
  };
  return { id: found.identifier, packages: [pack], extension: writeExtension(server, "image") };
}

function writeRemote(server: Extract<RegistryEntry, { url: string }>) {
  const { url, transport, headers = [] } = server;
  const remote = { type: transport, url, ...(headers.length > 0 && { headers: headers.map(writeDeclaration) }) };
  return { id: url, remotes: [remote], extension: writeExtension(server, "remote") };
}

function writeExtension(entry: RegistryEntry, kind: "image" | "remote"): object {
  const members = ["status", "tools", "tags", "metadata", ...EXTENSION_MEMBERS.both, ...EXTENSION_MEMBERS[kind]];
  const values = entry as unknown as Record<string, unknown>;
  const kept = members.filter((member) => values[member] !== undefined);
  return Object.fromEntries(kept.map((member) => [member, values[member]]));
}

function splitTarget(image: string): { registryType: string; identifier: string; version?: string } | undefined {
  const target = parsePackageTarget(image);
  if (!target) return { registryType: "oci", identifier: image };
  // The form has a version, and no place for a range, a repository or a program of another name.
  if (target.scheme === "go" || target.program !== undefined || /[<>~^!*,|:]/.test(target.name)) return undefined;
  const [, identifier = target.name, version] = /^(@?[^@=]+)(?:@|==)(.+)$/.exec(target.name) ?? [];
  const registryType = target.scheme === "npx" ? "npm" : "pypi";
  return { registryType, identifier, ...(version !== undefined && { version }) };
}

type Declaration = NonNullable<RegistryServer["env_vars"]>[number];

function writeDeclaration({ name, description, required, secret, default: value, choices }: Declaration) {
  return {
    name,
    description,
    ...(required && { isRequired: true }),
    ...(secret && { isSecret: true }),
    ...(value !== undefined && { default: value }),
    ...(choices && { choices }),
  };
}

function writeNeeded({ name, description }: NonNullable<RegistryServer["needed_args"]>[number]) {
  const about = { ...(description !== undefined && { description }), isRequired: true };
  // Only a flag with a value has a description; a switch has none.
  return name.startsWith("-") && description !== undefined
    ? { type: "named", name, ...about }
    : { type: "positional", valueHint: name, ...about };
}

function findForge(url: string): string {
  const host = URL.canParse(url) ? new URL(url).hostname : "";
  return host === "github.com" ? "github" : host === "gitlab.com" ? "gitlab" : host;
}
