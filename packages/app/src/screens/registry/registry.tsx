import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useMemo, useState } from "react";
import { call } from "../../api/client.ts";
import { Button } from "../../parts/button.tsx";
import { CommandLine } from "../../parts/command-line.tsx";
import { SearchBox } from "../../parts/field.tsx";
import { Moment } from "../../parts/moment.tsx";
import { PageHead } from "../../parts/page-head.tsx";
import { ProblemView, toProblem } from "../../parts/problem-view.tsx";
import { t } from "../../words/messages.ts";
import { useAction } from "../actions/use-action.ts";
import { isRemoteEntry, type RegistryEntry, selectEntries } from "./select-entries.ts";
import { SkippedEntries } from "./skipped-entries.tsx";

export function Registry() {
  const info = useQuery({ queryKey: ["registry"], queryFn: () => call("listRegistries") });
  const entries = useQuery({
    queryKey: ["registry", "servers"],
    queryFn: () => call("listServers", { params: { name: "default" } }),
  });
  const [text, setText] = useState("");
  const [tier, setTier] = useState("");
  const [transport, setTransport] = useState("");
  const all = useMemo(
    () => [...(entries.data?.servers ?? []), ...(entries.data?.remote_servers ?? [])],
    [entries.data],
  );
  const shown = useMemo(() => selectEntries(all, { text, tier, transport }), [all, text, tier, transport]);
  const action = useAction();
  const queries = useQueryClient();
  const refresh = async () => {
    await call("refreshRegistry", { params: { name: "default" } });
    await queries.invalidateQueries({ queryKey: ["registry"] });
  };
  const {
    last_updated: updated,
    stale_reason: stale,
    checked_at: checked,
    skipped_count: skipped = 0,
  } = {
    ...info.data?.registries[0],
  };
  return (
    <>
      <PageHead title={t("registry.title")}>
        <Button isBusy={action.isBusy} onClick={() => void action.run(refresh)}>
          {t("registry.refresh")}
        </Button>
      </PageHead>
      {updated !== undefined && <Freshness updated={updated} checked={checked} />}
      {action.problem !== undefined && <ProblemView problem={action.problem} />}
      {stale !== undefined && <p className="notice">{t("registry.stale", { reason: stale })}</p>}
      {skipped > 0 && <SkippedEntries count={skipped} />}
      {entries.error !== null && (
        <ProblemView problem={toProblem(entries.error)} onRetry={() => void entries.refetch()} />
      )}
      <div className="tools">
        <SearchBox label={t("registry.search")} text={text} onChange={setText} />
        <Choice label={t("registry.tier")} value={tier} options={listValues(all, "tier")} onChange={setTier} />
        <Choice
          label={t("registry.transport")}
          value={transport}
          options={listValues(all, "transport")}
          onChange={setTransport}
        />
        <p className="tools__count" role="status">
          {entries.data !== undefined && t("registry.count", { count: shown.length, total: all.length })}
        </p>
      </div>
      <ul className="cards">
        {shown.map((entry) => (
          <EntryCard key={entry.name} entry={entry} />
        ))}
      </ul>
      {entries.data !== undefined && shown.length === 0 && <p className="quiet">{t("registry.noMatch")}</p>}
      <CommandLine command={text === "" ? "thv registry list" : `thv search ${text}`} />
    </>
  );
}

interface FreshnessProps {
  readonly updated: string;
  readonly checked: string | undefined;
}

function Freshness({ updated, checked }: FreshnessProps) {
  return (
    <p className="lead">
      {t("registry.updated", { date: formatDate(updated) })}
      {checked !== undefined && (
        <>
          {" "}
          {t("registry.checked")} <Moment at={checked} />.
        </>
      )}
    </p>
  );
}

function EntryCard({ entry }: { readonly entry: RegistryEntry }) {
  return (
    <li className="card">
      <h2>
        <Link to="/registry/$entry" params={{ entry: entry.name }}>
          {entry.name}
        </Link>
      </h2>
      <p>{entry.description}</p>
      <p className="card__foot">
        {isRemoteEntry(entry) && <span className="chip">{t("remote.mark")}</span>}
        <span className="chip">{entry.tier}</span>
        <span className="chip">{entry.transport}</span>
        {entry.status === "Deprecated" && <span className="chip chip--bad">{t("registry.deprecated")}</span>}
        <span className="quiet">
          {entry.tools.length} {t("registry.tools").toLowerCase()}
        </span>
      </p>
    </li>
  );
}

/** @param at ISO 8601. */
function formatDate(at: string): string {
  const date = new Date(at);
  return Number.isNaN(date.getTime()) ? at : new Intl.DateTimeFormat("en", { dateStyle: "long" }).format(date);
}

interface ChoiceProps {
  readonly label: string;
  readonly value: string;
  readonly options: readonly string[];
  readonly onChange: (value: string) => void;
}

function Choice({ label, value, options, onChange }: ChoiceProps) {
  return (
    <label className="choice">
      {label}
      <select value={value} onChange={(event) => onChange(event.target.value)}>
        <option value="">{t("registry.any")}</option>
        {options.map((option) => (
          <option key={option}>{option}</option>
        ))}
      </select>
    </label>
  );
}

function listValues(entries: readonly RegistryEntry[], member: "tier" | "transport"): string[] {
  return [...new Set(entries.map((entry) => entry[member]))].sort();
}
