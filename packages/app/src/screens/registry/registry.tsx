/** The catalogue: the entries of all registries, searched by name or by need, and chosen by source and kind. */
import { keepPreviousData, useQuery, useQueryClient } from "@tanstack/react-query";
import { quoteWord } from "@toolhive/http/values";
import { useDeferredValue, useEffect, useMemo, useState } from "react";
import { call } from "../../api/client.ts";
import { Button } from "../../parts/button.tsx";
import { CommandLine } from "../../parts/command-line.tsx";
import { SearchBox } from "../../parts/field.tsx";
import { PageHead } from "../../parts/page-head.tsx";
import { ProblemView, toProblem } from "../../parts/problem-view.tsx";
import { t } from "../../words/messages.ts";
import { useAction } from "../actions/use-action.ts";
import { EntryCard } from "./entry-card.tsx";
import { Groups } from "./groups.tsx";
import { ANY_ENTRY, type Catalog, type EntryFilter, readFacts, selectEntries } from "./select-entries.ts";
import { SkippedEntries } from "./skipped-entries.tsx";
import { Sources } from "./sources.tsx";

/** Cards that are drawn at once: a registry may have thousands. */
const PAGE = 60;
/** Milliseconds without a key before the search is asked. */
const PAUSE_MS = 200;

export function Registry() {
  const [text, setText] = useState("");
  const search = usePaused(text.trim());
  const catalog = useQuery({
    queryKey: ["registry", "catalog", search],
    queryFn: () => call("listCatalog", { query: search === "" ? {} : { search } }),
    placeholderData: keepPreviousData,
  });
  const [filter, setFilter] = useState(ANY_ENTRY);
  const { entries, sources, groups } = catalog.data ?? NO_CATALOG;
  const shown = useMemo(() => selectEntries(entries, filter), [entries, filter]);
  const skipped = sources.filter(({ skipped_count: count = 0 }) => count > 0);
  const queries = useQueryClient();
  const action = useAction();
  const refresh = async () => {
    // One that fails has its reason in the list.
    await Promise.allSettled(sources.map(({ name }) => call("refreshRegistry", { params: { name } })));
    await queries.invalidateQueries({ queryKey: ["registry"] });
  };
  return (
    <>
      <PageHead title={t("registry.title")}>
        <Button isBusy={action.isBusy} onClick={() => void action.run(refresh)}>
          {t("registry.refresh")}
        </Button>
      </PageHead>
      <Sources sources={sources} />
      {action.problem !== undefined && <ProblemView problem={action.problem} />}
      {skipped.map(({ name, skipped_count: count = 0 }) => (
        <SkippedEntries key={name} source={name} count={count} />
      ))}
      {catalog.error !== null && (
        <ProblemView problem={toProblem(catalog.error)} onRetry={() => void catalog.refetch()} />
      )}
      <div className="tools">
        <SearchBox label={t("registry.search")} text={text} onChange={setText} />
        <Choices filter={filter} catalog={catalog.data} onChange={setFilter} />
        <p className="tools__count" role="status">
          {catalog.data !== undefined && t("registry.count", { count: shown.length, total: countAll(catalog.data) })}
        </p>
      </div>
      {groups.length > 0 && search === "" && <Groups groups={groups} />}
      {catalog.isPending && <Loading />}
      {catalog.data !== undefined && <Cards entries={shown} />}
      {catalog.data !== undefined && shown.length === 0 && <p className="quiet">{t("registry.noMatch")}</p>}
      <CommandLine command={search === "" ? "thv registry list" : `thv search ${quoteWord(search)}`} />
    </>
  );
}

const NO_CATALOG: Catalog = { entries: [], sources: [], groups: [] };

function countAll({ sources }: Catalog): number {
  return sources.reduce((sum, { server_count: count }) => sum + count, 0);
}

/** The text, once no key was pressed for a moment. */
function usePaused(text: string): string {
  const [paused, setPaused] = useState(text);
  useEffect(() => {
    const timer = window.setTimeout(() => setPaused(text), PAUSE_MS);
    return () => window.clearTimeout(timer);
  }, [text]);
  return useDeferredValue(paused);
}

function Cards({ entries }: { readonly entries: ReturnType<typeof selectEntries> }) {
  const [pages, setPages] = useState(1);
  const shown = entries.slice(0, pages * PAGE);
  const left = entries.length - shown.length;
  return (
    <>
      <ul className="cards">
        {shown.map((entry) => (
          <EntryCard key={`${entry.source}/${entry.reference}`} entry={entry} />
        ))}
      </ul>
      {left > 0 && <Button onClick={() => setPages(pages + 1)}>{t("registry.more", { count: left })}</Button>}
    </>
  );
}

/** Empty cards where the entries will be. */
function Loading() {
  return (
    <>
      <p className="quiet" role="status">
        {t("app.loading")}
      </p>
      <ul className="cards" aria-hidden="true">
        {["a", "b", "c", "d", "e", "f"].map((key) => (
          <li key={key} className="card card--empty" />
        ))}
      </ul>
    </>
  );
}

interface ChoicesProps {
  readonly filter: EntryFilter;
  readonly catalog: Catalog | undefined;
  readonly onChange: (filter: EntryFilter) => void;
}

function Choices({ filter, catalog, onChange }: ChoicesProps) {
  const { entries, sources } = catalog ?? NO_CATALOG;
  const tiers = [...new Set(entries.map((entry) => readFacts(entry).tier))].sort();
  return (
    <>
      {sources.length > 1 && (
        <Choice
          label={t("registry.source")}
          value={filter.source}
          options={sources.map(({ name }) => [name, name])}
          onChange={(source) => onChange({ ...filter, source })}
        />
      )}
      <Choice
        label={t("registry.place")}
        value={filter.place}
        options={[
          ["container", t("registry.container")],
          ["remote", t("remote.mark")],
        ]}
        onChange={(place) => onChange({ ...filter, place: place === "container" || place === "remote" ? place : "" })}
      />
      <Choice
        label={t("registry.tier")}
        value={filter.tier}
        options={tiers.map((tier) => [tier, tier])}
        onChange={(tier) => onChange({ ...filter, tier })}
      />
    </>
  );
}

interface ChoiceProps {
  readonly label: string;
  readonly value: string;
  readonly options: readonly (readonly [value: string, label: string])[];
  readonly onChange: (value: string) => void;
}

function Choice({ label, value, options, onChange }: ChoiceProps) {
  return (
    <label className="choice">
      {label}
      <select value={value} onChange={(event) => onChange(event.target.value)}>
        <option value="">{t("registry.any")}</option>
        {options.map(([option, name]) => (
          <option key={option} value={option}>
            {name}
          </option>
        ))}
      </select>
    </label>
  );
}
