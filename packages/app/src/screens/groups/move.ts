/** Where a server can be moved. */
import { DEFAULT_GROUP, type Group } from "../../store/group-places.ts";

export interface Move {
  readonly server: string;
  readonly to: string;
  /** The group that it was taken out of. */
  readonly left?: string;
}

/** Groups that the server can join: all that it is not in, but `default`, which it is in when it is in no other. */
export function listTargets(groups: readonly Group[], server: string): readonly string[] {
  return groups
    .filter(({ name, workloads }) => name !== DEFAULT_GROUP && !workloads.some((each) => each.name === server))
    .map(({ name }) => name);
}

export interface Dragged {
  readonly server: string;
  readonly from: string;
}

/** Whether what is dragged can be put on this group. */
export function canTake(group: Group, dragged: Dragged | undefined): boolean {
  return dragged !== undefined && listTargets([group], dragged.server).length > 0;
}
