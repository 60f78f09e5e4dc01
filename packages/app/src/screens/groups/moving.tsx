/** A server on its way from one group to another: dragged, asked about, moved, and put back. */
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { Button } from "../../parts/button.tsx";
import { ProblemView } from "../../parts/problem-view.tsx";
import { t } from "../../words/messages.ts";
import { useAction } from "../actions/use-action.ts";
import type { Dragged, Move } from "./move.ts";
import { undoMove } from "./move-dialog.tsx";

export type Moving = ReturnType<typeof useMoving>;

interface Asked extends Dragged {
  readonly to?: string;
}

export function useMoving() {
  const [dragged, setDragged] = useState<Dragged | undefined>();
  const [asked, setAsked] = useState<Asked | undefined>();
  const [done, setDone] = useState<Move | undefined>();
  return {
    dragged,
    asked,
    done,
    drag: (next: Dragged | undefined) => setDragged(next),
    ask: (next: Asked) => {
      setDragged(undefined);
      setAsked(next);
    },
    close: (move?: Move) => {
      setAsked(undefined);
      if (move !== undefined) setDone(move);
    },
    forget: () => setDone(undefined),
  };
}

/** What was moved last, with the way back. */
export function Moved({ moving: { done, forget } }: { readonly moving: Moving }) {
  const action = useAction();
  const queries = useQueryClient();
  const undo = async (move: Move) => {
    const isDone = await action.run(() => undoMove(move));
    await queries.invalidateQueries({ queryKey: ["groups"] });
    if (isDone) forget();
  };
  return (
    <div role="status">
      {done !== undefined && (
        <p>
          {t("move.done", { name: done.server, group: done.to })}{" "}
          <Button isBusy={action.isBusy} onClick={() => void undo(done)}>
            {t("move.undo")}
          </Button>
        </p>
      )}
      {action.problem !== undefined && <ProblemView problem={action.problem} />}
    </div>
  );
}
