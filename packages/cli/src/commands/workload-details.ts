/** Everything about one workload, as `thv status` shows it and `thv run` does once it runs. */
import type { ApiClient } from "@toolhive/api/client";

export type WorkloadDetails = Awaited<ReturnType<typeof readDetails>>;

/** @throws {ThvError} `WORKLOAD_NOT_FOUND`. */
export async function readDetails(client: ApiClient, name: string) {
  const [{ plan, digests = [], container_id: containerId, clients = [] }, workload] = await Promise.all([
    client.call("getWorkloadDetails", { params: { name } }),
    client.call("getWorkload", { params: { name } }),
  ]);
  return { workload, plan, digests, containerId, clients };
}

/** What `--format json` prints of them. */
export function describeDetails({ workload, plan, digests, containerId, clients }: WorkloadDetails): object {
  return { ...workload, ...(plan && { run: plan }), digests, container_id: containerId, ...describeClients(clients) };
}

/** By id, and by the group whose address a client has. */
function describeClients(clients: WorkloadDetails["clients"]): object {
  const inGroups = clients.flatMap(({ name, group }) => (group === undefined ? [] : [{ name, group }]));
  return {
    clients: clients.filter(({ group }) => group === undefined).map(({ name }) => name),
    ...(inGroups.length > 0 && { clients_of_groups: inGroups }),
  };
}
