/** The supervisor's present data about its workloads. One stream of events feeds it, and every view renders it. */
import type { OperationAnswer } from "../api/client.ts";
import { compareNames } from "./natural-order.ts";

export type Workload = OperationAnswer<"getWorkload">;
/** A line of the stream. */
export type StreamEvent = OperationAnswer<"watchEvents">;
/** `away` since the moment of `since`; `signed-out` when the API refuses this browser. */
export type Connection = "connecting" | "live" | "away" | "signed-out";

export interface LiveState {
  readonly connection: Connection;
  /** Milliseconds since 1970 of the last change of the connection. */
  readonly since: number;
  /** All workloads by name, in the order of their names. `undefined` until the first list arrived. */
  readonly workloads: ReadonlyMap<string, Workload> | undefined;
}

interface ConnectionEvent {
  readonly type: "connection";
  readonly connection: Connection;
  /** Milliseconds since 1970. */
  readonly at: number;
}

export const EMPTY: LiveState = { connection: "connecting", since: 0, workloads: undefined };

/** @returns The same object where nothing changed, so that nothing is drawn again. */
export function reduceLive(state: LiveState, event: StreamEvent | ConnectionEvent): LiveState {
  switch (event.type) {
    case "snapshot": {
      const known = state.workloads;
      const next = new Map(
        event.data.workloads.map((each) => [each.name, keepSame(known?.get(each.name), each)] as const),
      );
      const isSame =
        known !== undefined &&
        known.size === next.size &&
        [...next].every(([name, workload]) => known.get(name) === workload);
      return isSame ? state : { ...state, workloads: sort(next) };
    }
    case "workload": {
      const { workload } = event.data;
      const before = state.workloads?.get(workload.name);
      const kept = keepSame(before, workload);
      if (kept === before) return state;
      const next = new Map(state.workloads).set(workload.name, kept);
      return { ...state, workloads: before === undefined ? sort(next) : next };
    }
    case "workload_removed": {
      const { name } = event.data;
      if (state.workloads?.has(name) !== true) return state;
      const next = new Map(state.workloads);
      next.delete(name);
      return { ...state, workloads: next };
    }
    case "connection":
      return state.connection === event.connection
        ? state
        : { ...state, connection: event.connection, since: event.at };
    default:
      return state;
  }
}

function keepSame(before: Workload | undefined, after: Workload): Workload {
  return before !== undefined && JSON.stringify(before) === JSON.stringify(after) ? before : after;
}

function sort(workloads: Map<string, Workload>): Map<string, Workload> {
  return new Map([...workloads].sort(([a], [b]) => compareNames(a, b)));
}
