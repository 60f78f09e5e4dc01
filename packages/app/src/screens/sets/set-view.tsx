/** What a set would start, server by server, and its start. Nothing is started before that. */
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { call } from "../../api/client.ts";
import { Button } from "../../parts/button.tsx";
import { CheckBox } from "../../parts/field.tsx";
import { type Problem, ProblemView, toProblem } from "../../parts/problem-view.tsx";
import { useClientTitles } from "../../store/client-titles.ts";
import { useGroups } from "../../store/groups.ts";
import { useLive } from "../../store/live.ts";
import { t } from "../../words/messages.ts";
import { PlanView } from "../plan/plan-view.tsx";
import { SecretEditor } from "../secrets/secret-editor.tsx";
import { listSteps, type ReadSet, type SetServer, type SetStep } from "./set-steps.ts";

export function SetProblems({ set: { problems } }: { readonly set: ReadSet }) {
  return (
    <section className="panel panel--wide" role="alert">
      <h2>{t("set.problems")}</h2>
      <ul className="plan__warnings">
        {problems.map(({ line, member, problem }) => (
          <li key={`${line} ${member} ${problem}`}>
            {line !== undefined && `${t("set.line", { line })} `}
            {member !== "" && <code>{member}</code>} {problem}.
          </li>
        ))}
      </ul>
    </section>
  );
}

interface SetViewProps {
  readonly set: ReadSet;
  /** Somebody has seen it and starts it. */
  readonly onStart?: () => void;
}

export function SetView({ set, onStart }: SetViewProps) {
  const { workloads } = useLive();
  const { data: groups = [] } = useGroups();
  const queries = useQueryClient();
  const [left, setLeft] = useState<ReadonlySet<string>>(new Set());
  const [isWorking, setWorking] = useState(false);
  const [done, setDone] = useState<readonly string[]>([]);
  const [failed, setFailed] = useState<readonly { readonly step: SetStep; readonly problem: Problem }[]>([]);
  const names = [...(workloads?.keys() ?? [])];
  const chosen = new Set(set.servers.map(({ name }) => name).filter((name) => !left.has(name)));
  const steps = listSteps(set, chosen, { groups: groups.map(({ name }) => name), servers: names });
  const starting = steps.filter(({ kind }) => kind === "server").length;
  const start = async () => {
    onStart?.();
    setWorking(true);
    setFailed([]);
    for (const step of steps) {
      try {
        await apply(step);
        if (step.kind === "server") setDone((before) => [...before, step.name]);
      } catch (error) {
        setFailed((before) => [...before, { step, problem: toProblem(error) }]);
      }
    }
    setWorking(false);
    await queries.invalidateQueries({ queryKey: ["groups"] });
    await queries.invalidateQueries({ queryKey: ["clients"] });
  };
  return (
    <>
      <SetGroups set={set} />
      <SetSecrets names={set.secrets} />
      {set.servers.map((server) => (
        <ServerPlan
          key={server.name}
          server={server}
          isThere={names.includes(server.name)}
          isChosen={chosen.has(server.name)}
          onChange={(isChosen) =>
            setLeft(
              (before) =>
                new Set([...before].filter((name) => name !== server.name).concat(isChosen ? [] : [server.name])),
            )
          }
        />
      ))}
      {failed.map(({ step, problem }) => (
        <div key={`${step.kind} ${step.name}`}>
          <strong>{step.name}</strong>
          <ProblemView problem={problem} />
        </div>
      ))}
      {done.length > 0 && (
        <p>
          {t("set.started")}{" "}
          {done.map((name) => (
            <span key={name}>
              <Link to="/servers/$name" params={{ name }}>
                {name}
              </Link>{" "}
            </span>
          ))}
        </p>
      )}
      <Button look="primary" isBusy={isWorking} disabled={steps.length === 0} onClick={() => void start()}>
        {isWorking ? t("add.working") : t("set.start", { count: starting })}
      </Button>
    </>
  );
}

async function apply(step: SetStep): Promise<unknown> {
  switch (step.kind) {
    case "group":
      return await call("createGroup", { body: step.body });
    case "server":
      return await call("createWorkload", { body: step.server.request });
    case "member":
      return await call("addGroupWorkload", { params: { name: step.group, workload: step.name } });
    case "client":
      return await call("registerClient", { body: { name: step.name, groups: [step.group] } });
  }
}

function SetGroups({ set: { groups } }: { readonly set: ReadSet }) {
  const nameClient = useClientTitles();
  if (groups.length === 0) return null;
  return (
    <section className="panel panel--wide">
      <h2>{t("groups.title")}</h2>
      <ul>
        {groups.map(({ name, clients = [] }) => (
          <li key={name}>
            <strong>{name}</strong>{" "}
            {clients.length > 0 && t("set.groupClients", { clients: clients.map(nameClient).join(", ") })}
          </li>
        ))}
      </ul>
    </section>
  );
}

/** Secrets that the servers need: the file has their names alone. */
function SetSecrets({ names }: { readonly names: readonly string[] }) {
  const list = useQuery({ queryKey: ["secrets"], queryFn: () => call("listSecrets") });
  const [editing, setEditing] = useState<string | undefined>();
  const stored = new Set((list.data?.keys ?? []).map(({ key }) => key));
  if (names.length === 0) return null;
  return (
    <section className="panel panel--wide">
      <h2>{t("set.secrets")}</h2>
      <ul className="rows">
        {names.map((name) => (
          <li key={name} className="row">
            <span className="row__name">{name}</span>
            {stored.has(name) ? (
              <span className="chip chip--good">{t("set.stored")}</span>
            ) : (
              <Button aria-label={`${t("add.newSecret")}: ${name}`} onClick={() => setEditing(name)}>
                {t("add.newSecret")}
              </Button>
            )}
          </li>
        ))}
      </ul>
      {editing !== undefined && (
        <SecretEditor
          proposal={editing}
          onClose={() => {
            setEditing(undefined);
            void list.refetch();
          }}
        />
      )}
    </section>
  );
}

interface ServerPlanProps {
  readonly server: SetServer;
  readonly isThere: boolean;
  readonly isChosen: boolean;
  readonly onChange: (isChosen: boolean) => void;
}

/** What one server would get. */
function ServerPlan({ server: { name, run, groups = [], request }, isThere, isChosen, onChange }: ServerPlanProps) {
  // A secret that is stored meanwhile changes what is planned.
  const secrets = useQuery({ queryKey: ["secrets"], queryFn: () => call("listSecrets") });
  const stored = (secrets.data?.keys ?? []).map(({ key }) => key).join(" ");
  const plan = useQuery({
    queryKey: ["set", "plan", name, JSON.stringify(request), stored],
    queryFn: () => call("planWorkload", { body: request }),
    enabled: !isThere,
    retry: false,
    gcTime: 0,
  });
  return (
    <section className="panel panel--wide pasted-one" aria-label={name}>
      <h2>{name}</h2>
      <p>
        <code>{run}</code> {groups.length > 0 && t("set.inGroups", { groups: groups.join(", ") })}
      </p>
      {isThere ? (
        <p className="quiet">{t("set.there")}</p>
      ) : (
        <CheckBox label={t("set.choose", { name })} checked={isChosen} onChange={onChange} />
      )}
      {plan.error !== null && <ProblemView problem={toProblem(plan.error)} />}
      {isChosen && plan.data !== undefined && <PlanView plan={plan.data} name={name} />}
    </section>
  );
}
