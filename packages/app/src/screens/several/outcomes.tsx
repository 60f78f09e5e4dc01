/** Several new servers: each is planned and added by itself, whatever becomes of the others. */
import { Link } from "@tanstack/react-router";
import { type MouseEvent, useState } from "react";
import { call, type OperationAnswer } from "../../api/client.ts";
import { Button } from "../../parts/button.tsx";
import { type Problem, ProblemView, toProblem } from "../../parts/problem-view.tsx";
import { t } from "../../words/messages.ts";
import type { CreateRequest } from "../pasted/source.ts";
import { PlanView } from "../plan/plan-view.tsx";

/** What became of one server; a plan is shown only for the request that it was made for. */
type Outcome =
  | { readonly kind: "plan"; readonly request: string; readonly plan: OperationAnswer<"planWorkload"> }
  | { readonly kind: "added"; readonly name: string }
  | { readonly kind: "problem"; readonly problem: Problem };

/** One of them; its name is known before its server is there. */
export interface NamedRequest {
  readonly name: string;
  readonly request: CreateRequest;
}

interface OutcomeOptions {
  /** What has to be there before the first is added. */
  readonly prepare?: () => Promise<unknown>;
  /** All of them are added. */
  readonly onDone: () => Promise<void> | void;
}

export type Outcomes = ReturnType<typeof useOutcomes>;

export function useOutcomes(requests: readonly NamedRequest[], { prepare, onDone }: OutcomeOptions) {
  const [outcomes, setOutcomes] = useState<Readonly<Record<string, Outcome>>>({});
  const [working, setWorking] = useState<"plan" | "add" | undefined>();
  const [problem, setProblem] = useState<Problem | undefined>();
  const open = requests.filter(({ name }) => outcomes[name]?.kind !== "added");
  const work = async (kind: "plan" | "add", judge: (request: CreateRequest) => Promise<Outcome>) => {
    setWorking(kind);
    let isDone = true;
    for (const { name, request } of open) {
      const outcome = await judge(request).catch((error: unknown): Outcome => {
        isDone = false;
        return { kind: "problem", problem: toProblem(error) };
      });
      setOutcomes((before) => ({ ...before, [name]: outcome }));
    }
    setWorking(undefined);
    return isDone;
  };
  const showPlans = () =>
    work("plan", async (body) => {
      const plan = await call("planWorkload", { body });
      return { kind: "plan", request: JSON.stringify(body), plan };
    });
  const addAll = async ({ currentTarget: { form } }: MouseEvent<HTMLButtonElement>) => {
    if (form?.reportValidity() === false) return;
    setProblem(undefined);
    try {
      await prepare?.();
    } catch (error) {
      setProblem(toProblem(error));
      return;
    }
    const add = async (body: CreateRequest): Promise<Outcome> => {
      return { kind: "added", name: (await call("createWorkload", { body })).name };
    };
    if (await work("add", add)) await onDone();
  };
  return { outcomes, working, open, problem, showPlans, addAll };
}

export function OutcomeButtons({ outcomes }: { readonly outcomes: Outcomes }) {
  const { working, open, problem, showPlans, addAll } = outcomes;
  return (
    <>
      {problem !== undefined && <ProblemView problem={problem} />}
      <div className="notice__actions">
        <Button isBusy={working === "plan"} disabled={open.length === 0} onClick={() => void showPlans()}>
          {t("add.check")}
        </Button>
        <Button
          look="primary"
          isBusy={working === "add"}
          disabled={open.length === 0}
          onClick={(event) => void addAll(event)}
        >
          {working === "add" ? t("add.working") : t("add.startSeveral", { count: open.length })}
        </Button>
      </div>
    </>
  );
}

interface OutcomeViewProps {
  readonly outcomes: Outcomes;
  readonly name: string;
  /** What it would be added with now. */
  readonly request: CreateRequest | undefined;
}

export function OutcomeView({ outcomes, name, request }: OutcomeViewProps) {
  const outcome = outcomes.outcomes[name];
  if (outcome?.kind === "problem") return <ProblemView problem={outcome.problem} />;
  if (outcome?.kind === "plan")
    return outcome.request === JSON.stringify(request) ? <PlanView plan={outcome.plan} name={name} /> : null;
  if (outcome === undefined) return null;
  return (
    <p>
      {t("add.added")}{" "}
      <Link to="/servers/$name" params={{ name: outcome.name }}>
        {outcome.name}
      </Link>
    </p>
  );
}
