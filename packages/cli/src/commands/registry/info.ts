/** `thv registry info` */
import { entryBody, type RemoteServerBody, type ServerBody } from "@toolhive/api/registry-entities";
import { DEFAULT_SOURCE, formatPlaceholder, getEntry, type LoadedRegistry, type Registry } from "@toolhive/core";
import type { CommandHandler } from "../../command-line/command.ts";
import { describeDate, openRegistry, warn } from "../shared/open-registry.ts";
import type { REGISTRY_INFO } from "./definition.ts";

export const registryInfo: CommandHandler<typeof REGISTRY_INFO> = async (input, context) => {
  const [name] = input.positionals;
  const catalog = openRegistry(context);
  const located = await catalog.locate(name);
  const source = located?.origin.name ?? DEFAULT_SOURCE;
  const loaded = await catalog.load(source);
  if (loaded.staleReason !== undefined) warn(loaded.staleReason, context);
  const server = entryBody(located?.entry ?? getEntry(loaded.registry, name));
  const { alsoIn = [] } = located ?? {};
  const { registry } = loaded;
  const reference = source === DEFAULT_SOURCE ? server.name : `${source}/${server.name}`;
  if (input.format === "json") context.terminal.printJson({ ...server, source });
  else
    context.terminal.print(
      describe(server, { registry, source: describeOrigin(source, loaded), reference }).join("\n"),
    );
  if (alsoIn.length > 0) {
    const others = alsoIn.map((each) => `thv registry info ${each}/${name}`).join(", ");
    context.terminal.info(
      `"${name}" is the server of the source "${source}". Others have one of this name, too: ${others}`,
    );
  }
};

interface Described {
  readonly registry: Registry;
  /** Empty for what needs no mention. */
  readonly source: string;
  readonly reference: string;
}

/** The list that comes with thv is marked by its age. */
function describeOrigin(name: string, { source, registry }: LoadedRegistry): string {
  if (source.kind !== "embedded") return name === DEFAULT_SOURCE ? "" : name;
  return describeDate({ type: "default", last_updated: registry.lastUpdated });
}

function describe(server: ServerBody | RemoteServerBody, { registry, source, reference }: Described): string[] {
  const { metadata, repository_url, version } = server;
  const isRemote = "url" in server;
  const { target_port, provenance, permissions, needed_args = [] } = isRemote ? NO_CONTAINER : server;
  return [
    `Name: ${server.name}`,
    isRemote ? `URL: ${server.url}` : `Image: ${server.image}`,
    ...(version === undefined ? [] : [`Version: ${version}`, ...describeOlder(server, registry)]),
    ...(source === "" ? [] : [`Source: ${source}`]),
    `Description: ${server.description}`,
    `Tier: ${server.tier}`,
    `Status: ${server.status}`,
    `Transport: ${server.transport}`,
    ...(target_port === undefined ? [] : [`Target Port: ${target_port}`]),
    ...(repository_url === undefined ? [] : [`Repository URL: ${repository_url}`]),
    ...(isRemote ? [] : [`Has Provenance: ${provenance ? "Yes" : "No"}`]),
    ...(metadata ? [`Popularity: ${metadata.stars ?? 0} stars, ${metadata.pulls ?? 0} pulls`] : []),
    ...(metadata?.last_updated === undefined ? [] : [`Last Updated: ${metadata.last_updated}`]),
    ...block(
      "Tools",
      server.tools.map((tool) => `- ${tool}`),
    ),
    ...block("Headers", isRemote ? server.headers.map(describeVariable) : []),
    ...block("Sign-in", isRemote ? describeSignIn(server) : []),
    ...block(
      "Arguments",
      needed_args.map(({ name, description }) => `- ${name} (required)${description ? `: ${description}` : ""}`),
    ),
    ...block("Environment Variables", isRemote ? [] : server.env_vars.map(describeVariable)),
    ...block("Tags", server.tags ? [server.tags.join(", ")] : []),
    ...block("Permissions", describePermissions(permissions)),
    ...block("Example Command", [exampleCommand(server, reference)]),
  ];
}

function block(title: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : ["", `${title}:`, ...lines.map((line) => `  ${line}`)];
}

const NO_CONTAINER: Partial<ServerBody> = {};

function describeOlder({ name }: ServerBody | RemoteServerBody, { olderVersions }: Registry): string[] {
  const versions = olderVersions.filter((entry) => entry.name === name).flatMap(({ version }) => version ?? []);
  return versions.length === 0 ? [] : [`Older Versions: ${versions.join(", ")}`];
}

function describeSignIn({ oauth_config }: RemoteServerBody): string[] {
  const { issuer, client_id, scopes = [] } = oauth_config ?? {};
  return [
    ...(issuer === undefined ? [] : [`Issuer: ${issuer}`]),
    ...(client_id === undefined ? [] : [`Client: ${client_id}`]),
    ...(scopes.length === 0 ? [] : [`Scopes: ${scopes.join(" ")}`]),
  ];
}

function describeVariable({
  name,
  description,
  required,
  secret,
  default: fallback,
  choices,
}: ServerBody["env_vars"][number]) {
  const marks = [
    required ? "required" : "",
    secret ? "secret" : "",
    fallback ? `default: ${fallback}` : "",
    choices ? `one of: ${choices.join(" ")}` : "",
  ];
  const shown = marks.filter((mark) => mark !== "").join(", ");
  return `- ${name}${shown ? ` (${shown})` : ""}: ${description}`;
}

function describePermissions(permissions: ServerBody["permissions"]): string[] {
  const { insecure_allow_all, allow_host = [], allow_port = [] } = permissions?.network?.outbound ?? {};
  const lines = (title: string, values: readonly (string | number)[]) =>
    values.length === 0 ? [] : [`${title}: ${values.join(", ")}`];
  return [
    ...lines("Read", permissions?.read ?? []),
    ...lines("Write", permissions?.write ?? []),
    ...(insecure_allow_all ? ["Network, Insecure Allow All: true"] : []),
    ...lines("Network, Allow Host", allow_host),
    ...lines("Network, Allow Port", allow_port),
  ];
}

/** What a person has to type to run it: everything that is required, nothing else. */
function exampleCommand(server: ServerBody | RemoteServerBody, name: string): string {
  if ("url" in server) return `thv run ${name}`;
  const { env_vars, needed_args = [] } = server;
  const flags = env_vars
    .filter(({ required }) => required)
    .map((variable) => (variable.secret ? `--secret NAME,target=${variable.name}` : `--env ${variable.name}=VALUE`));
  const args = needed_args.length === 0 ? [] : ["--", ...needed_args.map(formatPlaceholder)];
  return ["thv run", ...flags, name, ...args].join(" ");
}
