import { useEffect, useState } from "react";
import { Button } from "../../parts/button.tsx";
import { CommandLine } from "../../parts/command-line.tsx";
import { ProblemView } from "../../parts/problem-view.tsx";
import type { Problems } from "../../schema-form/draft.ts";
import { SchemaForm } from "../../schema-form/schema-form.tsx";
import { useSchemaForm } from "../../schema-form/use-schema-form.ts";
import { t } from "../../words/messages.ts";
import { AnswerView } from "./answer.tsx";
import { MessagesView } from "./messages-view.tsx";
import { type Offer, writeCommand } from "./offers.ts";
import { Question } from "./question.tsx";
import { useCall } from "./use-call.ts";

const VERBS = { tools: "tools.call", prompts: "tools.get", resources: "tools.read" } as const;
const NO_PROBLEMS: Problems = new Map();

/** Characters of a command that people would still copy. */
const MAX_COMMAND = 10_000;

/** One offer of a server: its description, a form for it, and the result of the last try. */
export function TryIt({ name, offer }: { readonly name: string; readonly offer: Offer }) {
  const form = useSchemaForm(offer.schema);
  const running = useCall(name);
  const [problems, setProblems] = useState<Problems>(NO_PROBLEMS);
  const { state, since, problem } = running;
  const isBusy = since !== undefined;
  const command = writeCommand(name, offer, form.value);
  const send = () => {
    setProblems(NO_PROBLEMS);
    running.start(offer.request(form.value));
  };
  const check = () => {
    const found = form.faults.size > 0 ? form.faults : form.objections;
    if (found.size === 0) send();
    else setProblems(found);
  };
  return (
    <div className="try">
      <div className="try__ask">
        <h2>{offer.title}</h2>
        {offer.title !== offer.id && <code className="try__id">{offer.id}</code>}
        {offer.hints.length > 0 && (
          <ul className="chips" aria-label={t("tools.claimed")} title={t("tools.claimed")}>
            {offer.hints.map((hint) => (
              <li key={hint} className={hint === "destructive" ? "chip chip--bad" : "chip"}>
                {t(`tools.${hint}`)}
              </li>
            ))}
          </ul>
        )}
        {offer.description !== undefined && <p className="foreign">{offer.description}</p>}
        <form
          className="form"
          noValidate
          onSubmit={(event) => {
            event.preventDefault();
            if (!isBusy) check();
          }}
        >
          <SchemaForm form={form} problems={problems} />
          {problems.size > 0 && form.faults.size === 0 && <Objections problems={problems} onSend={send} />}
          <div className="row__actions">
            <Button look="primary" type="submit" isBusy={isBusy}>
              {t(VERBS[offer.kind])}
            </Button>
            {isBusy && <Button onClick={running.cancel}>{t("tools.cancel")}</Button>}
            {isBusy && <Elapsed since={since} />}
          </div>
        </form>
        {command.length > MAX_COMMAND ? (
          <p className="quiet">{t("tools.commandLong")}</p>
        ) : (
          <CommandLine command={command} />
        )}
      </div>
      {state !== undefined && (
        <div className="try__outcome">
          <div aria-live="polite">
            {state.questions.map((question) => (
              <Question key={question.question_id} question={question} onAnswer={running.answer} />
            ))}
            {problem !== undefined && <ProblemView problem={problem} />}
            {state.end !== undefined && <AnswerView end={state.end} />}
          </div>
          <MessagesView messages={state.messages} />
        </div>
      )}
    </div>
  );
}

/** What the schema has against the arguments, which can be sent all the same. */
function Objections({ problems, onSend }: { readonly problems: Problems; readonly onSend: () => void }) {
  return (
    <div className="notice" role="alert">
      <p>{t("tools.objections")}</p>
      <ul>
        {[...problems].map(([where, text]) => (
          <li key={where}>
            <code>{where}</code> {text}
          </li>
        ))}
      </ul>
      <Button onClick={onSend}>{t("tools.anyway")}</Button>
    </div>
  );
}

function Elapsed({ since }: { readonly since: number }) {
  const [now, setNow] = useState(since);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1_000);
    return () => clearInterval(timer);
  }, []);
  const seconds = Math.max(0, Math.floor((now - since) / 1_000));
  return (
    <span className="quiet">
      <span role="status">{t("tools.running")}</span> {t("tools.elapsed", { seconds })}
    </span>
  );
}
