/** Everything about one workload, as `thv status` shows it and `thv run` does once it runs. */
import type { ApiClient } from "@toolhive/api/client";

export type WorkloadDetails = Awaited<ReturnType<typeof readDetails>>;

/** @throws {ThvError} `WORKLOAD_NOT_FOUND`. */
export async function readDetails(client: ApiClient, name: string) {
  const [{ plan, digests = [], container_id: containerId }, workload, clients] = await Promise.all([
    client.call("getWorkloadDetails", { params: { name } }),
    client.call("getWorkload", { params: { name } }),
    client.call("listClients"),
  ]);
  return { workload, plan, digests, containerId, clients: clients.map((each) => each.name).sort() };
}

/** What `--format json` prints of them. */
export function describeDetails({ workload, plan, digests, containerId, clients }: WorkloadDetails): object {
  return { ...workload, ...(plan && { run: plan }), digests, container_id: containerId, clients };
}
