import { Button } from "../../parts/button.tsx";
import { Moment } from "../../parts/moment.tsx";
import { ProblemView } from "../../parts/problem-view.tsx";
import type { Workload } from "../../store/live-store.ts";
import { t } from "../../words/messages.ts";
import { useAction } from "../actions/use-action.ts";
import { ChangeList } from "./change-list.tsx";
import { type Details, useUndo } from "./details.ts";

interface LastChangeProps {
  readonly workload: Workload;
  readonly undo: NonNullable<Details["undo"]>;
}

/** The last change of a server's settings, whoever made it, and the way back. */
export function LastChange({ workload: { name }, undo }: LastChangeProps) {
  const action = useAction();
  const takeBack = useUndo(name);
  const { changes, restarts, not_kept: lost } = undo;
  return (
    <section className="panel panel--below">
      <h2>{t("undo.title")}</h2>
      <p>
        <Moment at={undo.changed_at} />
      </p>
      {lost.length > 0 ? (
        <p>{t("undo.lost", { settings: lost.join(", ") })}</p>
      ) : (
        <>
          <ChangeList changes={changes} caption={t("undo.changes")} />
          {restarts && <p className="field__hint">{t("undo.restarts")}</p>}
          <div>
            <Button isBusy={action.isBusy} onClick={() => void action.run(takeBack)}>
              {t("undo.button")}
            </Button>
          </div>
        </>
      )}
      {action.problem !== undefined && <ProblemView problem={action.problem} />}
    </section>
  );
}
