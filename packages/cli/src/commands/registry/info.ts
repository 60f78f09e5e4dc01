/** `thv registry info` */
import { type ServerBody, serverBodies } from "@toolhive/api/registry-entities";
import { ThvError } from "@toolhive/core/errors";
import type { CommandHandler } from "../../command-line/command.ts";
import { findNearest } from "../../command-line/suggest.ts";
import { loadRegistry } from "../shared/open-registry.ts";
import type { REGISTRY_INFO } from "./definition.ts";

export const registryInfo: CommandHandler<typeof REGISTRY_INFO> = async (input, context) => {
  const [name] = input.positionals;
  const servers = serverBodies((await loadRegistry(context)).registry);
  const server = servers.find((candidate) => candidate.name === name);
  if (!server) throw serverNotFound(name, servers);
  if (input.format === "json") context.terminal.printJson(server);
  else context.terminal.print(describe(server).join("\n"));
};

function serverNotFound(name: string, servers: readonly ServerBody[]): ThvError {
  const suggestion = findNearest(
    name,
    servers.map((server) => server.name),
  );
  return new ThvError("REGISTRY_SERVER_NOT_FOUND", `The registry has no server named "${name}".`, {
    hint: suggestion ? `Did you mean: thv registry info ${suggestion}` : "See the available servers: thv registry list",
  });
}

function describe(server: ServerBody): string[] {
  const { metadata, target_port, repository_url } = server;
  return [
    `Name: ${server.name}`,
    `Image: ${server.image}`,
    `Description: ${server.description}`,
    `Tier: ${server.tier}`,
    `Status: ${server.status}`,
    `Transport: ${server.transport}`,
    ...(target_port === undefined ? [] : [`Target Port: ${target_port}`]),
    ...(repository_url === undefined ? [] : [`Repository URL: ${repository_url}`]),
    `Has Provenance: ${server.provenance ? "Yes" : "No"}`,
    ...(metadata ? [`Popularity: ${metadata.stars ?? 0} stars, ${metadata.pulls ?? 0} pulls`] : []),
    ...(metadata?.last_updated === undefined ? [] : [`Last Updated: ${metadata.last_updated}`]),
    ...block(
      "Tools",
      server.tools.map((tool) => `- ${tool}`),
    ),
    ...block("Environment Variables", server.env_vars.map(describeVariable)),
    ...block("Tags", server.tags ? [server.tags.join(", ")] : []),
    ...block("Permissions", describePermissions(server.permissions)),
    ...block("Example Command", [exampleCommand(server)]),
  ];
}

function block(title: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : ["", `${title}:`, ...lines.map((line) => `  ${line}`)];
}

function describeVariable({ name, description, required, secret, default: fallback }: ServerBody["env_vars"][number]) {
  const marks = [required ? "required" : "", secret ? "secret" : "", fallback ? `default: ${fallback}` : ""];
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
function exampleCommand({ name, env_vars }: ServerBody): string {
  const flags = env_vars
    .filter(({ required }) => required)
    .map((variable) => (variable.secret ? `--secret NAME,target=${variable.name}` : `--env ${variable.name}=VALUE`));
  return ["thv run", ...flags, name].join(" ");
}
