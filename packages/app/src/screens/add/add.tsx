import { useNavigate, useSearch } from "@tanstack/react-router";
import { type FormEvent, useEffect, useRef, useState } from "react";
import { call, type OperationAnswer } from "../../api/client.ts";
import { Button } from "../../parts/button.tsx";
import { CommandLine } from "../../parts/command-line.tsx";
import { TextField } from "../../parts/field.tsx";
import { PageHead } from "../../parts/page-head.tsx";
import { ProblemView } from "../../parts/problem-view.tsx";
import { t } from "../../words/messages.ts";
import { type Action, useAction } from "../actions/use-action.ts";
import type { CreateRequest } from "../pasted/source.ts";
import { PlanView } from "../plan/plan-view.tsx";
import { toCommand } from "./draft.ts";
import { type FieldProblems, sortProblem } from "./field-problems.ts";
import { AskedField } from "./pairs.tsx";
import { PastedFields, StoreAll } from "./pasted-fields.tsx";
import { RemoteFields } from "./remote-fields.tsx";
import { SettingsFields } from "./settings-fields.tsx";
import { Several } from "./several.tsx";
import { SourceFields } from "./source-fields.tsx";
import { type NewServer, useNewServer } from "./use-new-server.ts";

export function Add() {
  const { from = "" } = useSearch({ from: "/add" });
  const navigate = useNavigate();
  const server = useNewServer(from);
  const { pasted, request } = server;
  const action = useAction();
  const planning = useAction();
  const { plan, makePlan } = usePlan(request, planning);
  const problem = action.problem ?? planning.problem;
  const { fields, rest } = sortProblem(problem);
  const form = useRef<HTMLFormElement>(null);
  // The buttons are at the end of a long form, and the field may be out of sight.
  useEffect(() => {
    if (problem) form.current?.querySelector<HTMLElement>("[aria-invalid=true]")?.focus();
  }, [problem]);
  const showPlan = async () => {
    action.clear();
    await makePlan();
  };
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
        <SourceFields server={server} error={fields.url} />
        {request !== undefined && <ServerFields server={server} problems={fields} />}
        {rest !== undefined && <ProblemView problem={rest} />}
        {plan !== undefined && <PlanView plan={plan} />}
        {pasted.length > 1 ? (
          <Several key={server.text} server={server} />
        ) : (
          <div className="notice__actions">
            <Button isBusy={planning.isBusy} disabled={request === undefined} onClick={() => void showPlan()}>
              {t("add.check")}
            </Button>
            <Button look="primary" type="submit" isBusy={action.isBusy} disabled={request === undefined}>
              {t(action.isBusy ? "add.working" : "add.start")}
            </Button>
          </div>
        )}
        {request !== undefined && <CommandLine command={toCommand(request)} />}
      </form>
    </>
  );
}

interface Planned {
  readonly request: CreateRequest;
  readonly plan: OperationAnswer<"planWorkload">;
}

/** @returns The plan that was made for this request; what was planned for other settings is not true any more. */
function usePlan(request: CreateRequest | undefined, planning: Action) {
  const [planned, setPlanned] = useState<Planned | undefined>();
  const makePlan = async () => {
    if (request === undefined) return;
    await planning.run(async () => setPlanned({ request, plan: await call("planWorkload", { body: request }) }));
  };
  return { plan: JSON.stringify(planned?.request) === JSON.stringify(request) ? planned?.plan : undefined, makePlan };
}

interface ServerFieldsProps {
  readonly server: NewServer;
  readonly problems: FieldProblems["fields"];
}

/** What is filled in once it is known which server is meant. */
function ServerFields({ server, problems }: ServerFieldsProps) {
  const { draft, address, isRemote, single, wanted, change } = server;
  return (
    <>
      <TextField
        label={t("add.name")}
        hint={t(isRemote ? "remote.nameHint" : "add.nameHint")}
        error={problems.name}
        value={draft.name}
        placeholder={wanted?.name ?? ""}
        onChange={(name) => change({ name })}
      />
      {single && <PastedFields server={server} pasted={single} />}
      {single && <StoreAll server={server} servers={[single]} />}
      {server.asked.map((variable) => (
        <AskedField
          key={variable.name}
          variable={variable}
          value={draft.asked[variable.name] ?? ""}
          onChange={(value) => change({ asked: { ...draft.asked, [variable.name]: value } })}
        />
      ))}
      {isRemote ? (
        <RemoteFields draft={draft} problems={problems} isInClear={/^http:/i.test(address)} change={change} />
      ) : (
        <>
          {draft.followsEntry && <p>{t("add.isolatedByEntry", { reach: server.reach })}</p>}
          <details className="more">
            <summary>{t("add.more")}</summary>
            <SettingsFields draft={draft} change={change} />
          </details>
        </>
      )}
    </>
  );
}
