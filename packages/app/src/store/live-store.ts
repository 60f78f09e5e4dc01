/** What the supervisor says of its workloads now. One stream of events feeds it, and every view is a picture of it. */
import type { OperationAnswer } from "../api/client.ts";

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
  /** What network rules refused since the page was opened, by the workload's name, newest first. */
  readonly denied: ReadonlyMap<string, readonly Denied[]>;
}

/** Connections to one target that were refused. */
export interface Denied {
  readonly host: string;
  /** Absent where only the name was looked up. */
  readonly port: number | undefined;
  readonly at: string;
  readonly count: number;
}

interface ConnectionEvent {
  readonly type: "connection";
  readonly connection: Connection;
  /** Milliseconds since 1970. */
  readonly at: number;
}

/** Of targets that are kept for a workload. */
export const MAX_DENIED = 100;

export const EMPTY: LiveState = { connection: "connecting", since: 0, workloads: undefined, denied: new Map() };

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
      const denied = new Map(state.denied);
      denied.delete(name);
      return { ...state, workloads: next, denied };
    }
    case "denied": {
      const { name } = event.data;
      const denied = new Map(state.denied).set(name, addDenied(state.denied.get(name) ?? [], event));
      return { ...state, denied };
    }
    case "connection":
      return state.connection === event.connection
        ? state
        : { ...state, connection: event.connection, since: event.at };
    default:
      return state;
  }
}

function addDenied(
  known: readonly Denied[],
  { at, data }: Extract<StreamEvent, { type: "denied" }>,
): readonly Denied[] {
  const { host, port } = data;
  const isSame = (each: Denied) => each.host === host && each.port === port;
  const count = (known.find(isSame)?.count ?? 0) + data.count;
  const others = known.filter((each) => !isSame(each));
  return [{ host, port, at: data.at ?? at, count }, ...others].slice(0, MAX_DENIED);
}

function keepSame(before: Workload | undefined, after: Workload): Workload {
  return before !== undefined && JSON.stringify(before) === JSON.stringify(after) ? before : after;
}

function sort(workloads: Map<string, Workload>): Map<string, Workload> {
  return new Map([...workloads].sort(([a], [b]) => a.localeCompare(b)));
}
