/** The request console of one API operation: sends to the reader's own server and shows what it answered. Loaded when it is opened. */
import { BRAND } from "@toolhive/core/brand";
import { type FormEvent, useEffect, useId, useRef, useState } from "react";
import type { ApiOperationProps } from "./api.tsx";
import { LOCAL_API, problemOfJson, readableBody, requestTarget } from "./api-request.ts";

/** The slowest operation answers before its work is done; streams of logs are cut here. */
const ANSWER_TIMEOUT_MS = 30_000;

type Outcome =
  | { kind: "none" }
  | { kind: "sending" }
  | { kind: "answer"; status: string; isSuccess: boolean; wantsToken: boolean; durationMs: number; body: string }
  | { kind: "failure"; reason: "body" | "timeout" | "unreachable"; text: string };

export function ApiConsole({ method, path, parameters = [], body }: ApiOperationProps) {
  const id = useId();
  const [values, setValues] = useState<Readonly<Record<string, string>>>(() =>
    Object.fromEntries(parameters.map(({ name, example }) => [name, example])),
  );
  const [text, setText] = useState(() => (body === undefined ? "" : readableBody(body)));
  const [token, setToken] = useState("");
  const [outcome, setOutcome] = useState<Outcome>({ kind: "none" });
  const form = useRef<HTMLFormElement>(null);
  const running = useRef<AbortController | undefined>(undefined);
  useEffect(() => {
    form.current?.querySelector<HTMLElement>("input, textarea, button")?.focus();
    return () => running.current?.abort();
  }, []);

  const target = requestTarget(path, parameters, values);
  const send = async (event: FormEvent) => {
    event.preventDefault();
    if (outcome.kind === "sending") return;
    const problem = body === undefined ? undefined : problemOfJson(text);
    if (problem !== undefined) return setOutcome({ kind: "failure", reason: "body", text: problem });
    setOutcome({ kind: "sending" });
    running.current = new AbortController();
    const sent = { method, target, token, ...(body === undefined ? {} : { body: text }) };
    setOutcome(await sendRequest(sent, running.current));
  };

  return (
    <form ref={form} className="try-it" aria-label={`Try ${method} ${path}`} onSubmit={send}>
      {parameters.map((parameter) => (
        <ParameterField
          key={parameter.name}
          id={`${id}${parameter.name}`}
          parameter={parameter}
          value={values[parameter.name] ?? ""}
          onChange={(value) => setValues({ ...values, [parameter.name]: value })}
        />
      ))}
      {body !== undefined && (
        <div className="try-it__field">
          <label htmlFor={`${id}body`}>
            Body <span className="try-it__where">JSON</span>
          </label>
          <textarea
            id={`${id}body`}
            rows={Math.min(12, text.split("\n").length + 1)}
            value={text}
            spellCheck={false}
            onChange={({ target: field }) => setText(field.value)}
          />
        </div>
      )}
      {(token !== "" || (outcome.kind === "answer" && outcome.wantsToken)) && (
        <TokenField id={`${id}token`} token={token} onChange={setToken} />
      )}
      <div className="try-it__line">
        <button
          type="submit"
          className="button button--primary button--sm"
          aria-disabled={outcome.kind === "sending" ? "true" : undefined}
        >
          Send
        </button>
        <code className="try-it__target">{`${method} ${LOCAL_API}${target}`}</code>
      </div>
      {method !== "GET" && <p className="try-it__note">This acts on the servers and settings of your own machine.</p>}
      <Answer outcome={outcome} label={`Answer of ${method} ${path}`} />
      {outcome.kind === "failure" && <Failure reason={outcome.reason} text={outcome.text} />}
    </form>
  );
}

interface ParameterFieldProps {
  readonly id: string;
  readonly parameter: NonNullable<ApiOperationProps["parameters"]>[number];
  readonly value: string;
  readonly onChange: (value: string) => void;
}

function ParameterField({ id, parameter, value, onChange }: ParameterFieldProps) {
  const { name, in: where, required } = parameter;
  return (
    <div className="try-it__field">
      <label htmlFor={id}>
        {name} <span className="try-it__where">{required ? where : `${where}, optional`}</span>
      </label>
      <input
        id={id}
        value={value}
        required={required}
        autoComplete="off"
        spellCheck={false}
        onChange={({ target: field }) => onChange(field.value)}
      />
    </div>
  );
}

interface TokenFieldProps {
  readonly id: string;
  readonly token: string;
  readonly onChange: (token: string) => void;
}

function TokenField({ id, token, onChange }: TokenFieldProps) {
  return (
    <div className="try-it__field">
      <label htmlFor={id}>
        Token <span className="try-it__where">kept in this form only</span>
      </label>
      <input
        id={id}
        type="password"
        value={token}
        autoComplete="off"
        onChange={({ target: field }) => onChange(field.value)}
      />
    </div>
  );
}

/** The status line of an answer, a live region that exists before the answer, and its body. */
function Answer({ outcome, label }: { readonly outcome: Outcome; readonly label: string }) {
  return (
    <>
      <div role="status">
        {outcome.kind === "sending" && <p className="try-it__note">Waiting for the answer…</p>}
        {outcome.kind === "answer" && (
          <p className="try-it__result">
            <strong className={outcome.isSuccess ? "try-it__status--good" : "try-it__status--bad"}>
              {outcome.status}
            </strong>{" "}
            in {outcome.durationMs} ms{outcome.body === "" && ", without a body"}
          </p>
        )}
      </div>
      {outcome.kind === "answer" && outcome.body !== "" && (
        <section className="try-it__answer" aria-label={label}>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a keyboard can scroll only what it can reach. */}
          <pre className="try-it__body" tabIndex={0}>
            {readableBody(outcome.body)}
          </pre>
        </section>
      )}
    </>
  );
}

function Failure({ reason, text }: { readonly reason: "body" | "timeout" | "unreachable"; readonly text: string }) {
  const isServedElsewhere = window.location.origin !== BRAND.siteUrl;
  return (
    <div className="try-it__failure" role="alert">
      <p>{text}</p>
      {reason === "unreachable" && (
        <p>
          Start it: <code>{BRAND.command} serve</code>
        </p>
      )}
      {reason === "unreachable" && isServedElsewhere && (
        <p>
          It answers pages of <code>{BRAND.siteUrl}</code> only, and this page comes from{" "}
          <code>{window.location.origin}</code>.
        </p>
      )}
    </div>
  );
}

interface SentRequest {
  readonly method: string;
  readonly target: string;
  /** Bearer token; empty when the server asked for none. */
  readonly token: string;
  readonly body?: string;
}

async function sendRequest({ method, target, token, body }: SentRequest, running: AbortController): Promise<Outcome> {
  const timer = setTimeout(() => running.abort(), ANSWER_TIMEOUT_MS);
  const startedAt = performance.now();
  try {
    const answer = await fetch(LOCAL_API + target, {
      method,
      signal: running.signal,
      headers: {
        // In plain text a failure is only what programs of old expect; as a problem document it has its code and the next step.
        accept: "application/json, application/problem+json",
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        ...(token === "" ? {} : { authorization: `Bearer ${token}` }),
      },
      ...(body === undefined ? {} : { body }),
    });
    const text = await answer.text();
    return {
      kind: "answer",
      status: `${answer.status} ${answer.statusText}`.trim(),
      isSuccess: answer.ok,
      wantsToken: answer.status === 401,
      durationMs: Math.round(performance.now() - startedAt),
      body: text,
    };
  } catch {
    // The browser keeps to itself why a request to another origin failed.
    return running.signal.aborted
      ? { kind: "failure", reason: "timeout", text: `No complete answer within ${ANSWER_TIMEOUT_MS / 1000} seconds.` }
      : { kind: "failure", reason: "unreachable", text: `No server answers at ${LOCAL_API}.` };
  } finally {
    clearTimeout(timer);
  }
}
