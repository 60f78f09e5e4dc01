/** The tools that clients of a group see: which are offered, under which names. */
import { useQuery } from "@tanstack/react-query";
import { quoteWord } from "@toolhive/http/values";
import { useMemo, useState } from "react";
import { call } from "../../api/client.ts";
import { Button } from "../../parts/button.tsx";
import { ProblemView, toProblem } from "../../parts/problem-view.tsx";
import type { Group } from "../../store/group-places.ts";
import { t } from "../../words/messages.ts";
import { ChoiceNotes } from "../tool-choice/choice-notes.tsx";
import { OfferBox } from "../tool-choice/offer-box.tsx";
import { RenameDialog } from "../tool-choice/rename-dialog.tsx";
import { allowTool, denyTool, listChoices } from "../tool-choice/tool-choice.ts";
import { useGroupChoice } from "../tool-choice/use-group-choice.ts";
import { countTools } from "./group-words.ts";

/** Longer lists are edited with commands. */
const MAX_LISTED = 500;

export function GroupTools({ group }: { readonly group: Group }) {
  const { name } = group;
  const owner = `--group ${quoteWord(name)}`;
  const read = useQuery({
    // Servers that start and end add and remove tools.
    queryKey: ["group-tools", name, countTools(group)],
    queryFn: ({ signal }) => call("listGroupTools", { params: { name }, signal }),
    retry: false,
  });
  const listed = useMemo(() => read.data?.tools.map((tool) => String(tool.name)), [read.data]);
  const control = useGroupChoice(group);
  const [renamed, setRenamed] = useState<string | undefined>();
  const chosen = control.chosen ?? {};
  const rows = read.data === undefined ? [] : listChoices(read.data.states);
  const isLast = rows.filter(({ state }) => state !== "hidden").length === 1;
  const onOffer = (tool: string, isOffered: boolean) =>
    void control.change((saved) => (isOffered ? allowTool(saved, tool) : denyTool(saved, listed ?? [], tool)));
  return (
    <section className="panel panel--wide group-tools" aria-label={t("groups.toolsTitle")}>
      <h2>{t("groups.toolsTitle")}</h2>
      {read.error !== null && <ProblemView problem={toProblem(read.error)} onRetry={() => void read.refetch()} />}
      {read.isPending && <p className="quiet">{t("app.loading")}</p>}
      {listed?.length === 0 && rows.length === 0 && <p className="quiet">{t("groups.noTools")}</p>}
      <ul className="offers__list">
        {rows.slice(0, MAX_LISTED).map(({ name: tool, state, server }) => (
          <li key={`${state} ${tool}`} className="offers__item">
            <OfferBox
              tool={tool}
              isOffered={state !== "hidden"}
              isBusy={control.action.isBusy}
              isLast={isLast}
              onOffer={onOffer}
            />
            <span className={`offers__link${state === "offered" ? "" : " offers__link--off"}`}>
              <span className="offers__name">{tool}</span>
              {server !== undefined && <span className="offers__text">{server}</span>}
              {state !== "offered" && (
                <span className="offers__text">{t(state === "absent" ? "groups.absent" : "tools.hidden")}</span>
              )}
            </span>
            {state === "offered" && (
              <Button
                aria-haspopup="dialog"
                aria-label={t("groups.renameTool", { name: tool })}
                onClick={() => setRenamed(tool)}
              >
                {t("groups.rename")}
              </Button>
            )}
          </li>
        ))}
      </ul>
      {listed !== undefined && <ChoiceNotes owner={owner} isGroup rows={rows} control={control} />}
      {renamed !== undefined && (
        <RenameDialog
          owner={owner}
          tool={renamed}
          chosen={chosen}
          listed={listed ?? []}
          control={control}
          onClose={() => setRenamed(undefined)}
        />
      )}
    </section>
  );
}
