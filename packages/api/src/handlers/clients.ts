/** What the operations on clients do. */
import { CLIENTS, type ClientManager, DEFAULT_GROUP, type GroupManager } from "@toolhive/core";
import type { CLIENTS_OPERATIONS } from "../contract/clients.ts";
import type { Handlers } from "../contract/contract.ts";
import { showFileChange, showFileChanges } from "./answers/file-changes.ts";

export function clientsHandlers(
  clients: ClientManager,
  groups: GroupManager,
): Pick<Handlers, keyof typeof CLIENTS_OPERATIONS> {
  /** @throws {ThvError} `GROUP_NOT_FOUND` before any client is registered. */
  const register = async (names: readonly string[], wanted: readonly string[] = [DEFAULT_GROUP]) => {
    for (const group of wanted) groups.get(group);
    let registered: readonly string[] = [];
    for (const group of wanted) registered = await clients.register(names, group);
    return registered;
  };
  const describe = async (names: readonly string[]) => {
    const all = await clients.listGroups();
    return names.map((name) => ({ name, groups: [...(all[name] ?? [])] }));
  };
  return {
    listClients: async () => await describe(await clients.list()),
    registerClient: async ({ body }) => {
      const [found = { name: body.name, groups: [] }] = await describe(await register([body.name], body.groups));
      return found;
    },
    unregisterClient: async ({ params }) => {
      await clients.unregister([params.name]);
    },
    registerClients: async ({ body }) => await describe(await register(body.names, body.groups)),
    unregisterClients: async ({ body }) => {
      if (body.groups === undefined) await clients.unregister(body.names);
      for (const group of body.groups ?? []) await clients.leaveGroup(body.names, group);
    },
    planClients: async ({ body }, context) => {
      if (body.group !== undefined) groups.get(body.group);
      const { files } = await clients.preview(body);
      return { files: showFileChanges(files, { ...context, own: clients.bridge }) };
    },
    undoClient: async ({ params: { name }, body }, context) => {
      if (body.apply) {
        const { file, keptAt } = await clients.undo(name);
        return { file: file && showFileChange(file, { ...context, own: clients.bridge }), kept_at: keptAt };
      }
      const { file, isOnlyOurs } = await clients.previewUndo(name);
      return { file: file && showFileChange(file, { ...context, own: clients.bridge }), only_ours: isOnlyOurs };
    },
    discoverClients: async () => ({
      clients: (await clients.status()).map(({ id, isInstalled, isRegistered, failure }) => ({
        client_type: id,
        title: CLIENTS.find((client) => client.id === id)?.name ?? id,
        installed: isInstalled,
        registered: isRegistered,
        ...(failure !== undefined && { failure }),
      })),
    }),
  };
}
