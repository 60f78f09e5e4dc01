import { isRecord, parseJson } from "@toolhive/http/values";
import { type FormEvent, useState } from "react";
import { call, type OperationAnswer } from "../../api/client.ts";
import { Button } from "../../parts/button.tsx";
import { AreaField, Field, TextField } from "../../parts/field.tsx";
import { type Problem, ProblemView, toProblem } from "../../parts/problem-view.tsx";
import { t } from "../../words/messages.ts";

const ACTIONS = ["call_tool", "get_prompt", "read_resource"] as const;

type Verdict = OperationAnswer<"decideCall">;

/** Asks the policies of a server about a call without making it. */
export function PolicyTrial({ name }: { readonly name: string }) {
  const [draft, setDraft] = useState({ subject: "", action: "call_tool" as (typeof ACTIONS)[number], target: "" });
  const [args, setArgs] = useState("");
  const [state, setState] = useState<{ verdict?: Verdict; problem?: Problem; isBusy?: boolean }>({});
  const change = (next: Partial<typeof draft>) => {
    setDraft((before) => ({ ...before, ...next }));
    // An answer to another question would be read as the answer to this one.
    setState({});
  };
  const parsed = parseArguments(args);
  const ask = async (event: FormEvent) => {
    event.preventDefault();
    if (parsed === undefined) return;
    setState({ isBusy: true });
    try {
      const body = { claims: { sub: draft.subject }, action: draft.action, name: draft.target, arguments: parsed };
      setState({ verdict: await call("decideCall", { params: { name }, body }) });
    } catch (error) {
      setState({ problem: toProblem(error) });
    }
  };
  const { verdict, problem, isBusy = false } = state;
  return (
    <section className="panel">
      <h2>{t("decisions.try")}</h2>
      <p className="quiet">{t("decisions.tryText")}</p>
      <form className="form" onSubmit={(event) => void ask(event)}>
        <TextField
          required
          label={t("decisions.subject")}
          hint={t("decisions.subjectHint")}
          value={draft.subject}
          onChange={(subject) => change({ subject })}
        />
        <Field label={t("decisions.action")}>
          {(control) => (
            <select
              {...control}
              value={draft.action}
              onChange={(event) => change({ action: event.target.value as (typeof ACTIONS)[number] })}
            >
              {ACTIONS.map((each) => (
                <option key={each} value={each}>
                  {t(`decisions.action.${each}`)}
                </option>
              ))}
            </select>
          )}
        </Field>
        <TextField
          required
          label={t("decisions.target")}
          value={draft.target}
          onChange={(target) => change({ target })}
        />
        <AreaField
          label={t("decisions.arguments")}
          hint={t("decisions.argumentsHint")}
          error={parsed === undefined ? t("decisions.argumentsWrong") : undefined}
          rows={2}
          spellCheck={false}
          value={args}
          onChange={(text) => {
            setArgs(text);
            setState({});
          }}
        />
        <Button type="submit" isBusy={isBusy}>
          {t("decisions.ask")}
        </Button>
      </form>
      <p role="status" className={verdict === undefined ? undefined : `verdict verdict--${verdict.is_allowed}`}>
        {verdict !== undefined && describeVerdict(verdict)}
      </p>
      {problem !== undefined && <ProblemView problem={problem} />}
    </section>
  );
}

/** @returns `undefined` for a text that is no JSON object; an empty text has no arguments. */
export function parseArguments(text: string): Record<string, unknown> | undefined {
  if (text.trim() === "") return {};
  const value = parseJson(text);
  return isRecord(value) ? value : undefined;
}

/** @returns A sentence that names the policies by their position in the file, from 1. */
export function describeVerdict({ is_allowed, has_policies, policies, problem }: Verdict): string {
  if (!has_policies) return t("decisions.withoutPolicies");
  if (problem !== undefined) return t("decisions.undecided", { problem });
  if (policies.length === 0) return t("decisions.noPolicy");
  const numbers = new Intl.ListFormat("en").format(policies.map((each) => String(each + 1)));
  if (policies.length === 1) return t(is_allowed ? "decisions.allowedBy" : "decisions.deniedBy", { policy: numbers });
  return t(is_allowed ? "decisions.allowedByAll" : "decisions.deniedByAll", { policies: numbers });
}
