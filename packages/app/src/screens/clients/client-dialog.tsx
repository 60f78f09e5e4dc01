/** What a change would do to a client's file, before it is made. */

import { useQuery, useQueryClient } from "@tanstack/react-query";
import { call } from "../../api/client.ts";
import { ActionDialog } from "../../parts/dialog.tsx";
import { ProblemView, toProblem } from "../../parts/problem-view.tsx";
import { type MessageKey, t } from "../../words/messages.ts";
import { useAction } from "../actions/use-action.ts";
import { type FileChange, FileChangeView } from "./file-change.tsx";

export type ClientChange = "connect" | "disconnect" | "undo";

interface ClientDialogProps {
  /** As commands and requests call it. */
  readonly name: string;
  /** As people call it. */
  readonly title: string;
  readonly isInstalled: boolean;
  readonly change: ClientChange;
  readonly onClose: () => void;
}

const COMMANDS = { connect: "register", disconnect: "remove", undo: "undo" } as const;

export function ClientDialog({ name, title, isInstalled, change, onClose }: ClientDialogProps) {
  const action = useAction();
  const queries = useQueryClient();
  // Not kept: the file may be another one the next time.
  const plan = useQuery({
    queryKey: ["clients", "plan", change, name],
    queryFn: () => planChange(name, change),
    gcTime: 0,
  });
  const apply = async () => {
    if (!(await action.run(() => makeChange(name, change)))) return;
    await queries.invalidateQueries({ queryKey: ["clients"] });
    onClose();
  };
  const isImpossible = change === "undo" && plan.data?.length === 0;
  return (
    <ActionDialog
      title={t(`clients.${change}Title`, { name: title })}
      action={{ ...action, isBusy: action.isBusy || plan.isPending }}
      label={isImpossible ? undefined : t(`clients.${change}`)}
      onConfirm={apply}
      onCancel={onClose}
      command={`thv client ${COMMANDS[change]} ${name}`}
    >
      <p>{t(`clients.${change}Text`)}</p>
      {plan.error !== null && <ProblemView problem={toProblem(plan.error)} onRetry={() => void plan.refetch()} />}
      {plan.data?.length === 0 && <p className="quiet">{t(nameReason(change, isInstalled))}</p>}
      {plan.data?.map((file) => (
        <FileChangeView key={file.path} change={file} />
      ))}
    </ActionDialog>
  );
}

/** Why no file would be another one. */
function nameReason(change: ClientChange, isInstalled: boolean): MessageKey {
  if (change === "undo") return "clients.nothingToUndo";
  if (change === "connect") return isInstalled ? "clients.unchanged" : "clients.noFile";
  return "clients.noEntries";
}

async function planChange(name: string, change: ClientChange): Promise<FileChange[]> {
  if (change === "undo") {
    const { file } = await call("undoClient", { params: { name }, body: { apply: false } });
    return file === undefined ? [] : [file];
  }
  const body = change === "connect" ? { register: [name], unregister: [] } : { register: [], unregister: [name] };
  return (await call("planClients", { body })).files;
}

async function makeChange(name: string, change: ClientChange): Promise<unknown> {
  if (change === "connect") return await call("registerClient", { body: { name } });
  if (change === "disconnect") return await call("unregisterClient", { params: { name } });
  return await call("undoClient", { params: { name }, body: { apply: true } });
}
