/** What the stream of events does, and which operations are news. */
import type { Handlers } from "../contract/contract.ts";
import type { EVENTS_OPERATIONS } from "../contract/events.ts";
import type { OperationId } from "../contract/routes.ts";
import type { EventHub } from "../live/event-hub.ts";

/** After these, clients that show the list have to read it again. */
const ANNOUNCED: Readonly<Partial<Record<OperationId, "clients" | "groups" | "secrets" | "registry">>> = {
  registerClient: "clients",
  unregisterClient: "clients",
  registerClients: "clients",
  unregisterClients: "clients",
  undoClient: "clients",
  unregisterClientFromGroup: "clients",
  createGroup: "groups",
  deleteGroup: "groups",
  addGroupWorkload: "groups",
  removeGroupWorkload: "groups",
  setupSecrets: "secrets",
  createSecret: "secrets",
  updateSecret: "secrets",
  deleteSecret: "secrets",
  unlockSecrets: "secrets",
  chooseRegistry: "registry",
  deleteRegistry: "registry",
  refreshRegistry: "registry",
};

export function eventsHandlers(hub: EventHub): Pick<Handlers, keyof typeof EVENTS_OPERATIONS> {
  return {
    // Of a parameter that is given twice, the last counts.
    watchEvents: async ({ query }, { signal }) => hub.follow([query.since].flat().at(-1), signal),
  };
}

/** The same handlers; what they change is published. */
export function announceChanges<Some extends Partial<Handlers>>(handlers: Some, hub: EventHub): Some {
  type Handle = (input: unknown, context: unknown) => Promise<unknown>;
  const announced = Object.entries(handlers).map(([id, handle]) => {
    const type = ANNOUNCED[id as OperationId];
    if (type === undefined) return [id, handle] as const;
    const publish: Handle = async (input, context) => {
      const answer = await (handle as Handle)(input, context);
      hub.publish({ type, data: {} });
      return answer;
    };
    return [id, publish] as const;
  });
  return Object.fromEntries(announced) as Some;
}
