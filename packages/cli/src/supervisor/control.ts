/**
 * What the command line alone may ask of the supervisor: values of secrets, and what would happen if. Only its private
 * socket answers, which belongs to the user; the API has none of this.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { ApiClient, OperationInput } from "@toolhive/api/client";
import type { ClientFileChange, ReplacedEntry, RunPlan, WorkloadDetails } from "@toolhive/core";
import { messageOf, ThvError } from "@toolhive/core/errors";

const PREFIX = "/supervisor/ask/";
/** Bytes of a question; the largest is a create request. */
const MAX_QUESTION_BYTES = 1024 * 1024;

/** Every question, with its answer. */
export interface ControlCalls {
  readonly "read-secret": { question: { key: string }; answer: { value: string } };
  readonly "unlock-secrets": { question: { password: string }; answer: Record<never, never> };
  /** Without `current`, the password in the keyring is the present one. */
  readonly "change-password": {
    question: { current?: string | undefined; wanted: string };
    answer: Record<never, never>;
  };
  readonly "forget-password": { question: Record<never, never>; answer: { had: boolean } };
  /** How a server is run, and what the engine has of it. */
  readonly inspect: { question: { name: string }; answer: Omit<WorkloadDetails, "workload"> };
  /** What `thv run` would do, and what would become of the clients' files. */
  readonly "plan-run": {
    question: OperationInput<"createWorkload">["body"];
    answer: { plan: RunPlan; files: readonly ClientFileChange[] };
  };
  /** Answers once the clients' files say what has become of the workloads. */
  readonly "settle-clients": {
    question: Record<never, never>;
    /** Entries of the user's own whose place is taken. Absent from an older supervisor. */
    answer: { replaced?: readonly ReplacedEntry[] };
  };
  readonly "plan-clients": {
    question: { register: readonly string[]; unregister: readonly string[] };
    answer: { files: readonly ClientFileChange[] };
  };
  /** What undoing would do; with `isMeant` it is done. Without a file there is nothing to undo. */
  readonly "undo-client": {
    question: { name: string; isMeant: boolean };
    answer: { file?: ClientFileChange | undefined; isOnlyOurs?: boolean; keptAt?: string };
  };
}

export type ControlAnswers = {
  readonly [Call in keyof ControlCalls]: (
    question: ControlCalls[Call]["question"],
  ) => Promise<ControlCalls[Call]["answer"]>;
};

/** @throws {ThvError} what the supervisor says. */
export async function askSupervisor<Call extends keyof ControlCalls>(
  client: ApiClient,
  call: Call,
  question: ControlCalls[Call]["question"],
): Promise<ControlCalls[Call]["answer"]> {
  const response = await client.send("POST", `${PREFIX}${call}`, { body: question });
  let text = "";
  for await (const chunk of response.setEncoding("utf8")) text += chunk;
  return JSON.parse(text) as ControlCalls[Call]["answer"];
}

/** @returns Answers a request and says true, or false when it is about something else. */
export function createControl(answers: ControlAnswers) {
  return (request: IncomingMessage, response: ServerResponse): boolean => {
    const call = request.url?.startsWith(PREFIX) ? request.url.slice(PREFIX.length) : "";
    if (request.method !== "POST" || !Object.hasOwn(answers, call)) return false;
    const answer = answers[call as keyof ControlCalls] as (question: unknown) => Promise<unknown>;
    void readJson(request)
      .then(answer)
      .then(
        (body) => send(response, 200, body),
        (error) => send(response, 500, problemOf(error)),
      );
    return true;
  };
}

async function readJson(request: IncomingMessage): Promise<unknown> {
  let text = "";
  for await (const chunk of request.setEncoding("utf8")) {
    text += chunk;
    if (text.length > MAX_QUESTION_BYTES) throw new ThvError("INVALID_ARGUMENT", "The request is too large.");
  }
  return JSON.parse(text);
}

function problemOf(error: unknown) {
  if (!(error instanceof ThvError)) return { code: "INTERNAL", detail: messageOf(error) };
  return { code: error.code, detail: error.message, hint: error.hint };
}

function send(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { "Content-Type": "application/json" }).end(JSON.stringify(body));
}
