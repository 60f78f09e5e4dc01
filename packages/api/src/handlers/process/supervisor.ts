/** What the calls of the command line do. */
import type { ClientManager, GroupManager, SecretManager, WorkloadSupervisor } from "@toolhive/core";
import type { Handlers, OperationAnswer } from "../../contract/contract.ts";
import type { WorkloadBody } from "../../contract/parts/workload-schemas.ts";
import type { SUPERVISOR_OPERATIONS } from "../../contract/process/supervisor.ts";
import { isListedByDefault, workloadBodies } from "../answers/workload-body.ts";

/** The process that serves. */
export interface SupervisorProcess {
  describe(): OperationAnswer<"getSupervisor">;
  /** Begins to end, and leaves the containers to the next one. */
  handOver(): void;
  /** Finds problems of the machine. */
  examine(): Promise<OperationAnswer<"runDoctor">["findings"]>;
  /** How the program was installed. */
  readonly channel: string;
}

interface SupervisorParts {
  readonly workloads: WorkloadSupervisor;
  readonly clients: ClientManager;
  readonly groups: GroupManager;
  readonly secrets: SecretManager;
  readonly supervisor: SupervisorProcess;
}

export function supervisorHandlers({
  workloads,
  clients,
  groups,
  secrets,
  supervisor,
}: SupervisorParts): Pick<Handlers, keyof typeof SUPERVISOR_OPERATIONS> {
  return {
    getSupervisor: async () => supervisor.describe(),
    handOver: async () => supervisor.handOver(),
    watchWorkloads: async ({ query: { name } }, { signal }) => watch(workloads, groups, name, signal),
    readSecret: async ({ body }) => ({ value: await secrets.read(body.key) }),
    unlockSecrets: async ({ body }) => {
      await secrets.unlock(body.password);
      return {};
    },
    changeSecretsPassword: async ({ body: { current, wanted } }) => {
      await secrets.changePassword({ current, wanted });
      return {};
    },
    forgetSecretsPassword: async () => ({ had: await secrets.resetKeyring() }),
    settleClients: async () => {
      await clients.settle();
      const registered = await clients.list();
      const failed = clients
        .listFailures()
        .map((each) => ({ ...each, is_registered: registered.includes(each.client) }));
      return { replaced: await clients.listReplaced(), failed };
    },
  };
}

/** A change of another workload, or of what callers do not see, is no news. */
async function* watch(
  workloads: WorkloadSupervisor,
  groups: GroupManager,
  name: string | undefined,
  signal: AbortSignal,
): AsyncGenerator<{ workloads: WorkloadBody[] }> {
  let last = "";
  for await (const _change of workloads.followChanges(signal)) {
    const all = workloads.list();
    const shown = name === undefined ? all.filter(isListedByDefault) : all.filter((workload) => workload.name === name);
    const line = { workloads: workloadBodies(shown, groups) };
    const text = JSON.stringify(line);
    if (text !== last) yield line;
    last = text;
  }
}
