/** Which client has which group, and through them which server: the cells of a table whose cells can be chosen. */
import { DEFAULT_GROUP, type Group } from "../../store/group-places.ts";
import { compareNames } from "../../store/natural-order.ts";

export interface MatrixClient {
  readonly client_type: string;
  readonly title: string;
  readonly installed: boolean;
  readonly registered: boolean;
}

export interface MatrixColumn {
  readonly kind: "group" | "server";
  readonly name: string;
  /** Of a group its servers, of a server its groups. */
  readonly others: readonly string[];
}

/** Groups first, `default` before the others, then servers. */
export function listColumns(groups: readonly Group[]): readonly MatrixColumn[] {
  const sorted = groups.toSorted(
    (left, right) =>
      Number(right.name === DEFAULT_GROUP) - Number(left.name === DEFAULT_GROUP) || compareNames(left.name, right.name),
  );
  const names = [...new Set(sorted.flatMap(({ workloads }) => workloads.map(({ name }) => name)))].sort(compareNames);
  return [
    ...sorted.map(({ name, workloads }) => ({
      ...{ kind: "group" as const, name, others: workloads.map((each) => each.name) },
    })),
    ...names.map((name) => ({
      kind: "server" as const,
      name,
      others: sorted.filter(({ workloads }) => workloads.some((each) => each.name === name)).map((group) => group.name),
    })),
  ];
}

/** Clients that are on this machine or connected; others have nothing to show. */
export function listRows<T extends MatrixClient>(clients: readonly T[]): readonly T[] {
  return clients.filter(({ installed, registered }) => installed || registered);
}

/** @returns The groups through which the client has what the column is for; of a group itself alone. */
export function findWays(client: string, { kind, name, others }: MatrixColumn, groups: readonly Group[]): string[] {
  const its = groups.filter((group) => group.registered_clients.includes(client)).map((group) => group.name);
  return its.filter((group) => (kind === "group" ? group === name : others.includes(group)));
}

export interface Place {
  readonly row: number;
  readonly column: number;
}

/** Where a key leads in a grid; `undefined` for any other key. */
export function move(
  { row, column }: Place,
  { key, ctrlKey }: { readonly key: string; readonly ctrlKey: boolean },
  rows: number,
  columns: number,
): Place | undefined {
  const clamp = (value: number, count: number) => Math.min(Math.max(value, 0), count - 1);
  switch (key) {
    case "ArrowLeft":
      return { row, column: clamp(column - 1, columns) };
    case "ArrowRight":
      return { row, column: clamp(column + 1, columns) };
    case "ArrowUp":
      return { row: clamp(row - 1, rows), column };
    case "ArrowDown":
      return { row: clamp(row + 1, rows), column };
    case "Home":
      return { row: ctrlKey ? 0 : row, column: 0 };
    case "End":
      return { row: ctrlKey ? rows - 1 : row, column: columns - 1 };
    default:
      return undefined;
  }
}
