/** The servers that a registry names together become the servers of one group here: what each needs, what each would do, and their start. */
import { useQueries, useQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate, useParams } from "@tanstack/react-router";
import { quoteWord } from "@toolhive/http/values";
import { useState } from "react";
import { call } from "../../api/client.ts";
import { CommandLine } from "../../parts/command-line.tsx";
import { TextField } from "../../parts/field.tsx";
import { PageHead } from "../../parts/page-head.tsx";
import { ProblemView, toProblem } from "../../parts/problem-view.tsx";
import { useGroups } from "../../store/groups.ts";
import { t } from "../../words/messages.ts";
import { AskedField } from "../add/pairs.tsx";
import type { CatalogGroup } from "../registry/select-entries.ts";
import { OutcomeButtons, OutcomeView, useOutcomes } from "../several/outcomes.tsx";
import { type GroupServer, proposeGroupName, toGroupRequest, toGroupServer } from "./group-servers.ts";

export function RunGroup() {
  const { source, group: name } = useParams({ from: "/registry-groups/$source/$group" });
  const catalog = useQuery({ queryKey: ["registry", "catalog", ""], queryFn: () => call("listCatalog") });
  const group = catalog.data?.groups.find((each) => each.name === name && each.source === source);
  return (
    <>
      <PageHead title={t("registryGroup.title", { name })} />
      {catalog.isPending && (
        <p className="quiet" role="status">
          {t("app.loading")}
        </p>
      )}
      {catalog.error !== null && (
        <ProblemView problem={toProblem(catalog.error)} onRetry={() => void catalog.refetch()} />
      )}
      {catalog.data !== undefined && group === undefined && <p>{t("registryGroup.missing", { name, source })}</p>}
      {group !== undefined && <GroupEntries group={group} />}
    </>
  );
}

/** Nothing can be started until every server's entry is here: what it asks for and what it may reach are in it. */
function GroupEntries({ group }: { readonly group: CatalogGroup }) {
  // Servers that a registry names in a group alone are not in its list.
  const entries = useQueries({
    queries: group.references.map((reference) => ({
      queryKey: ["registry", "entry", reference],
      queryFn: () => call("getCatalogEntry", { params: { reference } }),
    })),
  });
  const failed = entries.find(({ error }) => error !== null);
  if (failed !== undefined) {
    return <ProblemView problem={toProblem(failed.error)} onRetry={() => void failed.refetch()} />;
  }
  const servers = group.references.flatMap((reference, index) => {
    const found = entries[index]?.data;
    return found === undefined ? [] : [toGroupServer(reference, found)];
  });
  if (servers.length < group.references.length) {
    return (
      <p className="quiet" role="status">
        {t("app.loading")}
      </p>
    );
  }
  return <GroupForm group={group} servers={servers} />;
}

interface GroupFormProps {
  readonly group: CatalogGroup;
  readonly servers: readonly GroupServer[];
}

function GroupForm({ group, servers }: GroupFormProps) {
  const [target, setTarget] = useState(() => proposeGroupName(group.name));
  const [answers, setAnswers] = useState<Readonly<Record<string, Readonly<Record<string, string>>>>>({});
  const { data: groups } = useGroups();
  const navigate = useNavigate();
  const queries = useQueryClient();
  const requests = servers.map((server) => ({
    name: server.reference,
    request: toGroupRequest(server, answers[server.reference] ?? {}, target.trim()),
  }));
  const outcomes = useOutcomes(requests, {
    prepare: async () => {
      if (groups?.some(({ name }) => name === target.trim()) === true) return;
      await call("createGroup", { body: { name: target.trim(), naming: "auto" } });
      await queries.invalidateQueries({ queryKey: ["groups"] });
    },
    onDone: async () => {
      await queries.invalidateQueries({ queryKey: ["groups"] });
      await navigate({ to: "/groups/$name", params: { name: target.trim() } });
    },
  });
  const own = target.trim() === group.name ? [] : ["--group", quoteWord(target.trim())];
  return (
    <form className="form form--wide" onSubmit={(event) => event.preventDefault()}>
      <p className="lead">{group.description}</p>
      <TextField
        label={t("registryGroup.target")}
        hint={t("registryGroup.targetHint")}
        required
        value={target}
        onChange={setTarget}
      />
      {servers.map((server, index) => (
        <section key={server.reference} className="panel panel--wide pasted-one" aria-label={server.reference}>
          <h2>{server.reference}</h2>
          <p className="quiet">{server.description}</p>
          {outcomes.outcomes[server.reference]?.kind !== "added" && (
            <Asked
              server={server}
              answers={answers[server.reference] ?? {}}
              onChange={(next) => setAnswers((before) => ({ ...before, [server.reference]: next }))}
            />
          )}
          <OutcomeView outcomes={outcomes} name={server.reference} request={requests[index]?.request} />
        </section>
      ))}
      <OutcomeButtons outcomes={outcomes} />
      <CommandLine command={["thv registry run-group", quoteWord(group.name), ...own].join(" ")} />
    </form>
  );
}

interface AskedProps {
  readonly server: GroupServer;
  readonly answers: Readonly<Record<string, string>>;
  readonly onChange: (answers: Readonly<Record<string, string>>) => void;
}

/** What it asks for; what it can do without is closed. */
function Asked({ server: { asked }, answers, onChange }: AskedProps) {
  const needed = asked.filter(({ required = false }) => required);
  const optional = asked.filter(({ required = false }) => !required);
  const draw = (variables: typeof asked) =>
    variables.map((variable) => (
      <AskedField
        key={variable.name}
        variable={variable}
        value={answers[variable.name] ?? ""}
        onChange={(value) => onChange({ ...answers, [variable.name]: value })}
      />
    ));
  return (
    <>
      {draw(needed)}
      {optional.length > 0 && (
        <details className="more">
          <summary>{t("registryGroup.optional", { count: optional.length })}</summary>
          {draw(optional)}
        </details>
      )}
    </>
  );
}
