/** What opening a set does, in its order: groups first, then servers, then who is in which group, then clients. */
import type { OperationAnswer } from "../../api/client.ts";
import { DEFAULT_GROUP } from "../../store/group-places.ts";

export type ReadSet = OperationAnswer<"readProject">;
export type SetServer = ReadSet["servers"][number];

/** What a group asks for that is not its clients. */
type GroupRequest = Omit<ReadSet["groups"][number], "clients">;

export type SetStep =
  | { readonly kind: "group"; readonly name: string; readonly body: GroupRequest }
  | { readonly kind: "server"; readonly name: string; readonly server: SetServer }
  | { readonly kind: "member"; readonly name: string; readonly group: string }
  | { readonly kind: "client"; readonly name: string; readonly group: string };

export interface Present {
  /** Names of what is there already. */
  readonly groups: readonly string[];
  readonly servers: readonly string[];
}

/**
 * @param chosen Names of the servers to start.
 * @returns The steps. A server that is there already stays as it is and joins its groups; a group that is there keeps its choices.
 */
export function listSteps(set: ReadSet, chosen: ReadonlySet<string>, present: Present): readonly SetStep[] {
  const servers = set.servers.filter(({ name }) => chosen.has(name));
  const named = servers.flatMap(({ groups = [] }) => groups);
  const described = set.groups.map(({ name }) => name);
  const wanted = [...new Set([...described, ...named])].filter((name) => name !== DEFAULT_GROUP);
  const groups = wanted
    .filter((name) => !present.groups.includes(name))
    .map((name): SetStep => {
      const { clients: _clients, ...body } = set.groups.find((each) => each.name === name) ?? { name };
      return { kind: "group", name, body };
    });
  return [
    ...groups,
    ...servers
      .filter(({ name }) => !present.servers.includes(name))
      .map((server): SetStep => ({ kind: "server", name: server.name, server })),
    ...servers.flatMap(({ name, groups: its = [] }) =>
      its.filter((group) => group !== DEFAULT_GROUP).map((group): SetStep => ({ kind: "member", name, group })),
    ),
    ...set.groups.flatMap(({ name: group, clients = [] }) =>
      clients.map((name): SetStep => ({ kind: "client", name, group })),
    ),
  ];
}
