import { useQueryClient } from "@tanstack/react-query";
import { call } from "../../api/client.ts";
import { ActionDialog } from "../../parts/dialog.tsx";
import { t } from "../../words/messages.ts";
import { useAction } from "../actions/use-action.ts";

interface SignOutDialogProps {
  readonly name: string;
  /** @param isRevoked Whether the authorization server ended it, too; `undefined` when nothing was done. */
  readonly onClose: (isRevoked?: boolean) => void;
}

export function SignOutDialog({ name, onClose }: SignOutDialogProps) {
  const action = useAction();
  const queries = useQueryClient();
  const signOut = async () => {
    let isRevoked = false;
    const isDone = await action.run(async () => {
      isRevoked = (await call("endSignIn", { params: { name } })).revoked;
    });
    if (!isDone) return;
    await queries.invalidateQueries({ queryKey: ["sign-in", name] });
    onClose(isRevoked);
  };
  return (
    <ActionDialog
      {...{ title: t("signOut.title", { name }), action, label: t("signOut.end"), look: "danger", onConfirm: signOut }}
      onCancel={() => onClose()}
      command={`thv auth logout ${name}`}
    >
      <p>{t("signOut.text")}</p>
    </ActionDialog>
  );
}
