import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { call, type OperationAnswer } from "../../api/client.ts";
import { Button } from "../../parts/button.tsx";
import { CommandLine } from "../../parts/command-line.tsx";
import { ActionDialog } from "../../parts/dialog.tsx";
import { Moment } from "../../parts/moment.tsx";
import { ProblemView, toProblem } from "../../parts/problem-view.tsx";
import type { Workload } from "../../store/live-store.ts";
import { t } from "../../words/messages.ts";
import { useAction } from "../actions/use-action.ts";
import type { CreateRequest } from "../pasted/source.ts";
import { type Details, useAllow } from "./details.ts";

/** Milliseconds between two requests for the denials: the sidecar writes them to a log, and no event announces them at once. */
const LOOK_MS = 5_000;

/** What an empty list means, by how the server is connected. */
const NONE_DENIED = {
  open: "network.deniedOpen",
  none: "network.deniedClosed",
  filtered: "network.deniedNone",
} as const;

type Denied = OperationAnswer<"listDenied">["denied"][number];

interface NetworkProps {
  readonly workload: Workload;
  readonly request: CreateRequest;
  readonly plan: Details["plan"];
}

export function Network({ workload: { name, status_context: context = "" }, request, plan }: NetworkProps) {
  const [asked, setAsked] = useState<Denied | undefined>();
  const access = plan?.network.access;
  const listed = useQuery({
    // The status of a server says what was refused last.
    queryKey: ["denied", name, context],
    queryFn: ({ signal }) => call("listDenied", { params: { name }, signal }),
    placeholderData: (before) => before,
    refetchInterval: access === "open" ? false : LOOK_MS,
    retry: false,
  });
  const all = listed.data?.denied ?? [];
  return (
    <div className="panels">
      <section className="panel">
        <h2>{t("network.reach")}</h2>
        {plan !== undefined && <p>{plan.network.reach}</p>}
        <details className="more">
          <summary>{t("network.profile")}</summary>
          <pre className="source">{JSON.stringify(request.permission_profile ?? {}, null, 2)}</pre>
        </details>
      </section>
      <section className="panel">
        <h2>{t("network.denied")}</h2>
        {listed.error !== null && <ProblemView problem={toProblem(listed.error)} />}
        {listed.isPending ? (
          <p className="quiet">{t("app.loading")}</p>
        ) : all.length === 0 ? (
          <p className="quiet">{t(access === undefined ? "network.deniedNone" : NONE_DENIED[access])}</p>
        ) : (
          <ul className="rows" aria-live="polite">
            {all.map((each) => (
              <li key={formatTarget(each)} className="row">
                <code className="row__name">{formatTarget(each)}</code>
                <span className="quiet">
                  {each.count === 1 ? t("network.deniedOnce") : t("network.deniedCount", { count: each.count })}
                  {each.last_at !== undefined && (
                    <>
                      , <Moment at={each.last_at} />
                    </>
                  )}
                </span>
                <Button onClick={() => setAsked(each)}>{t("network.allow", { target: formatTarget(each) })}</Button>
              </li>
            ))}
          </ul>
        )}
        <CommandLine command={`thv logs ${name}`} />
      </section>
      {asked !== undefined && <AllowDialog name={name} denied={asked} onClose={() => setAsked(undefined)} />}
    </div>
  );
}

function formatTarget({ host, port }: Denied): string {
  return port === undefined ? host : `${host}:${port}`;
}

interface AllowDialogProps {
  readonly name: string;
  readonly denied: Denied;
  readonly onClose: () => void;
}

function AllowDialog({ name, denied, onClose }: AllowDialogProps) {
  const action = useAction();
  const allow = useAllow(name);
  const target = formatTarget(denied);
  const submit = async () => {
    if (await action.run(() => allow({ host: denied.host, ...(denied.port !== undefined && { port: denied.port }) })))
      onClose();
  };
  return (
    <ActionDialog
      {...{ title: t("network.allowTitle", { target }), action, label: t("network.allow", { target }) }}
      onConfirm={submit}
      onCancel={onClose}
      command={`thv permission allow ${name} ${target}`}
    >
      <p>{t("network.allowText", { name })}</p>
    </ActionDialog>
  );
}
