import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { useMemo } from "react";
import { EmptyState } from "../../parts/empty-state.tsx";
import { SearchBox } from "../../parts/field.tsx";
import { PageHead } from "../../parts/page-head.tsx";
import { Segments } from "../../parts/segments.tsx";
import { needsAttention } from "../../parts/status-mark.tsx";
import { DEFAULT_GROUP, type Group, indexByServer, listGroupServers } from "../../store/group-places.ts";
import { useGroups } from "../../store/groups.ts";
import { useLive } from "../../store/live.ts";
import { t } from "../../words/messages.ts";
import { useUsageList } from "../usage/use-usage.ts";
import { ServerRow } from "./server-row.tsx";
import { type ServersSearch, SHOWN, SORTED, selectServers } from "./servers-search.ts";

/** The same list each time, so that rows are not drawn again. */
const NONE: readonly never[] = [];

export function Servers() {
  const { workloads } = useLive();
  const { data: groups = NONE } = useGroups();
  const usage = useUsageList();
  const groupsByServer = useMemo(() => indexByServer(groups), [groups]);
  const search = useSearch({ from: "/" });
  const navigate = useNavigate({ from: "/" });
  if (workloads === undefined) return <PageHead title={t("servers.title")} />;
  const all = [...workloads.values()];
  const { group } = search;
  const members = group === undefined ? undefined : (listGroupServers(groups, group) ?? new Set<string>());
  const inGroup = members === undefined ? all : all.filter(({ name }) => members.has(name));
  const shown = selectServers(all, search, members, usage);
  const change = (next: Partial<ServersSearch>) => {
    const merged = Object.fromEntries(
      Object.entries({ ...search, ...next }).filter(([, value]) => value !== undefined),
    );
    void navigate({ search: merged, replace: true });
  };
  const counts = {
    all: inGroup.length,
    running: count(inGroup, ({ status }) => status === "running"),
    attention: count(inGroup, needsAttention),
  };
  return (
    <>
      <PageHead title={t("servers.title")}>
        <Link to="/add" className="button button--primary">
          {t("place.add")}
        </Link>
      </PageHead>
      {all.length === 0 ? (
        <EmptyState title={t("servers.emptyTitle")} text={t("servers.emptyText")}>
          <Link to="/registry" className="button button--primary">
            {t("servers.browse")}
          </Link>
          <Link to="/add" className="button button--plain">
            {t("place.add")}
          </Link>
        </EmptyState>
      ) : (
        <>
          <div className="tools">
            <SearchBox
              label={t("servers.search")}
              text={search.q ?? ""}
              onChange={(text) => change({ q: text === "" ? undefined : text } as ServersSearch)}
            />
            <Segments
              label={t("servers.filter")}
              value={search.show ?? "all"}
              options={SHOWN.map((value) => ({ value, label: t(`servers.${value}`), count: counts[value] }))}
              onChange={(show) => change({ show })}
            />
            <GroupChoice
              groups={groups}
              value={group ?? ""}
              onChange={(next) => change({ group: next === "" ? undefined : next } as ServersSearch)}
            />
            <p className="tools__count" role="status">
              {t("servers.count", { count: shown.length, total: all.length })}
            </p>
          </div>
          <ServerTable {...{ shown, search, groupsByServer, usage }} onSort={change} />
          {shown.length === 0 && <p className="quiet">{t("servers.noMatch")}</p>}
        </>
      )}
    </>
  );
}

interface ServerTableProps {
  readonly shown: ReturnType<typeof selectServers>;
  readonly search: ServersSearch;
  readonly groupsByServer: ReturnType<typeof indexByServer>;
  readonly usage: ReturnType<typeof useUsageList>;
  readonly onSort: (next: Partial<ServersSearch>) => void;
}

function ServerTable({ shown, search, groupsByServer, usage, onSort }: ServerTableProps) {
  return (
    <table className="table servers">
      <thead>
        <tr>
          {SORTED.map((sort) => (
            <SortHead key={sort} sort={sort} search={search} onSort={onSort} />
          ))}
          <th scope="col">{t("servers.clients")}</th>
          <th scope="col">{t("servers.address")}</th>
          <th scope="col">
            <span className="visually-hidden">{t("servers.actions")}</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {shown.map((workload) => (
          <ServerRow
            key={workload.name}
            workload={workload}
            groups={groupsByServer.get(workload.name) ?? NONE}
            usage={usage.get(workload.name)}
          />
        ))}
      </tbody>
    </table>
  );
}

interface GroupChoiceProps {
  readonly groups: readonly Group[];
  /** Empty: any. */
  readonly value: string;
  readonly onChange: (name: string) => void;
}

/** Nothing where there is no group but the one of all. */
function GroupChoice({ groups, value, onChange }: GroupChoiceProps) {
  const names = groups.map(({ name }) => name);
  if (value === "" && names.every((name) => name === DEFAULT_GROUP)) return null;
  // The value in the address may have been removed, or not be loaded yet.
  const options = value === "" || names.includes(value) ? names : [...names, value];
  return (
    <label className="choice">
      {t("servers.group")}
      <select value={value} onChange={(event) => onChange(event.target.value)}>
        <option value="">{t("servers.anyGroup")}</option>
        {options.map((name) => (
          <option key={name}>{name}</option>
        ))}
      </select>
    </label>
  );
}

interface SortHeadProps {
  readonly sort: (typeof SORTED)[number];
  readonly search: ServersSearch;
  readonly onSort: (next: Partial<ServersSearch>) => void;
}

function SortHead({ sort, search, onSort }: SortHeadProps) {
  const isSorted = (search.sort ?? "name") === sort;
  const isDown = search.down === true;
  const direction = isDown ? ("descending" as const) : ("ascending" as const);
  return (
    <th scope="col" aria-sort={isSorted ? direction : "none"}>
      <button
        type="button"
        className="table__sort"
        onClick={() => onSort({ sort, down: isSorted && !isDown ? true : undefined } as Partial<ServersSearch>)}
      >
        {t(`servers.${sort}`)}
        <svg viewBox="0 0 10 10" aria-hidden="true" data-sorted={isSorted} data-down={isDown}>
          <path d="M5 2 9 7H1z" />
        </svg>
      </button>
    </th>
  );
}

function count<Item>(items: readonly Item[], test: (item: Item) => boolean): number {
  return items.filter(test).length;
}
