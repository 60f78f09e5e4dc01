/** What connecting a client to a group, or disconnecting it, does to the client's file; of a server, through which of its groups. */
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { quoteWord } from "@toolhive/http/values";
import { useState } from "react";
import { call } from "../../api/client.ts";
import { ActionDialog } from "../../parts/dialog.tsx";
import { ProblemView, toProblem } from "../../parts/problem-view.tsx";
import { Segments } from "../../parts/segments.tsx";
import type { Group } from "../../store/group-places.ts";
import { t } from "../../words/messages.ts";
import { useAction } from "../actions/use-action.ts";
import { FileChangeView } from "./file-change.tsx";
import { findWays, type MatrixClient, type MatrixColumn } from "./matrix-cells.ts";

interface GroupDialogProps {
  readonly client: MatrixClient;
  readonly column: MatrixColumn;
  readonly groups: readonly Group[];
  readonly onClose: () => void;
}

export function GroupDialog({ client, column, groups, onClose }: GroupDialogProps) {
  const { client_type: id, title, installed } = client;
  const offered = column.kind === "group" ? [column.name] : column.others;
  const [chosen, setChosen] = useState(findWays(id, column, groups)[0] ?? offered[0] ?? "");
  const isIn = groups.find(({ name }) => name === chosen)?.registered_clients.includes(id) ?? false;
  const action = useAction();
  const queries = useQueryClient();
  // Not kept: the file may be another one the next time.
  const plan = useQuery({
    queryKey: ["clients", "plan", isIn, id, chosen],
    queryFn: () =>
      call("planClients", {
        body: { register: isIn ? [] : [id], unregister: isIn ? [id] : [], group: chosen },
      }),
    gcTime: 0,
  });
  const apply = async () => {
    const work = () =>
      isIn
        ? call("unregisterClientFromGroup", { params: { name: id, group: chosen } })
        : call("registerClient", { body: { name: id, groups: [chosen] } });
    if (!(await action.run(work))) return;
    await queries.invalidateQueries({ queryKey: ["groups"] });
    await queries.invalidateQueries({ queryKey: ["clients"] });
    onClose();
  };
  const files = plan.data?.files;
  return (
    <ActionDialog
      title={t(isIn ? "matrix.disconnectTitle" : "matrix.connectTitle", { name: title, group: chosen })}
      action={{ ...action, isBusy: action.isBusy || plan.isPending }}
      label={t(isIn ? "clients.disconnect" : "clients.connect")}
      onConfirm={apply}
      onCancel={onClose}
      command={`thv client ${isIn ? "remove" : "register"} ${id} --group ${quoteWord(chosen)}`}
    >
      {column.kind === "server" && <p>{t("matrix.serverText", { name: column.name })}</p>}
      {offered.length > 1 && (
        <Segments
          label={t("matrix.group")}
          value={chosen}
          options={offered.map((name) => ({ value: name, label: name }))}
          onChange={setChosen}
        />
      )}
      <p>{t(isIn ? "clients.disconnectText" : "clients.connectText")}</p>
      {plan.error !== null && <ProblemView problem={toProblem(plan.error)} onRetry={() => void plan.refetch()} />}
      {files?.length === 0 && (
        <p className="quiet">{t(!installed ? "clients.noFile" : isIn ? "clients.noEntries" : "clients.unchanged")}</p>
      )}
      {files?.map((file) => (
        <FileChangeView key={file.path} change={file} />
      ))}
    </ActionDialog>
  );
}
