/** Several pasted servers at once: what each needs, what each would do, and each added by itself, whatever becomes of the others. */
import { Link, useNavigate } from "@tanstack/react-router";
import { type MouseEvent, useState } from "react";
import { call, type OperationAnswer } from "../../api/client.ts";
import { Button } from "../../parts/button.tsx";
import { type Problem, ProblemView, toProblem } from "../../parts/problem-view.tsx";
import { t } from "../../words/messages.ts";
import { applyChoices } from "../pasted/pasted-servers.ts";
import type { CreateRequest } from "../pasted/source.ts";
import { PlanView } from "../plan/plan-view.tsx";
import { PastedFields, StoreAll } from "./pasted-fields.tsx";
import type { NewServer } from "./use-new-server.ts";

/** What became of one server; a plan is shown only for the request that it was made for. */
type Outcome =
  | { readonly kind: "plan"; readonly request: string; readonly plan: OperationAnswer<"planWorkload"> }
  | { readonly kind: "added"; readonly name: string }
  | { readonly kind: "problem"; readonly problem: Problem };

export function Several({ server }: { readonly server: NewServer }) {
  const { pasted } = server;
  const navigate = useNavigate();
  const [outcomes, setOutcomes] = useState<Readonly<Record<string, Outcome>>>({});
  const [working, setWorking] = useState<"plan" | "add" | undefined>();
  const requests = pasted.map((each) => ({
    name: each.name,
    request: applyChoices(each, server.choicesOf(each.name)) as CreateRequest,
  }));
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
    const add = async (body: CreateRequest): Promise<Outcome> => {
      return { kind: "added", name: (await call("createWorkload", { body })).name };
    };
    if (await work("add", add)) await navigate({ to: "/" });
  };
  return (
    <>
      <StoreAll server={server} servers={pasted} />
      {pasted.map((each, index) => (
        <section className="panel panel--wide pasted-one" key={each.name} aria-label={each.name}>
          <h2>{each.name}</h2>
          <code>{each.request.image}</code>
          {each.notes.length > 0 && (
            <ul className="plan__warnings">
              {each.notes.map((note) => (
                <li key={note}>{note}</li>
              ))}
            </ul>
          )}
          {outcomes[each.name]?.kind !== "added" && <PastedFields server={server} pasted={each} />}
          <OutcomeView
            name={each.name}
            outcome={outcomes[each.name]}
            request={JSON.stringify(requests[index]?.request)}
          />
        </section>
      ))}
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
  readonly name: string;
  readonly outcome: Outcome | undefined;
  readonly request: string;
}

function OutcomeView({ name, outcome, request }: OutcomeViewProps) {
  if (outcome?.kind === "problem") return <ProblemView problem={outcome.problem} />;
  if (outcome?.kind === "plan")
    return outcome.request === request ? <PlanView plan={outcome.plan} name={name} /> : null;
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
