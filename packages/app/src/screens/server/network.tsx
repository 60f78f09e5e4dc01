import { useState } from "react";
import { Button } from "../../parts/button.tsx";
import { CommandLine } from "../../parts/command-line.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { Moment } from "../../parts/moment.tsx";
import { ProblemView } from "../../parts/problem-view.tsx";
import { useLive } from "../../store/live.ts";
import type { Denied, Workload } from "../../store/live-store.ts";
import { t } from "../../words/messages.ts";
import type { CreateRequest } from "../add/source.ts";
import { useAction } from "../servers/use-action.ts";
import { ChangeList } from "./change-list.tsx";
import { allowTarget, listChanges } from "./changes.ts";
import { type Details, useEdit } from "./details.ts";
import { describeNetwork } from "./network-words.ts";

interface NetworkProps {
  readonly workload: Workload;
  readonly request: CreateRequest;
  readonly plan: Details["plan"];
}

export function Network({ workload: { name }, request, plan }: NetworkProps) {
  const { denied } = useLive();
  const [asked, setAsked] = useState<Denied | undefined>();
  const all = denied.get(name) ?? [];
  return (
    <div className="panels">
      <section className="panel">
        <h2>{t("network.reach")}</h2>
        {plan !== undefined && <p>{describeNetwork(plan.network)}</p>}
        <details className="more">
          <summary>{t("network.profile")}</summary>
          <pre className="source">{JSON.stringify(request.permission_profile ?? {}, null, 2)}</pre>
        </details>
      </section>
      <section className="panel">
        <h2>{t("network.denied")}</h2>
        {all.length === 0 ? (
          <p className="quiet">{t(plan?.network.access === "open" ? "network.deniedOpen" : "network.deniedNone")}</p>
        ) : (
          <ul className="rows" aria-live="polite">
            {all.map((each) => (
              <li key={targetOf(each)} className="row">
                <code className="row__name">{targetOf(each)}</code>
                <span className="quiet">
                  {each.count === 1 ? t("network.deniedOnce") : t("network.deniedCount", { count: each.count })},{" "}
                  <Moment at={each.at} />
                </span>
                <Button onClick={() => setAsked(each)}>{t("network.allow", { target: targetOf(each) })}</Button>
              </li>
            ))}
          </ul>
        )}
        <CommandLine command={`thv logs ${name}`} />
      </section>
      {asked !== undefined && (
        <AllowDialog name={name} request={request} denied={asked} onClose={() => setAsked(undefined)} />
      )}
    </div>
  );
}

function targetOf({ host, port }: Denied): string {
  return port === undefined ? host : `${host}:${port}`;
}

interface AllowDialogProps {
  readonly name: string;
  readonly request: CreateRequest;
  readonly denied: Denied;
  readonly onClose: () => void;
}

function AllowDialog({ name, request, denied, onClose }: AllowDialogProps) {
  const action = useAction();
  const edit = useEdit(name);
  const target = targetOf(denied);
  const after = allowTarget(request, denied.host, denied.port);
  const allow = async () => {
    if (await action.run(() => edit(after))) onClose();
  };
  return (
    <Dialog
      title={t("network.allowTitle", { target })}
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>{t("action.cancel")}</Button>
          <Button look="primary" isBusy={action.isBusy} onClick={() => void allow()}>
            {t("network.allow", { target })}
          </Button>
        </>
      }
    >
      <p>{t("network.allowText", { name })}</p>
      <ChangeList changes={listChanges(request, after)} />
      {action.problem !== undefined && <ProblemView problem={action.problem} />}
    </Dialog>
  );
}
