import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { call } from "../../api/client.ts";
import { Button } from "../../parts/button.tsx";
import { CommandLine } from "../../parts/command-line.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { ProblemView } from "../../parts/problem-view.tsx";
import { t } from "../../words/messages.ts";
import { useAction } from "../actions/use-action.ts";
import { toRemoveCommand } from "./group-words.ts";

interface RemoveDialogProps {
  readonly name: string;
  /** @param isRemoved Whether the group was removed. */
  readonly onClose: (isRemoved: boolean) => void;
}

export function RemoveDialog({ name, onClose }: RemoveDialogProps) {
  const action = useAction();
  const queries = useQueryClient();
  const [isWithServers, setWithServers] = useState(false);
  const remove = async () => {
    const query = isWithServers ? { "with-workloads": "true" } : {};
    if (!(await action.run(() => call("deleteGroup", { params: { name }, query })))) return;
    onClose(true);
    await queries.invalidateQueries({ queryKey: ["groups"] });
  };
  return (
    <Dialog
      title={t("groups.removeTitle", { name })}
      onClose={() => onClose(false)}
      actions={
        <>
          <Button onClick={() => onClose(false)}>{t("action.cancel")}</Button>
          <Button look="danger" isBusy={action.isBusy} onClick={() => void remove()}>
            {t("groups.remove")}
          </Button>
        </>
      }
    >
      <p>{t("groups.removeText")}</p>
      <label className="check">
        <input type="checkbox" checked={isWithServers} onChange={(event) => setWithServers(event.target.checked)} />
        {t("groups.removeWith")}
      </label>
      {action.problem !== undefined && <ProblemView problem={action.problem} />}
      <CommandLine command={toRemoveCommand(name, isWithServers)} />
    </Dialog>
  );
}
