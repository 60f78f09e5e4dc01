import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { quoteWord } from "@toolhive/http/values";
import { useDeferredValue, useMemo, useState } from "react";
import { call } from "../../api/client.ts";
import { Button } from "../../parts/button.tsx";
import { CommandLine } from "../../parts/command-line.tsx";
import { EmptyState } from "../../parts/empty-state.tsx";
import { SearchBox } from "../../parts/field.tsx";
import { ProblemView, toProblem } from "../../parts/problem-view.tsx";
import { Segments } from "../../parts/segments.tsx";
import type { Workload } from "../../store/live-store.ts";
import { t } from "../../words/messages.ts";
import { ChoiceNotes } from "../tool-choice/choice-notes.tsx";
import { OfferBox } from "../tool-choice/offer-box.tsx";
import { RenameDialog } from "../tool-choice/rename-dialog.tsx";
import { allowTool, type ChoiceRow, denyTool, findOwnName, listChoices } from "../tool-choice/tool-choice.ts";
import { useToolChoice } from "../tool-choice/use-tool-choice.ts";
import { findOffers, type Listed, type Offer, readOffers } from "./offers.ts";
import { KINDS, type Kind, type TabSearch } from "./tools-search.ts";
import { TryIt } from "./try-it.tsx";

/** Longer lists are searched, not scrolled. */
const MAX_LISTED = 500;

/** The server's offers, each with a form to try it. The address contains the one that is tried. */
export function Tools({ workload }: { readonly workload: Workload }) {
  const { name, status, created_at: version } = workload;
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
  const listedNames = useMemo(() => (kind === "tools" ? offers?.map(({ id }) => id) : undefined), [kind, offers]);
  const control = useToolChoice(workload, listedNames !== undefined);
  const { chosen: choice } = control;
  const rows = choice === undefined ? [] : listChoices(listed.data?.states ?? []);
  if (!isUp) return <StoppedServer name={name} />;
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
        <SearchBox label={t("tools.search")} text={text} onChange={setText} />
        {listed.error !== null && (
          <ProblemView problem={toProblem(listed.error)} onRetry={() => void listed.refetch()} />
        )}
        <ListRemark offers={offers} isPending={listed.isPending} hasMatch={shown.length > 0} />
        <OfferList
          name={name}
          kind={kind}
          offers={shown.slice(0, MAX_LISTED)}
          chosen={item}
          others={findRows(rows, deferred).slice(0, MAX_LISTED)}
          isBusy={control.action.isBusy}
          onOffer={
            choice === undefined || listedNames === undefined
              ? undefined
              : (tool, isOffered) =>
                  void control.change((saved) =>
                    isOffered ? allowTool(saved, tool) : denyTool(saved, listedNames, tool),
                  )
          }
          isLast={rows.filter(({ state }) => state !== "hidden").length === 1}
        />
        {listedNames !== undefined && <ChoiceNotes owner={quoteWord(name)} rows={rows} control={control} />}
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
        <ChosenOffer name={name} kind={kind} offer={chosen} listed={listedNames} control={control} />
      )}
    </div>
  );
}

function StoppedServer({ name }: { readonly name: string }) {
  return (
    <EmptyState title={t("tools.stopped")} text={t("tools.stoppedText")}>
      <CommandLine command={`thv restart ${name}`} />
    </EmptyState>
  );
}

interface ListRemarkProps {
  /** Absent until they are read. */
  readonly offers: readonly Offer[] | undefined;
  readonly isPending: boolean;
  readonly hasMatch: boolean;
}

/** Why the list below is empty, if it is. */
function ListRemark({ offers, isPending, hasMatch }: ListRemarkProps) {
  if (isPending) return <p className="quiet">{t("app.loading")}</p>;
  if (offers === undefined || hasMatch) return null;
  return <p className="quiet">{t(offers.length === 0 ? "tools.none" : "tools.noMatch")}</p>;
}

interface ChosenOfferProps {
  readonly name: string;
  readonly kind: Kind;
  readonly offer: Offer;
  /** Names of the listed tools. Absent for other kinds. */
  readonly listed: readonly string[] | undefined;
  readonly control: ReturnType<typeof useToolChoice>;
}

function ChosenOffer({ name, kind, offer, listed, control }: ChosenOfferProps) {
  const navigate = useNavigate();
  const [isRenaming, setRenaming] = useState(false);
  const { chosen: choice } = control;
  return (
    <div>
      {choice !== undefined && kind === "tools" && (
        <div className="row__actions offers__choice">
          <Button aria-haspopup="dialog" onClick={() => setRenaming(true)}>
            {t("tools.rename")}
          </Button>
          {findOwnName(offer.id, choice) !== offer.id && (
            <span className="quiet">{t("tools.ownName", { own: findOwnName(offer.id, choice) })}</span>
          )}
        </div>
      )}
      <TryIt key={`${kind} ${offer.id}`} name={name} offer={offer} />
      {isRenaming && choice !== undefined && (
        <RenameDialog
          owner={quoteWord(name)}
          tool={offer.id}
          chosen={choice}
          listed={listed ?? []}
          control={control}
          onClose={(renamed) => {
            setRenaming(false);
            if (renamed === undefined || renamed === offer.id) return;
            const search = { kind, item: renamed };
            void navigate({ to: "/servers/$name/$tab", params: { name, tab: "tools" }, search, replace: true });
          }}
        />
      )}
    </div>
  );
}

interface OfferListProps {
  readonly name: string;
  readonly kind: Kind;
  readonly offers: readonly Offer[];
  readonly chosen: string | undefined;
  /** Tools that clients do not see. */
  readonly others: readonly ChoiceRow[];
  readonly isBusy: boolean;
  /** Whether only one visible tool remains, which cannot be hidden. */
  readonly isLast: boolean;
  /** Absent for offers that cannot be chosen, and until the choice is loaded. */
  readonly onOffer: ((tool: string, isOffered: boolean) => void) | undefined;
}

function OfferList({ name, kind, offers, chosen, others, isBusy, isLast, onOffer }: OfferListProps) {
  return (
    <ul className="offers__list">
      {offers.map(({ id, title, description }) => (
        <li key={id} className="offers__item">
          {onOffer !== undefined && <OfferBox tool={id} isOffered isBusy={isBusy} isLast={isLast} onOffer={onOffer} />}
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
      {onOffer !== undefined &&
        others.map(({ name: tool, state }) => (
          <li key={`${state} ${tool}`} className="offers__item">
            <OfferBox tool={tool} isOffered={state === "absent"} isBusy={isBusy} isLast={isLast} onOffer={onOffer} />
            <span className="offers__link offers__link--off">
              <span className="offers__name">{tool}</span>
              <span className="offers__text">{t(state === "absent" ? "tools.absent" : "tools.hidden")}</span>
            </span>
          </li>
        ))}
    </ul>
  );
}

/** Tools that clients do not see, and that have every word of a text. */
function findRows(rows: readonly ChoiceRow[], text: string): ChoiceRow[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  return rows.filter(
    ({ name, state }) => state !== "offered" && words.every((word) => name.toLowerCase().includes(word)),
  );
}

async function listOffers(name: string, kind: Kind, signal: AbortSignal): Promise<Listed> {
  const input = { params: { name }, signal };
  if (kind === "tools") return await call("listWorkloadTools", input);
  if (kind === "prompts") return await call("listWorkloadPrompts", input);
  return await call("listWorkloadResources", input);
}
