/** What the operations do: they translate between the wire and the domain, and do nothing else. */
import type {
  ClientManager,
  EntryIcons,
  GroupManager,
  ProxyLogs,
  RegistryAccess,
  RegistryCatalog,
  SecretManager,
  WorkloadSupervisor,
} from "@toolhive/core";
import type { Handlers } from "../contract/contract.ts";
import { EventHub } from "../live/event-hub.ts";
import type { OpenMcp } from "../live/mcp-access.ts";
import { sharedProjectHandlers } from "./answers/shared-project.ts";
import { workloadBodies } from "./answers/workload-body.ts";
import { callsHandlers } from "./calls.ts";
import { clientsHandlers } from "./clients.ts";
import { announceChanges, eventsHandlers } from "./events.ts";
import { groupsHandlers } from "./groups.ts";
import { logsHandlers } from "./logs.ts";
import { appHandlers, type ServedApp } from "./process/app.ts";
import { type SupervisorProcess, supervisorHandlers } from "./process/supervisor.ts";
import { type FindEntries, registryHandlers } from "./registry.ts";
import { secretsHandlers } from "./secrets.ts";
import { type SignInControl, signInsHandlers } from "./sign-ins.ts";
import { systemHandlers } from "./system.ts";
import { type UsageControl, usageHandlers } from "./usage.ts";
import { workloadSettingsHandlers } from "./workload-settings.ts";
import { workloadsHandlers } from "./workloads.ts";

interface HandlerOptions {
  readonly workloads: WorkloadSupervisor;
  readonly registry: RegistryCatalog;
  /** Ranks entries of registries by words. */
  readonly findEntries: FindEntries;
  /** The icons of those entries. */
  readonly icons: Pick<EntryIcons, "find">;
  /** How image registries are reached, and where the user's sign-ins are. */
  readonly imageAccess: Omit<RegistryAccess, "signal">;
  readonly clients: ClientManager;
  readonly groups: GroupManager;
  readonly secrets: SecretManager;
  /** Calls servers as an MCP client. */
  readonly openMcp: OpenMcp;
  /** The program's messages about each workload. */
  readonly proxyLogs: ProxyLogs;
  /** At the servers of remote workloads. */
  readonly signIns: SignInControl;
  /** What clients do, counted. */
  readonly usage: UsageControl;
  readonly supervisor: SupervisorProcess;
  readonly app: ServedApp;
  readonly version: string;
}

export function createHandlers(options: HandlerOptions): Handlers {
  const { workloads, registry, clients, groups, secrets, signIns, openMcp, proxyLogs, usage } = options;
  const hub = new EventHub({
    list: () => workloadBodies(workloads.list(), groups),
    followChanges: (signal) => workloads.followChanges(signal),
  });
  usage.follow(() => hub.publish({ type: "usage", data: {} }));
  const handlers = {
    ...systemHandlers(options),
    ...workloadsHandlers(workloads, groups),
    ...workloadSettingsHandlers(workloads, clients, groups),
    ...signInsHandlers(workloads, signIns),
    ...logsHandlers(workloads, proxyLogs),
    ...callsHandlers(workloads, groups, openMcp),
    ...eventsHandlers(hub),
    ...usageHandlers(workloads, usage),
    ...clientsHandlers(clients, groups),
    ...groupsHandlers({ groups, clients, workloads }),
    ...sharedProjectHandlers(options.imageAccess),
    ...secretsHandlers(secrets, workloads),
    ...registryHandlers({
      catalog: registry,
      findEntries: options.findEntries,
      icons: options.icons,
      listImages: () => workloads.list().map(({ package: image }) => image),
    }),
    ...supervisorHandlers(options),
    ...appHandlers(options.app),
  };
  return announceChanges(handlers, hub);
}
