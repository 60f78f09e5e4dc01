/** Answers what only the command line may ask. */
import { createRequest } from "@toolhive/api";
import type { ClientManager, SecretManager, WorkloadSupervisor } from "@toolhive/core";
import type { ControlAnswers } from "./control.ts";

interface ControlParts {
  readonly workloads: WorkloadSupervisor;
  readonly clients: ClientManager;
  readonly secrets: SecretManager;
}

export function controlAnswers({ workloads, clients, secrets }: ControlParts): ControlAnswers {
  return {
    "read-secret": async ({ key }) => ({ value: await secrets.read(String(key)) }),
    "unlock-secrets": async ({ password }) => {
      await secrets.unlock(String(password));
      return {};
    },
    "change-password": async ({ current, wanted }) => {
      await secrets.changePassword({
        current: current === undefined ? undefined : String(current),
        wanted: String(wanted),
      });
      return {};
    },
    "forget-password": async () => ({ had: await secrets.resetKeyring() }),
    inspect: async ({ name }) => {
      const { workload: _known, ...details } = await workloads.inspect(String(name));
      return details;
    },
    "plan-run": async (body) => {
      const plan = await workloads.plan(createRequest(body));
      return { plan, files: await clients.preview({ starting: plan }) };
    },
    "settle-clients": async () => {
      await clients.settle();
      return { replaced: await clients.listReplaced() };
    },
    "plan-clients": async ({ register, unregister }) => ({ files: await clients.preview({ register, unregister }) }),
    "undo-client": async ({ name, isMeant }) => (isMeant ? await clients.undo(name) : await clients.previewUndo(name)),
  };
}
