/** What the operations on clients do. */
import type { ClientManager } from "@toolhive/core";
import type { CLIENTS_OPERATIONS } from "../contract/clients.ts";
import type { Handlers } from "../contract/contract.ts";
import { showFileChange, showFileChanges } from "./bodies/file-changes.ts";

export function clientsHandlers(clients: ClientManager): Pick<Handlers, keyof typeof CLIENTS_OPERATIONS> {
  const named = (names: readonly string[]) => names.map((name) => ({ name }));
  return {
    listClients: async () => named(await clients.list()),
    registerClient: async ({ body }) => {
      const [name = body.name] = await clients.register([body.name]);
      return { name };
    },
    unregisterClient: async ({ params }) => {
      await clients.unregister([params.name]);
    },
    registerClients: async ({ body }) => named(await clients.register(body.names)),
    unregisterClients: async ({ body }) => {
      await clients.unregister(body.names);
    },
    planClients: async ({ body }, context) => ({ files: showFileChanges(await clients.preview(body), context) }),
    undoClient: async ({ params: { name }, body }, context) => {
      if (body.apply) {
        const { file, keptAt } = await clients.undo(name);
        return { file: file && showFileChange(file, context), kept_at: keptAt };
      }
      const { file, isOnlyOurs } = await clients.previewUndo(name);
      return { file: file && showFileChange(file, context), only_ours: isOnlyOurs };
    },
    discoverClients: async () => ({
      clients: (await clients.status()).map(({ id, isInstalled, isRegistered }) => ({
        client_type: id,
        installed: isInstalled,
        registered: isRegistered,
      })),
    }),
  };
}
