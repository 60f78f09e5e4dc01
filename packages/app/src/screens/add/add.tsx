import { useQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { isRemoteTarget } from "@toolhive/core/target";
import { type FormEvent, useEffect, useMemo, useRef, useState } from "react";
import { call, type OperationAnswer } from "../../api/client.ts";
import { Button } from "../../parts/button.tsx";
import { CommandLine } from "../../parts/command-line.tsx";
import { Field } from "../../parts/field.tsx";
import { PageHead } from "../../parts/page-head.tsx";
import { ProblemView } from "../../parts/problem-view.tsx";
import { t } from "../../words/messages.ts";
import { useAction } from "../actions/use-action.ts";
import { PlanView } from "../plan/plan-view.tsx";
import { type AskedVariable, type Draft, EMPTY_DRAFT, toCommand, toRequest } from "./draft.ts";
import { sortProblem } from "./field-problems.ts";
import { changeDraft, followEntry } from "./network-draft.ts";
import { AskedField, PastedSecrets } from "./pairs.tsx";
import { toRemoteRequest } from "./remote-draft.ts";
import { RemoteFields } from "./remote-fields.tsx";
import { SettingsFields } from "./settings-fields.tsx";
import { type CreateRequest, recognise, type Source, withSecrets } from "./source.ts";

const RECOGNISED = {
  registry: "add.recognisedRegistry",
  image: "add.recognisedImage",
  package: "add.recognisedPackage",
  json: "add.recognisedJson",
  remote: "add.recognisedRemote",
} as const;

/** The same list each time, so that nothing is worked out again. */
const NONE: readonly never[] = [];

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
  const [typed, setTyped] = useState<Draft>(EMPTY_DRAFT);
  const registry = useQuery({
    queryKey: ["registry", "servers"],
    queryFn: () => call("listServers", { params: { name: "default" } }),
  });
  const entries = registry.data?.servers ?? NONE;
  const remotes = registry.data?.remote_servers ?? NONE;
  const names = useMemo(() => new Set([...entries, ...remotes].map(({ name }) => name)), [entries, remotes]);
  const [chosen, setChosen] = useState<string | undefined>();
  // Of one text and one server of it: the same names may mean something else in another.
  const [choices, setChoices] = useState<Readonly<Record<string, string>>>({});
  const recognised = useMemo(() => recognise(text, names, chosen), [text, names, chosen]);
  const source = useMemo(() => withSecrets(recognised, choices), [recognised, choices]);
  const known = source.kind === "registry" ? source.request.image : undefined;
  const entry = entries.find(({ name }) => name === known);
  const draft = followEntry(typed, entry?.permissions);
  const remoteEntry = remotes.find(({ name }) => name === known);
  const address = remoteEntry?.url ?? (source.kind === "none" ? "" : source.request.image);
  const isRemote = isRemoteTarget(address);
  const asked = entry?.env_vars ?? remoteEntry?.headers ?? [];
  const request = source.kind === "none" ? undefined : toWanted(source.request, draft, asked, isRemote);
  const change = (next: Partial<Draft>) =>
    setTyped((before) => changeDraft(followEntry(before, entry?.permissions), next));
  const showPlan = async () => {
    if (request === undefined) return;
    action.clear();
    await planning.run(async () => setPlanned({ request, plan: await call("planWorkload", { body: request }) }));
  };
  // What was planned for other settings is not true any more.
  const plan = JSON.stringify(planned?.request) === JSON.stringify(request) ? planned?.plan : undefined;
  const { fields, rest } = sortProblem(action.problem ?? planning.problem);
  const form = useRef<HTMLFormElement>(null);
  // The buttons are at the end of a long form, and the field may be out of sight.
  useEffect(() => {
    if (action.problem ?? planning.problem) form.current?.querySelector<HTMLElement>("[aria-invalid=true]")?.focus();
  }, [action.problem, planning.problem]);
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (request === undefined) return;
    planning.clear();
    let created = "";
    const isDone = await action.run(async () => {
      created = (await call("createWorkload", { body: request })).name;
    });
    if (isDone) await navigate({ to: "/servers/$name", params: { name: created } });
  };
  return (
    <>
      <PageHead title={t("add.title")} />
      <form ref={form} className="form form--wide" onSubmit={(event) => void submit(event)}>
        <Field label={t("add.source")} hint={hintOf(source, isRemote)} error={fields.url}>
          {(control) => (
            <textarea
              {...control}
              rows={text.includes("\n") ? 8 : 1}
              spellCheck={false}
              autoCapitalize="off"
              value={text}
              onChange={(event) => {
                setText(event.target.value);
                setChoices({});
              }}
            />
          )}
        </Field>
        {source.kind === "json" && source.names.length > 1 && (
          <Field label={t("add.pastedServer")} hint={t("add.pastedServers", { count: source.names.length })}>
            {(control) => (
              <select
                {...control}
                value={chosen !== undefined && source.names.includes(chosen) ? chosen : (source.names[0] ?? "")}
                onChange={(event) => {
                  setChosen(event.target.value);
                  setChoices({});
                }}
              >
                {source.names.map((each) => (
                  <option key={each}>{each}</option>
                ))}
              </select>
            )}
          </Field>
        )}
        {source.kind === "json" && source.skipped.length + source.notes.length > 0 && (
          <ul className="plan__warnings">
            {[...source.notes, ...source.skipped].map((each) => (
              <li key={each}>{each}</li>
            ))}
          </ul>
        )}
        {source.kind !== "none" && (
          <>
            <Field label={t("add.name")} hint={t(isRemote ? "remote.nameHint" : "add.nameHint")} error={fields.name}>
              {(control) => (
                <input
                  {...control}
                  value={draft.name}
                  placeholder={source.request.name ?? ""}
                  onChange={(event) => change({ name: event.target.value })}
                />
              )}
            </Field>
            {source.kind === "json" && (
              <PastedSecrets
                secrets={source.secrets}
                choices={choices}
                onChange={(target, secret) => setChoices((before) => ({ ...before, [target]: secret }))}
              />
            )}
            {asked.map((variable) => (
              <AskedField
                key={variable.name}
                variable={variable}
                value={draft.asked[variable.name] ?? ""}
                onChange={(value) => change({ asked: { ...draft.asked, [variable.name]: value } })}
              />
            ))}
            {isRemote ? (
              <RemoteFields draft={draft} problems={fields} isInClear={/^http:/i.test(address)} change={change} />
            ) : (
              <>
                {draft.followsEntry && <p>{t("add.isolatedByEntry", { reach: entry?.reach ?? "" })}</p>}
                <details className="more">
                  <summary>{t("add.more")}</summary>
                  <SettingsFields draft={draft} change={change} />
                </details>
              </>
            )}
          </>
        )}
        {rest !== undefined && <ProblemView problem={rest} />}
        {plan !== undefined && <PlanView plan={plan} />}
        <div className="notice__actions">
          <Button isBusy={planning.isBusy} disabled={request === undefined} onClick={() => void showPlan()}>
            {t("add.check")}
          </Button>
          <Button look="primary" type="submit" isBusy={action.isBusy} disabled={request === undefined}>
            {t(action.isBusy ? "add.working" : "add.start")}
          </Button>
        </div>
        {request !== undefined && <CommandLine command={toCommand(request)} />}
      </form>
    </>
  );
}

function toWanted(
  source: CreateRequest,
  draft: Draft,
  asked: readonly AskedVariable[],
  isRemote: boolean,
): CreateRequest {
  if (!isRemote) return toRequest(source, draft, asked);
  const { name, transport, remote } = draft;
  const own = toRequest(source, { ...EMPTY_DRAFT, name, transport });
  return toRemoteRequest(own, remote, asked, draft.asked);
}

function hintOf(source: Source, isRemote: boolean): string {
  if (source.kind === "registry" && isRemote) return t("add.recognisedRemoteEntry");
  if (source.kind !== "none") return t(RECOGNISED[source.kind]);
  return source.reason === "" ? t("add.sourceHint") : `${source.reason} ${t("add.sourceHint")}`;
}
