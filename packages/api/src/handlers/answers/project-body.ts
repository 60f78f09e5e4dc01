/** What runs as a project file, and what such a file says. */
import {
  type ClientManager,
  DEFAULT_GROUP,
  describeError,
  formatOrigin,
  formatProject,
  type Group,
  type GroupManager,
  inspectProject,
  listProjectSecrets,
  PROJECT_LABEL,
  type RunConfig,
  readProjectName,
  type ServerSet,
  type SetGroup,
  type SetServer,
  type WorkloadSupervisor,
} from "@toolhive/core";
import type { Handlers, OperationAnswer } from "../../contract/contract.ts";
import type { PROJECT_OPERATIONS } from "../../contract/project/project.ts";
import { toCreateRequest } from "../../create-body/exported-workload.ts";

interface Managers {
  readonly workloads: WorkloadSupervisor;
  readonly groups: GroupManager;
  readonly clients: ClientManager;
}

export function projectHandlers(managers: Managers): Pick<Handlers, keyof typeof PROJECT_OPERATIONS> {
  return {
    exportProject: async ({ query }) => await exportProject(managers, query),
    readProject: async ({ body: { text, path } }) => readProjectBody(text, path),
  };
}

/** @throws {ThvError} `GROUP_NOT_FOUND`, `INVALID_ARGUMENT` for too many servers. */
async function exportProject(
  managers: Managers,
  query: { readonly group?: string; readonly name?: string },
): Promise<OperationAnswer<"exportProject">> {
  const { set, damaged } = await collectSet(managers, query);
  const { text, servers, groups, secrets, leftOut } = formatProject(set, damaged);
  return { file: text, servers: [...servers], groups: [...groups], secrets: [...secrets], left_out: [...leftOut] };
}

function readProjectBody(text: string, path: string | undefined): OperationAnswer<"readProject"> {
  const { project, problems } = inspectProject(text, path);
  const hasOwner = path !== undefined || project.name !== undefined;
  return {
    ...(project.name !== undefined && { name: project.name }),
    servers: project.servers.map(({ name, run, groups, request }) => ({
      name,
      run,
      ...(groups && { groups: [...groups] }),
      request: hasOwner ? request : withoutProject(request),
    })),
    groups: [...project.groups],
    secrets: listProjectSecrets(project),
    problems: problems.map(({ line, path: member, sentence }) => ({
      ...(line !== undefined && { line }),
      member: member.join("."),
      problem: sentence,
    })),
  };
}

type Damaged = { readonly server: string; readonly member: ""; readonly reason: string };

async function collectSet(
  { workloads, groups, clients }: Managers,
  query: { readonly group?: string; readonly name?: string },
): Promise<{ readonly set: ServerSet; readonly damaged: readonly Damaged[] }> {
  const registered = await clients.listGroups();
  const chosen = query.group === undefined ? groups.list() : [groups.get(query.group)];
  const members = new Set(chosen.flatMap((group) => group.members.map(({ name }) => name)));
  const names = workloads.list().map(({ name }) => name);
  const servers: SetServer[] = [];
  const damaged: Damaged[] = [];
  for (const name of query.group === undefined ? names : names.filter((each) => members.has(each))) {
    try {
      const { config } = workloads.getUsable(name);
      if (config.desired_state === "removed") continue;
      const of = chosen.filter((group) => group.members.some((member) => member.name === name));
      servers.push(describeServer(config, of));
    } catch (error) {
      damaged.push({ server: name, member: "", reason: describeError(error) });
    }
  }
  const described = chosen.map((group) => describeGroup(group, registered)).filter(saysSomething);
  const name = query.name ?? findName(query.group, servers);
  return { set: { name, servers, groups: described }, damaged };
}

function describeServer(config: RunConfig, groups: readonly Group[]): SetServer {
  // A request has none of these: they may hold a key of the receiver.
  const hasHeaders = Object.keys(config.telemetry_config?.Headers ?? {}).length > 0;
  const keys = "they may hold a key: add them on each machine";
  const { registry_source: origin } = config;
  const source =
    origin &&
    `it is from ${formatOrigin(origin)}; a server of this file gets no upgrades from there: for these, write run: ${origin.name}/NAME`;
  return {
    request: toCreateRequest(config),
    groups: groups.map(({ name }) => name),
    leftOut: [
      ...(hasHeaders ? [{ member: "access.telemetry.headers", reason: keys }] : []),
      ...(source === undefined ? [] : [{ member: "registry source", reason: source }]),
    ],
  };
}

function describeGroup(
  { name, port, naming, tools, tools_override, find_tools }: Group,
  registered: Readonly<Record<string, readonly string[]>>,
): SetGroup {
  const clients = Object.keys(registered).filter((client) => registered[client]?.includes(name));
  return {
    name,
    ...(port !== undefined && { port }),
    ...(naming !== undefined && naming !== "auto" && { naming }),
    ...(tools && { tools: [...tools] }),
    ...(tools_override && { tools_override }),
    ...(find_tools && { find_tools }),
    ...(clients.length > 0 && { clients }),
  };
}

/** `default` is there without being described. */
function saysSomething({ name, ...members }: SetGroup): boolean {
  return name !== DEFAULT_GROUP || Object.keys(members).length > 0;
}

/** The group's name; or that of the project that every server is of. */
function findName(group: string | undefined, servers: readonly SetServer[]): string | undefined {
  if (group !== undefined) return group === DEFAULT_GROUP ? undefined : readProjectName(group);
  const labels = new Set(servers.map(({ request }) => request.labels?.[PROJECT_LABEL]));
  const [label] = labels;
  return labels.size === 1 && label !== undefined ? readProjectName(label) : undefined;
}

function withoutProject<Request extends { readonly labels?: Readonly<Record<string, string>> }>(
  request: Request,
): Request {
  const { labels = {}, ...others } = request;
  const { [PROJECT_LABEL]: _project, ...own } = labels;
  return { ...others, ...(Object.keys(own).length > 0 && { labels: own }) } as Request;
}
