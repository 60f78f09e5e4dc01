/** What the operations do: they translate between the wire and the domain, and do nothing else. */
import type { ClientManager, RegistryCatalog, SecretManager, WorkloadSupervisor } from "@toolhive/core";
import type { Handlers } from "../contract/contract.ts";
import { clientsHandlers } from "./clients.ts";
import { registryHandlers } from "./registry.ts";
import { secretsHandlers } from "./secrets.ts";
import { type SupervisorProcess, supervisorHandlers } from "./supervisor.ts";
import { systemHandlers } from "./system.ts";
import { workloadSettingsHandlers } from "./workload-settings.ts";
import { workloadsHandlers } from "./workloads.ts";

interface HandlerOptions {
  readonly workloads: WorkloadSupervisor;
  readonly registry: RegistryCatalog;
  readonly clients: ClientManager;
  readonly secrets: SecretManager;
  readonly supervisor: SupervisorProcess;
  readonly version: string;
}

export function createHandlers(options: HandlerOptions): Handlers {
  const { workloads, registry, clients, secrets } = options;
  return {
    ...systemHandlers(options),
    ...workloadsHandlers(workloads),
    ...workloadSettingsHandlers(workloads, clients),
    ...clientsHandlers(clients),
    ...secretsHandlers(secrets),
    ...registryHandlers(registry),
    ...supervisorHandlers(options),
  };
}
