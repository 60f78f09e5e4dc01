/**
 * A workload as the supervisor sees it: something with a desired state, an address for clients and a server behind it. Whether
 * that server is a container of this machine's engine or runs elsewhere is told by the class.
 */
import type { ContainerEngine, ContainerEvent } from "../ports/container-engine.ts";
import type { ThvError } from "../support/errors.ts";
import type { ManagedWorkload } from "./managed-workload.ts";

/** What does not depend on where the server runs means the same as in `ManagedWorkload`, the one in a container. */
type Shared = Pick<
  ManagedWorkload,
  | "name"
  | "config"
  | "desired"
  | "isUnsaved"
  | "isGone"
  | "needsReconcile"
  | "isUp"
  | "failure"
  | "imageReady"
  | "builtImage"
  | "isFiltered"
  | "describe"
  | "start"
  | "stop"
  | "restart"
  | "remove"
  | "prepareStart"
  | "pullImage"
  | "saveSuccessor"
  | "retire"
  | "release"
  | "checkHealth"
  | "logs"
  | "listDenials"
  | "listLearned"
  | "changeNetwork"
  | "changeTools"
  | "describePins"
  | "acceptTools"
  | "recentCalls"
  | "listedTools"
  | "judge"
>;

export interface SupervisedWorkload extends Shared {
  /** Whether nothing of it can run without a container engine. */
  readonly needsEngine: boolean;
  /** Brings it to its desired state. Never rejects. @param engine Present where it needs one. */
  reconcile(engine: ContainerEngine | undefined): Promise<void>;
  onContainerEvent(event: ContainerEvent): void;
  onEngineLost(reason: ThvError): void;
}
