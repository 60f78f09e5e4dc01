import { useQueryClient } from "@tanstack/react-query";
import { call } from "../../api/client.ts";
import { Button } from "../../parts/button.tsx";
import { CommandLine } from "../../parts/command-line.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { ProblemView } from "../../parts/problem-view.tsx";
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
    <Dialog
      title={t("signOut.title", { name })}
      onClose={() => onClose()}
      actions={
        <>
          <Button onClick={() => onClose()}>{t("action.cancel")}</Button>
          <Button look="danger" isBusy={action.isBusy} onClick={() => void signOut()}>
            {t("signOut.end")}
          </Button>
        </>
      }
    >
      <p>{t("signOut.text")}</p>
      {action.problem !== undefined && <ProblemView problem={action.problem} />}
      <CommandLine command={`thv auth logout ${name}`} />
    </Dialog>
  );
}
