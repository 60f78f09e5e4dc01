/** A server joins a group: who gets its tools then, who loses its entry, and whether it leaves the group that it came from. */
import { useQueryClient } from "@tanstack/react-query";
import { quoteWord } from "@toolhive/http/values";
import { useState } from "react";
import { call } from "../../api/client.ts";
import { ActionDialog } from "../../parts/dialog.tsx";
import { CheckBox, Field } from "../../parts/field.tsx";
import { DEFAULT_GROUP, type Group } from "../../store/group-places.ts";
import { t } from "../../words/messages.ts";
import { useAction } from "../actions/use-action.ts";
import { listTargets, type Move } from "./move.ts";

interface MoveDialogProps {
  readonly server: string;
  /** The group that it was taken from. */
  readonly from: string;
  /** The group that it was put on; absent where it is chosen here. */
  readonly to?: string | undefined;
  readonly groups: readonly Group[];
  readonly onClose: (done?: Move) => void;
}

export function MoveDialog({ server, from, to, groups, onClose }: MoveDialogProps) {
  const action = useAction();
  const queries = useQueryClient();
  const targets = listTargets(groups, server);
  const [chosen, setChosen] = useState(to ?? targets[0] ?? "");
  const [isLeaving, setLeaving] = useState(false);
  const canLeave = from !== DEFAULT_GROUP;
  const listGroupClients = (name: string) => groups.find((group) => group.name === name)?.registered_clients ?? [];
  const move: Move = { server, to: chosen, ...(canLeave && isLeaving && { left: from }) };
  const apply = async () => {
    const isDone = await action.run(() => makeMove(move));
    await queries.invalidateQueries({ queryKey: ["groups"] });
    if (isDone) onClose(move);
  };
  const losing = chosen === "" || (canLeave && !isLeaving) ? [] : listGroupClients(from);
  return (
    <ActionDialog
      title={t("move.title", { name: server })}
      action={action}
      label={chosen === "" ? undefined : t("move.confirm", { group: chosen })}
      onConfirm={apply}
      onCancel={() => onClose()}
      command={`thv group add ${quoteWord(chosen === "" ? "GROUP" : chosen)} ${quoteWord(server)}`}
    >
      {targets.length === 0 ? (
        <p>{t("move.nowhere")}</p>
      ) : (
        <Field label={t("matrix.group")}>
          {(control) => (
            <select {...control} value={chosen} onChange={(event) => setChosen(event.target.value)}>
              {targets.map((name) => (
                <option key={name}>{name}</option>
              ))}
            </select>
          )}
        </Field>
      )}
      {canLeave && chosen !== "" && (
        <CheckBox label={t("move.leave", { group: from })} checked={isLeaving} onChange={setLeaving} />
      )}
      {listGroupClients(chosen).length > 0 && (
        <p>{t("move.gain", { clients: listGroupClients(chosen).join(", "), group: chosen })}</p>
      )}
      {losing.length > 0 && <p>{t("move.lose", { clients: losing.join(", "), group: from })}</p>}
    </ActionDialog>
  );
}

async function makeMove({ server, to, left }: Move): Promise<void> {
  await call("addGroupWorkload", { params: { name: to, workload: server } });
  if (left !== undefined) await call("removeGroupWorkload", { params: { name: left, workload: server } });
}

/** Back in the group that it left first, so that it is never in none. */
export async function undoMove({ server, to, left }: Move): Promise<void> {
  if (left !== undefined) await call("addGroupWorkload", { params: { name: left, workload: server } });
  await call("removeGroupWorkload", { params: { name: to, workload: server } });
}
