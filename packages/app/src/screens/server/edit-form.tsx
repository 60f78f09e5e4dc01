import { listSettingChanges } from "@toolhive/core/setting-changes";
import { type FormEvent, type ReactNode, useState } from "react";
import { Button } from "../../parts/button.tsx";
import { ProblemView } from "../../parts/problem-view.tsx";
import type { Workload } from "../../store/live-store.ts";
import { t } from "../../words/messages.ts";
import { useAction } from "../actions/use-action.ts";
import type { CreateRequest } from "../pasted/source.ts";
import { ChangeList } from "./change-list.tsx";
import { useEdit } from "./details.ts";

interface EditFormProps {
  readonly workload: Workload;
  readonly before: CreateRequest;
  readonly after: CreateRequest;
  readonly children: ReactNode;
}

/** Fields of a server's settings, what saving them would change and restart, and the button. */
export function EditForm({ workload: { name, status }, before, after, children }: EditFormProps) {
  const action = useAction();
  const edit = useEdit(name);
  const [isSaved, setSaved] = useState(false);
  const changes = listSettingChanges(before, after);
  const isStopped = status === "stopped";
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (changes.length === 0) return;
    setSaved(false);
    setSaved(await action.run(() => edit(after)));
  };
  return (
    <form className="form form--wide" onSubmit={(event) => void submit(event)}>
      {children}
      <ChangeList changes={changes} caption={t("edit.changes")} />
      <p className="field__hint">
        {t(isStopped ? "edit.introStopped" : "edit.intro")} {!isStopped && t("edit.failed")}
      </p>
      {action.problem !== undefined && <ProblemView problem={action.problem} />}
      <Button look="primary" type="submit" isBusy={action.isBusy} disabled={changes.length === 0}>
        {t(isStopped ? "edit.saveStopped" : "edit.save")}
      </Button>
      <p role="status">{isSaved && changes.length === 0 ? t("edit.saved") : ""}</p>
    </form>
  );
}
