/** Everything, or one group, stored at an image registry: what goes there and what does not, before it is sent. */
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { quoteWord } from "@toolhive/http/values";
import { type FormEvent, useState } from "react";
import { call, type OperationAnswer } from "../../api/client.ts";
import { Button } from "../../parts/button.tsx";
import { CommandLine } from "../../parts/command-line.tsx";
import { Field } from "../../parts/field.tsx";
import { PageHead } from "../../parts/page-head.tsx";
import { ProblemView, toProblem } from "../../parts/problem-view.tsx";
import { useGroups } from "../../store/groups.ts";
import { t } from "../../words/messages.ts";
import { type Action, useAction } from "../actions/use-action.ts";
import { Fact } from "../plan/fact.tsx";
import { ReferenceField } from "./reference-field.tsx";

type Exported = OperationAnswer<"exportProject">;
type Pushed = OperationAnswer<"pushProject">;

export function ShareSet() {
  const search = useSearch({ from: "/share-set" });
  const group = search.group === "" ? undefined : search.group;
  const navigate = useNavigate();
  const [reference, setReference] = useState("");
  const [pushed, setPushed] = useState<Pushed | undefined>();
  const pushing = useAction();
  const exported = useQuery({
    queryKey: ["set", "export", group],
    queryFn: () => call("exportProject", { query: group === undefined ? {} : { group } }),
    placeholderData: keepPreviousData,
    gcTime: 0,
    retry: false,
  });
  const { file, servers = [] } = exported.data ?? {};
  const push = async (replaces?: string) => {
    if (file === undefined) return;
    setPushed(undefined);
    const body = { reference: reference.trim(), file, ...(replaces !== undefined && { replaces }) };
    await pushing.run(async () => setPushed(await call("pushProject", { body })));
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    void push();
  };
  const name = group === undefined ? "thv.yaml" : `${group}.thv.yaml`;
  const what = group === undefined ? "--all" : `--group ${quoteWord(group)}`;
  const where = reference.trim() === "" ? "oci://…" : quoteWord(reference.trim());
  return (
    <div className="set">
      <PageHead title={t("share.title")} />
      <p className="lead">{t("share.text")}</p>
      <form className="form form--wide" onSubmit={submit}>
        <GroupChoice
          group={group}
          onChange={(next) => {
            pushing.clear();
            setPushed(undefined);
            void navigate({ to: "/share-set", search: next === "" ? {} : { group: next }, replace: true });
          }}
        />
        {exported.error !== null && (
          <ProblemView problem={toProblem(exported.error)} onRetry={() => void exported.refetch()} />
        )}
        {exported.data !== undefined && <Content exported={exported.data} />}
        <ReferenceField
          hint={t("share.referenceHint")}
          value={reference}
          onChange={(next) => {
            setReference(next);
            pushing.clear();
            setPushed(undefined);
          }}
        />
        <Button
          look="primary"
          type="submit"
          isBusy={pushing.isBusy}
          disabled={servers.length === 0 || reference.trim() === ""}
        >
          {t("share.store")}
        </Button>
        {pushing.problem !== undefined && <ProblemView problem={pushing.problem} />}
        {pushing.problem?.code === "NOT_CONFIRMED" && <Present reference={reference.trim()} onReplace={push} />}
      </form>
      {pushed !== undefined && <Stored pushed={pushed} />}
      <CommandLine command={`thv export ${what} ${quoteWord(name)} && thv push ${where} --file ${quoteWord(name)}`} />
    </div>
  );
}

interface GroupChoiceProps {
  readonly group: string | undefined;
  readonly onChange: (group: string) => void;
}

function GroupChoice({ group, onChange }: GroupChoiceProps) {
  const { data: groups = [] } = useGroups();
  return (
    <Field label={t("share.what")}>
      {(control) => (
        <select {...control} value={group ?? ""} onChange={(event) => onChange(event.target.value)}>
          <option value="">{t("share.everything")}</option>
          {groups.map(({ name }) => (
            <option key={name} value={name}>
              {t("share.group", { name })}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}

/** What is sent, and what is not. */
function Content({ exported: { file, servers, groups, secrets, left_out: left } }: { readonly exported: Exported }) {
  return (
    <section className="panel panel--wide" aria-label={t("share.content")}>
      <h2>{t("share.content")}</h2>
      {servers.length === 0 ? (
        <p>{t("set.nothing")}</p>
      ) : (
        <dl className="facts">
          <Fact term={t("groups.servers")}>{servers.join(", ")}</Fact>
          {groups.length > 0 && <Fact term={t("groups.title")}>{groups.join(", ")}</Fact>}
          <Fact term={t("share.secrets")}>{secrets.length === 0 ? t("plan.none") : secrets.join(", ")}</Fact>
        </dl>
      )}
      {left.length > 0 && (
        <>
          <h3>{t("share.leftOut")}</h3>
          <ul className="plan__warnings">
            {left.map(({ server, group, member, reason }) => (
              <li key={`${server} ${group} ${member}`}>
                {[server ?? group, member].filter(Boolean).join(", ")}: {reason}.
              </li>
            ))}
          </ul>
        </>
      )}
      <details>
        <summary>{t("share.file")}</summary>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a long file is scrolled by keys, too. */}
        <pre className="share__file" tabIndex={0}>
          {file}
        </pre>
      </details>
    </section>
  );
}

interface PresentProps {
  readonly reference: string;
  readonly onReplace: (digest: string) => Promise<void>;
}

/** What somebody else has stored there: replaced only by who has seen it. */
function Present({ reference, onReplace }: PresentProps) {
  const looking: Action = useAction();
  const [present, setPresent] = useState<
    { readonly digest: string; readonly servers: readonly string[] } | undefined
  >();
  const look = () =>
    looking.run(async () => {
      const { digest, file } = await call("pullProject", { body: { reference } });
      const { servers } = await call("readProject", { body: { text: file } });
      setPresent({ digest, servers: servers.map(({ name }) => name) });
    });
  if (present === undefined) {
    return (
      <>
        <Button isBusy={looking.isBusy} onClick={() => void look()}>
          {t("share.present")}
        </Button>
        {looking.problem !== undefined && <ProblemView problem={looking.problem} />}
      </>
    );
  }
  return (
    <section className="panel panel--wide" aria-label={t("share.presentTitle")}>
      <h2>{t("share.presentTitle")}</h2>
      <dl className="facts">
        <Fact term={t("set.digest")}>
          <code>{present.digest}</code>
        </Fact>
        <Fact term={t("groups.servers")}>
          {present.servers.length === 0 ? t("plan.none") : present.servers.join(", ")}
        </Fact>
      </dl>
      <Button look="danger" onClick={() => void onReplace(present.digest)}>
        {t("share.replace")}
      </Button>
    </section>
  );
}

function Stored({ pushed: { reference, digest, sent, replaced } }: { readonly pushed: Pushed }) {
  const pinned = `${reference}@${digest}`;
  return (
    <section className="panel panel--wide" role="status" aria-label={t("share.stored")}>
      <h2>{t(sent === 0 && replaced === undefined ? "share.same" : "share.stored")}</h2>
      <dl className="facts">
        <Fact term={t("set.reference")}>
          <code>{reference}</code>
        </Fact>
        <Fact term={t("set.digest")}>
          <code>{digest}</code>
        </Fact>
        {replaced !== undefined && (
          <Fact term={t("share.replaced")}>
            <code>{replaced}</code>
          </Fact>
        )}
      </dl>
      <p>{t("share.others")}</p>
      <CommandLine command={`thv up ${quoteWord(reference)}`} />
      <p>{t("share.pinned")}</p>
      <CommandLine command={`thv up ${quoteWord(pinned)}`} />
    </section>
  );
}
