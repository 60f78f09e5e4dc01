import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { useDeferredValue, useMemo, useState } from "react";
import { call } from "../../api/client.ts";
import { Button } from "../../parts/button.tsx";
import { CommandLine } from "../../parts/command-line.tsx";
import { EmptyState } from "../../parts/empty-state.tsx";
import { ProblemView, toProblem } from "../../parts/problem-view.tsx";
import { Segments } from "../../parts/segments.tsx";
import type { Workload } from "../../store/live-store.ts";
import { t } from "../../words/messages.ts";
import { findOffers, type Listed, type Offer, readOffers } from "./offers.ts";
import { KINDS, type Kind, type TabSearch } from "./tools-search.ts";
import { TryIt } from "./try-it.tsx";

/** Longer lists are searched, not scrolled. */
const MAX_LISTED = 500;

/** What the server offers, and each of it to try. Which one is tried stands in the address. */
export function Tools({ workload: { name, status, created_at: version } }: { readonly workload: Workload }) {
  const { kind = "tools", item } = useSearch({ strict: false }) as TabSearch;
  const navigate = useNavigate();
  const [text, setText] = useState("");
  const deferred = useDeferredValue(text);
  const isUp = status === "running" || status === "unhealthy";
  const listed = useQuery({
    queryKey: ["offers", name, version, kind],
    queryFn: ({ signal }) => listOffers(name, kind, signal),
    enabled: isUp,
    retry: false,
  });
  const offers = useMemo(() => (listed.data === undefined ? undefined : readOffers(listed.data)), [listed.data]);
  const shown = useMemo(() => findOffers(offers ?? [], deferred), [offers, deferred]);
  if (!isUp) {
    return (
      <EmptyState title={t("tools.stopped")} text={t("tools.stoppedText")}>
        <CommandLine command={`thv restart ${name}`} />
      </EmptyState>
    );
  }
  const chosen = offers?.find(({ id }) => id === item);
  return (
    <div className="offers">
      <div className="offers__side">
        <Segments
          label={t("tools.kind")}
          value={kind}
          options={KINDS.map((value) => ({ value, label: t(`tools.${value}`) }))}
          onChange={(next) =>
            void navigate({ to: "/servers/$name/$tab", params: { name, tab: "tools" }, search: { kind: next } })
          }
        />
        <input
          type="search"
          aria-label={t("tools.search")}
          placeholder={t("tools.search")}
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
        {listed.error !== null && (
          <ProblemView problem={toProblem(listed.error)} onRetry={() => void listed.refetch()} />
        )}
        {listed.isPending && <p className="quiet">{t("app.loading")}</p>}
        {offers?.length === 0 && <p className="quiet">{t("tools.none")}</p>}
        {offers !== undefined && offers.length > 0 && shown.length === 0 && (
          <p className="quiet">{t("tools.noMatch")}</p>
        )}
        <OfferList name={name} kind={kind} offers={shown.slice(0, MAX_LISTED)} chosen={item} />
        {offers !== undefined && (
          <Button isBusy={listed.isFetching} onClick={() => void listed.refetch()}>
            {t("tools.again")}
          </Button>
        )}
        <CommandLine command={`thv mcp list ${kind} --server ${name}`} />
      </div>
      {chosen === undefined ? (
        offers !== undefined && offers.length > 0 && <p className="quiet">{t("tools.choose")}</p>
      ) : (
        <TryIt key={`${kind} ${chosen.id}`} name={name} offer={chosen} />
      )}
    </div>
  );
}

interface OfferListProps {
  readonly name: string;
  readonly kind: Kind;
  readonly offers: readonly Offer[];
  readonly chosen: string | undefined;
}

function OfferList({ name, kind, offers, chosen }: OfferListProps) {
  return (
    <ul className="offers__list">
      {offers.map(({ id, title, description }) => (
        <li key={id}>
          <Link
            to="/servers/$name/$tab"
            params={{ name, tab: "tools" }}
            search={{ kind, item: id }}
            resetScroll={false}
            className="offers__link"
            aria-current={id === chosen ? "true" : undefined}
          >
            <span className="offers__name">{title}</span>
            {description !== undefined && <span className="offers__text">{description.slice(0, 200)}</span>}
          </Link>
        </li>
      ))}
    </ul>
  );
}

async function listOffers(name: string, kind: Kind, signal: AbortSignal): Promise<Listed> {
  const input = { params: { name }, signal };
  if (kind === "tools") return await call("listWorkloadTools", input);
  if (kind === "prompts") return await call("listWorkloadPrompts", input);
  return await call("listWorkloadResources", input);
}
