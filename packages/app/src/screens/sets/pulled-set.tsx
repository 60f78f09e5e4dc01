/** A set at an image registry: read, checked, and shown with its digest before anything of it is started. */
import { quoteWord } from "@toolhive/http/values";
import { type FormEvent, useState } from "react";
import { call, type OperationAnswer } from "../../api/client.ts";
import { Button } from "../../parts/button.tsx";
import { CommandLine } from "../../parts/command-line.tsx";
import { ProblemView } from "../../parts/problem-view.tsx";
import { t } from "../../words/messages.ts";
import { useAction } from "../actions/use-action.ts";
import { Fact } from "../plan/fact.tsx";
import { ReferenceField } from "./reference-field.tsx";
import type { ReadSet } from "./set-steps.ts";
import { SetProblems, SetView } from "./set-view.tsx";
import { readStarted, rememberStarted } from "./started-digests.ts";

type Pulled = OperationAnswer<"pullProject">;

interface PulledContent {
  readonly pulled: Pulled;
  readonly set: ReadSet;
}

export function PulledSet() {
  const [reference, setReference] = useState("");
  const [content, setContent] = useState<PulledContent | undefined>();
  const pulling = useAction();
  const change = (next: string) => {
    setReference(next);
    setContent(undefined);
  };
  const pull = async (event: FormEvent) => {
    event.preventDefault();
    setContent(undefined);
    await pulling.run(async () => {
      const pulled = await call("pullProject", { body: { reference: reference.trim() } });
      setContent({ pulled, set: await call("readProject", { body: { text: pulled.file } }) });
    });
  };
  const shown = content?.pulled.reference ?? reference.trim();
  return (
    <>
      <form className="form form--wide" onSubmit={(event) => void pull(event)}>
        <ReferenceField hint={t("set.referenceHint")} value={reference} onChange={change} />
        <Button look="primary" type="submit" isBusy={pulling.isBusy} disabled={reference.trim() === ""}>
          {t("set.read")}
        </Button>
        {pulling.problem !== undefined && <ProblemView problem={pulling.problem} />}
      </form>
      {content !== undefined && <PulledView key={content.pulled.digest} {...content} />}
      <CommandLine command={`thv up ${shown === "" ? "oci://…" : quoteWord(shown)}`} />
    </>
  );
}

function PulledView({ pulled, set }: PulledContent) {
  const { reference, digest, files = [], left_out: left, lock } = pulled;
  // As it was when this was read: a start makes it the known one.
  const [before] = useState(() => readStarted(reference));
  const isMoved = before !== undefined && before !== digest;
  const needsFolder = files.length > 0 || left.length > 0;
  return (
    <>
      <section className="panel panel--wide" aria-label={t("set.source")}>
        <h2>{t("set.source")}</h2>
        {isMoved && (
          <p className="plan__warnings" role="alert">
            {t("set.moved", { before, now: digest })}
          </p>
        )}
        <dl className="facts">
          <Fact term={t("set.reference")}>
            <code>{reference}</code>
          </Fact>
          <Fact term={t("set.digest")}>
            <code>{digest}</code>
          </Fact>
        </dl>
        {lock !== undefined && <p>{t("set.lock")}</p>}
        {needsFolder && (
          <>
            <p>{t("set.needsFolder")}</p>
            <ul>
              {files.map(({ name }) => (
                <li key={name}>
                  <code>{name}</code>
                </li>
              ))}
              {left.map(({ member, path }) => (
                <li key={member}>
                  {member}: <code>{path}</code>
                </li>
              ))}
            </ul>
            <CommandLine
              command={left.length > 0 ? `thv pull ${quoteWord(reference)} FOLDER` : `thv up ${quoteWord(reference)}`}
            />
          </>
        )}
      </section>
      {!needsFolder && set.problems.length > 0 && <SetProblems set={set} />}
      {!needsFolder && set.problems.length === 0 && (
        <SetView set={set} onStart={() => rememberStarted(reference, digest)} />
      )}
    </>
  );
}
