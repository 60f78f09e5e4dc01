/** The present state of a call, built from the lines of its stream. */
import type { OperationAnswer } from "../../api/client.ts";

export type CallNews = OperationAnswer<"callWorkload">;
export type CallEnd = Extract<CallNews, { type: "end" }>;
export type CallMessage = Extract<CallNews, { type: "message" }> & { readonly id: number };
export type CallQuestion = Extract<CallNews, { type: "question" }>;

export interface CallState {
  readonly callId: string | undefined;
  readonly messages: readonly CallMessage[];
  /** Those that wait for an answer, the oldest first. */
  readonly questions: readonly CallQuestion[];
  readonly end: CallEnd | undefined;
}

export const NEW_CALL: CallState = { callId: undefined, messages: [], questions: [], end: undefined };

export function applyNews(state: CallState, all: readonly CallNews[]): CallState {
  let { callId, end } = state;
  const messages = [...state.messages];
  let questions = state.questions;
  for (const news of all) {
    if (news.type === "begin") callId = news.call_id;
    else if (news.type === "message") messages.push({ ...news, id: messages.length });
    else if (news.type === "question") questions = [...questions, news];
    else if (news.type === "end") {
      end = news;
      questions = [];
    }
  }
  return { callId, messages, questions, end };
}

export function withoutQuestion(state: CallState, questionId: string): CallState {
  return { ...state, questions: state.questions.filter((each) => each.question_id !== questionId) };
}

/** @returns For example `tools/call`, or `answer to 3`. */
export function describeMessage(message: unknown): string {
  if (typeof message !== "object" || message === null) return typeof message;
  const { method, id, error } = message as { method?: unknown; id?: unknown; error?: unknown };
  if (typeof method === "string") return method.slice(0, 100);
  return `${error === undefined ? "result" : "error"} ${JSON.stringify(id ?? null).slice(0, 40)}`;
}
