import { isWebAddress } from "@toolhive/core/web-address";
import { useState } from "react";
import { Button } from "../../parts/button.tsx";
import { Field } from "../../parts/field.tsx";
import { ForeignLink } from "../../parts/foreign-link.tsx";
import { SchemaForm } from "../../schema-form/schema-form.tsx";
import { useSchemaForm } from "../../schema-form/use-schema-form.ts";
import { t } from "../../words/messages.ts";
import { LongText } from "./answer.tsx";
import { readAnswer } from "./answer-parts.ts";
import type { CallQuestion } from "./call-state.ts";
import type { RunningCall } from "./use-call.ts";

interface QuestionProps {
  readonly question: CallQuestion;
  readonly onAnswer: RunningCall["answer"];
}

/** A server's question during a call: a person answers, also in place of a model. */
export function Question({ question, onAnswer }: QuestionProps) {
  const params = (typeof question.params === "object" && question.params !== null ? question.params : {}) as Params;
  const props = { question, params, onAnswer };
  if (question.method === "sampling/createMessage") return <Sampling {...props} />;
  if (question.method !== "elicitation/create") return <UnknownQuestion {...props} />;
  return params.mode === "url" ? <UrlElicitation {...props} /> : <Elicitation {...props} />;
}

type Params = Readonly<Record<string, unknown>>;

interface KnownProps extends QuestionProps {
  readonly params: Params;
}

function Elicitation({ question, params, onAnswer }: KnownProps) {
  const form = useSchemaForm(params.requestedSchema);
  const [problems, setProblems] = useState(form.faults);
  const accept = () => {
    const found = form.faults.size > 0 ? form.faults : form.objections;
    setProblems(found);
    if (found.size === 0) onAnswer(question, { result: { action: "accept", content: form.value } });
  };
  return (
    <section className="question" aria-label={t("tools.elicitation")}>
      <h3>{t("tools.elicitation")}</h3>
      <p className="foreign">{takeText(params.message)}</p>
      <SchemaForm form={form} problems={problems} />
      <Choices question={question} onAnswer={onAnswer} accept={t("tools.accept")} onAccept={accept} />
    </section>
  );
}

function UrlElicitation({ question, params, onAnswer }: KnownProps) {
  const url = takeText(params.url);
  return (
    <section className="question" aria-label={t("tools.elicitationUrl")}>
      <h3>{t("tools.elicitationUrl")}</h3>
      <p className="foreign">{takeText(params.message)}</p>
      <p className="answer__link">
        <ForeignLink url={url} label={t("tools.link")} />
      </p>
      {isWebAddress(url) ? (
        <Choices
          question={question}
          onAnswer={onAnswer}
          accept={t("tools.acceptUrl")}
          onAccept={() => onAnswer(question, { result: { action: "accept" } })}
        />
      ) : (
        <>
          <p className="quiet">{t("tools.unsafeUrl")}</p>
          <Button onClick={() => onAnswer(question, { result: { action: "decline" } })}>{t("tools.decline")}</Button>
        </>
      )}
    </section>
  );
}

interface ChoicesProps extends QuestionProps {
  readonly accept: string;
  readonly onAccept: () => void;
}

function Choices({ question, onAnswer, accept, onAccept }: ChoicesProps) {
  return (
    <div className="row__actions">
      <Button look="primary" onClick={onAccept}>
        {accept}
      </Button>
      <Button onClick={() => onAnswer(question, { result: { action: "decline" } })}>{t("tools.decline")}</Button>
      <Button onClick={() => onAnswer(question, { result: { action: "cancel" } })}>{t("action.cancel")}</Button>
    </div>
  );
}

function Sampling({ question, params, onAnswer }: KnownProps) {
  const [text, setText] = useState("");
  const asked = readAnswer({ messages: params.messages }).parts;
  const send = () => {
    const content = { type: "text", text };
    onAnswer(question, { result: { role: "assistant", content, model: "by-hand", stopReason: "endTurn" } });
  };
  return (
    <section className="question" aria-label={t("tools.sampling")}>
      <h3>{t("tools.sampling")}</h3>
      <p className="quiet">{t("tools.samplingHint")}</p>
      {typeof params.systemPrompt === "string" && (
        <details className="more">
          <summary>{t("tools.samplingSystem")}</summary>
          <LongText text={params.systemPrompt} file="prompt.txt" />
        </details>
      )}
      {asked.map((part, index) => (
        <LongText
          // biome-ignore lint/suspicious/noArrayIndexKey: a question never changes.
          key={index}
          text={part.kind === "text" ? `${part.from}: ${part.text}` : JSON.stringify(part, null, 2)}
          file="message.txt"
        />
      ))}
      <Field label={t("tools.samplingAnswer")}>
        {(control) => <textarea {...control} rows={4} value={text} onChange={(event) => setText(event.target.value)} />}
      </Field>
      <div className="row__actions">
        <Button look="primary" onClick={send}>
          {t("tools.samplingSend")}
        </Button>
        <Refuse question={question} onAnswer={onAnswer} />
      </div>
    </section>
  );
}

function UnknownQuestion({ question, params, onAnswer }: KnownProps) {
  const title = t("tools.unknownQuestion", { method: question.method });
  return (
    <section className="question" aria-label={title}>
      <h3>{title}</h3>
      <LongText text={JSON.stringify(params, null, 2)} file="question.json" />
      <Refuse question={question} onAnswer={onAnswer} />
    </section>
  );
}

function Refuse({ question, onAnswer }: QuestionProps) {
  return (
    <Button onClick={() => onAnswer(question, { error: { message: t("tools.samplingRefused") } })}>
      {t("tools.decline")}
    </Button>
  );
}

function takeText(value: unknown): string {
  return typeof value === "string" ? value : "";
}
