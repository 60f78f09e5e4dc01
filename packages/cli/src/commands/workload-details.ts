/** Everything about one workload, as `thv status` shows it and `thv run` does once it runs. */
import type { ApiClient } from "@toolhive/api/client";
import { hasCode } from "@toolhive/core/errors";

export type WorkloadDetails = Awaited<ReturnType<typeof readDetails>>;

/** @throws {ThvError} `WORKLOAD_NOT_FOUND`. */
export async function readDetails(client: ApiClient, name: string) {
  const params = { name };
  const [{ plan, digests = [], container_id: containerId, clients = [] }, workload, usage] = await Promise.all([
    client.call("getWorkloadDetails", { params }),
    client.call("getWorkload", { params }),
    client.call("getUsage", { params }),
  ]);
  const signIn = plan?.image_from === "remote" ? await readSignIn(client, name) : undefined;
  return { workload, plan, digests, containerId, clients, signIn, usage };
}

/** @returns `undefined` for a workload that could not be opened, so that its sign-in was not read. */
async function readSignIn(client: ApiClient, name: string) {
  return await client.call("getSignIn", { params: { name } }).catch((error: unknown) => {
    if (hasCode(error, "INVALID_ARGUMENT")) return undefined;
    throw error;
  });
}

/** @returns What the provider refused last, or why nobody is signed in; `undefined`: nothing is wrong. */
export function describeSignInProblem({ signIn }: Pick<WorkloadDetails, "signIn">): string | undefined {
  const login = signIn?.login?.state === "failed" ? signIn.login.error : undefined;
  return (login ?? signIn?.error)?.message;
}

/** What `--format json` prints of them. */
export function describeDetails(details: WorkloadDetails): object {
  const { workload, plan, digests, containerId, clients, signIn, usage } = details;
  const { name: _, ...counted } = usage;
  return {
    ...workload,
    ...(plan && { run: plan }),
    digests,
    container_id: containerId,
    ...describeClients(clients),
    ...(signIn && { sign_in: signIn }),
    usage: counted,
  };
}

/** By id, and by the group whose address a client has. */
function describeClients(clients: WorkloadDetails["clients"]): object {
  const inGroups = clients.flatMap(({ name, group }) => (group === undefined ? [] : [{ name, group }]));
  return {
    clients: clients.filter(({ group }) => group === undefined).map(({ name }) => name),
    ...(inGroups.length > 0 && { clients_of_groups: inGroups }),
  };
}
