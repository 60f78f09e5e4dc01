import { useQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { type FormEvent, useMemo, useState } from "react";
import { call, type OperationAnswer } from "../../api/client.ts";
import { Button } from "../../parts/button.tsx";
import { CommandLine } from "../../parts/command-line.tsx";
import { Field } from "../../parts/field.tsx";
import { PageHead } from "../../parts/page-head.tsx";
import { ProblemView } from "../../parts/problem-view.tsx";
import { t } from "../../words/messages.ts";
import { PlanView } from "../plan/plan-view.tsx";
import { useAction } from "../servers/use-action.ts";
import { type Draft, EMPTY_DRAFT, toCommand, toRequest } from "./draft.ts";
import { AskedField } from "./pairs.tsx";
import { SettingsFields } from "./settings-fields.tsx";
import { recognise, type Source } from "./source.ts";

const RECOGNISED = {
  registry: "add.recognisedRegistry",
  image: "add.recognisedImage",
  package: "add.recognisedPackage",
  json: "add.recognisedJson",
} as const;

interface Planned {
  readonly request: unknown;
  readonly plan: OperationAnswer<"planWorkload">;
}

export function Add() {
  const { from = "" } = useSearch({ from: "/add" });
  const navigate = useNavigate();
  const action = useAction();
  const [text, setText] = useState(from);
  const planning = useAction();
  const [planned, setPlanned] = useState<Planned | undefined>();
  const [draft, setDraft] = useState<Draft>(EMPTY_DRAFT);
  const registry = useQuery({
    queryKey: ["registry", "servers"],
    queryFn: () => call("listServers", { params: { name: "default" } }),
  });
  const entries = registry.data?.servers ?? [];
  const names = useMemo(() => new Set(entries.map(({ name }) => name)), [entries]);
  const source = useMemo(() => recognise(text, names), [text, names]);
  const entry = source.kind === "registry" ? entries.find(({ name }) => name === source.request.image) : undefined;
  const asked = entry?.env_vars ?? [];
  const request = source.kind === "none" ? undefined : toRequest(source.request, draft, asked);
  const change = (next: Partial<Draft>) => setDraft((before) => ({ ...before, ...next }));
  const showPlan = async () => {
    if (request === undefined) return;
    await planning.run(async () => setPlanned({ request, plan: await call("planWorkload", { body: request }) }));
  };
  // What was planned for other settings is not true any more.
  const plan = JSON.stringify(planned?.request) === JSON.stringify(request) ? planned?.plan : undefined;
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (request === undefined) return;
    let created = "";
    const isDone = await action.run(async () => {
      created = (await call("createWorkload", { body: request })).name;
    });
    if (isDone) await navigate({ to: "/servers/$name", params: { name: created } });
  };
  return (
    <>
      <PageHead title={t("add.title")} />
      <form className="form form--wide" onSubmit={(event) => void submit(event)}>
        <Field label={t("add.source")} hint={hintOf(source)}>
          {(control) => (
            <textarea
              {...control}
              rows={text.includes("\n") ? 8 : 1}
              spellCheck={false}
              autoCapitalize="off"
              value={text}
              onChange={(event) => setText(event.target.value)}
            />
          )}
        </Field>
        {source.kind !== "none" && (
          <>
            <Field label={t("add.name")} hint={t("add.nameHint")}>
              {(control) => (
                <input
                  {...control}
                  value={draft.name}
                  placeholder={source.request.name ?? ""}
                  onChange={(event) => change({ name: event.target.value })}
                />
              )}
            </Field>
            {asked.map((variable) => (
              <AskedField
                key={variable.name}
                variable={variable}
                value={draft.asked[variable.name] ?? ""}
                onChange={(value) => change({ asked: { ...draft.asked, [variable.name]: value } })}
              />
            ))}
            <details className="more">
              <summary>{t("add.more")}</summary>
              <SettingsFields draft={draft} change={change} />
            </details>
          </>
        )}
        {action.problem !== undefined && <ProblemView problem={action.problem} />}
        {plan !== undefined && <PlanView plan={plan} />}
        <div className="notice__actions">
          <Button isBusy={planning.isBusy} disabled={request === undefined} onClick={() => void showPlan()}>
            {t("add.check")}
          </Button>
          <Button look="primary" type="submit" isBusy={action.isBusy} disabled={request === undefined}>
            {t(action.isBusy ? "add.working" : "add.start")}
          </Button>
        </div>
        {planning.problem !== undefined && <ProblemView problem={planning.problem} />}
        {request !== undefined && <CommandLine command={toCommand(request)} />}
      </form>
    </>
  );
}

function hintOf(source: Source): string {
  if (source.kind !== "none") return t(RECOGNISED[source.kind]);
  return source.reason === "" ? t("add.sourceHint") : `${source.reason} ${t("add.sourceHint")}`;
}
