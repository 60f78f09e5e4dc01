import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { call } from "../../api/client.ts";
import { ActionDialog } from "../../parts/dialog.tsx";
import { CheckBox } from "../../parts/field.tsx";
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
    <ActionDialog
      {...{
        title: t("groups.removeTitle", { name }),
        action,
        label: t("groups.remove"),
        look: "danger",
        onConfirm: remove,
      }}
      onCancel={() => onClose(false)}
      command={toRemoveCommand(name, isWithServers)}
    >
      <p>{t("groups.removeText")}</p>
      <CheckBox label={t("groups.removeWith")} checked={isWithServers} onChange={setWithServers} />
    </ActionDialog>
  );
}
