/** Clients against groups and servers: who has what, and a click shows what would change. On a narrow screen it is a list. */
import { type KeyboardEvent, useRef, useState } from "react";
import type { Group } from "../../store/group-places.ts";
import { t } from "../../words/messages.ts";
import { GroupDialog } from "./group-dialog.tsx";
import {
  findWays,
  listColumns,
  listRows,
  type MatrixClient,
  type MatrixColumn,
  move,
  type Place,
} from "./matrix-cells.ts";

interface MatrixProps {
  readonly clients: readonly MatrixClient[];
  readonly groups: readonly Group[];
}

interface Chosen {
  readonly client: MatrixClient;
  readonly column: MatrixColumn;
}

export function Matrix({ clients, groups }: MatrixProps) {
  const [chosen, setChosen] = useState<Chosen | undefined>();
  const rows = listRows(clients);
  const columns = listColumns(groups);
  if (rows.length === 0) return null;
  const isOneGroup = groups.length < 2;
  const props = { rows, columns, groups, onChoose: setChosen };
  return (
    <section aria-label={t("matrix.title")}>
      <h2>{t("matrix.title")}</h2>
      <p className="quiet">{t(isOneGroup ? "matrix.noGroups" : "matrix.hint")}</p>
      <Grid {...props} />
      <List {...props} />
      {chosen && (
        <GroupDialog
          client={chosen.client}
          column={chosen.column}
          groups={groups}
          onClose={() => setChosen(undefined)}
        />
      )}
    </section>
  );
}

interface TableProps {
  readonly rows: readonly MatrixClient[];
  readonly columns: readonly MatrixColumn[];
  readonly groups: readonly Group[];
  readonly onChoose: (chosen: Chosen) => void;
}

/** One cell is in the order of the Tab key; arrow keys lead to the others. */
function Grid({ rows, columns, groups, onChoose }: TableProps) {
  const [place, setPlace] = useState<Place>({ row: 0, column: 0 });
  const table = useRef<HTMLTableElement>(null);
  const follow = (event: KeyboardEvent) => {
    const next = move(place, event, rows.length, columns.length);
    if (next === undefined) return;
    event.preventDefault();
    setPlace(next);
    table.current?.querySelector<HTMLElement>(`[data-cell="${next.row}-${next.column}"]`)?.focus();
  };
  // A server or a client may have gone since.
  const row = Math.min(place.row, rows.length - 1);
  const column = Math.min(place.column, columns.length - 1);
  return (
    <div className="matrix">
      {/* biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: a table whose cells are chosen is a grid. */}
      <table ref={table} role="grid" aria-label={t("matrix.title")} onKeyDown={follow}>
        <thead>
          <tr>
            <th scope="col" rowSpan={2}>
              {t("matrix.client")}
            </th>
            <Kind kind="group" columns={columns} />
            <Kind kind="server" columns={columns} />
          </tr>
          <tr>
            {columns.map(({ kind, name }) => (
              <th key={`${kind} ${name}`} scope="col" className={`matrix__${kind}`}>
                <span className="matrix__name" title={name}>
                  {name}
                </span>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((client, rowAt) => (
            <tr key={client.client_type}>
              <th scope="row">{client.title}</th>
              {columns.map((each, columnAt) => (
                <td key={`${each.kind} ${each.name}`} className={`matrix__${each.kind}`}>
                  <button
                    type="button"
                    className="matrix__cell"
                    data-cell={`${rowAt}-${columnAt}`}
                    tabIndex={rowAt === row && columnAt === column ? 0 : -1}
                    aria-label={describeCell(client, each, groups)}
                    aria-haspopup="dialog"
                    onFocus={() => setPlace({ row: rowAt, column: columnAt })}
                    onClick={() => onChoose({ client, column: each })}
                  >
                    <Mark isOn={findWays(client.client_type, each, groups).length > 0} />
                  </button>
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** The heading of all groups, or of all servers. */
function Kind({ kind, columns }: { readonly kind: MatrixColumn["kind"]; readonly columns: readonly MatrixColumn[] }) {
  const count = columns.filter((column) => column.kind === kind).length;
  if (count === 0) return null;
  return (
    <th scope="colgroup" colSpan={count} className={`matrix__kind matrix__kind--${kind}`}>
      {t(kind === "group" ? "place.groups" : "place.servers")}
    </th>
  );
}

function List({ rows, columns, groups, onChoose }: TableProps) {
  return (
    <ul className="rows matrix-list">
      {rows.map((client) => (
        <li key={client.client_type} className="matrix-list__client">
          <span className="row__name">{client.title}</span>
          <ul>
            {columns
              .filter(({ kind }) => kind === "group")
              .map((column) => (
                <li key={column.name}>
                  <button
                    type="button"
                    className="matrix-list__group"
                    aria-label={describeCell(client, column, groups)}
                    aria-haspopup="dialog"
                    onClick={() => onChoose({ client, column })}
                  >
                    <Mark isOn={findWays(client.client_type, column, groups).length > 0} /> {column.name}
                    {column.others.length > 0 && <span className="quiet"> {column.others.join(", ")}</span>}
                  </button>
                </li>
              ))}
          </ul>
        </li>
      ))}
    </ul>
  );
}

function Mark({ isOn }: { readonly isOn: boolean }) {
  return (
    <span aria-hidden="true" className={isOn ? "matrix__mark matrix__mark--on" : "matrix__mark"}>
      {isOn ? "✓" : "·"}
    </span>
  );
}

function describeCell(
  { client_type: id, title }: MatrixClient,
  column: MatrixColumn,
  groups: readonly Group[],
): string {
  const ways = findWays(id, column, groups);
  const state =
    ways.length === 0
      ? t("matrix.hasNot")
      : column.kind === "group"
        ? t("clients.connected")
        : t("matrix.through", { groups: ways.join(", ") });
  return `${title}, ${column.name}: ${state}`;
}
