/** Runs a call and shows its progress. Leaving the screen cancels it. */
import { useEffect, useRef, useState } from "react";
import { call, open, readLines } from "../../api/client.ts";
import { type Problem, toProblem } from "../../parts/problem-view.tsx";
import { t } from "../../words/messages.ts";
import {
  applyNews,
  type CallNews,
  type CallQuestion,
  type CallState,
  NEW_CALL,
  withoutQuestion,
} from "./call-state.ts";
import type { CallRequest } from "./offers.ts";

export interface RunningCall {
  /** `undefined` before the first call. */
  readonly state: CallState | undefined;
  /** Milliseconds since 1970, while it runs. */
  readonly since: number | undefined;
  readonly problem: Problem | undefined;
  start(body: NonNullable<CallRequest>): void;
  cancel(): void;
  answer(question: CallQuestion, answer: { result: Record<string, unknown> } | { error: { message: string } }): void;
}

export function useCall(name: string): RunningCall {
  const [state, setState] = useState<CallState | undefined>();
  const [since, setSince] = useState<number | undefined>();
  const [problem, setProblem] = useState<Problem | undefined>();
  const stop = useRef<AbortController>(undefined);
  useEffect(() => () => stop.current?.abort(), []);

  const run = async (body: NonNullable<CallRequest>, controller: AbortController) => {
    let waiting: CallNews[] = [];
    let frame = 0;
    const flush = () => {
      cancelAnimationFrame(frame);
      frame = 0;
      const all = waiting;
      waiting = [];
      if (all.length > 0) setState((before) => applyNews(before ?? NEW_CALL, all));
    };
    let hasEnded = false;
    try {
      const response = await open("callWorkload", { params: { name }, body, signal: controller.signal });
      for await (const line of readLines(response)) {
        const news = JSON.parse(line) as CallNews;
        hasEnded ||= news.type === "end";
        waiting.push(news);
        if (frame === 0) frame = requestAnimationFrame(flush);
      }
      if (!hasEnded) setProblem({ message: t("tools.broken") });
    } catch (error) {
      setProblem(controller.signal.aborted ? { message: t("tools.cancelled") } : toProblem(error));
    } finally {
      flush();
      setState((before) => before && { ...before, questions: [] });
      setSince(undefined);
    }
  };
  return {
    state,
    since,
    problem,
    start: (body) => {
      stop.current?.abort();
      stop.current = new AbortController();
      setProblem(undefined);
      setState(NEW_CALL);
      setSince(Date.now());
      void run(body, stop.current);
    },
    cancel: () => stop.current?.abort(),
    answer: ({ question_id: questionId }, answer) => {
      const params = { call_id: state?.callId ?? "" };
      setState((before) => before && withoutQuestion(before, questionId));
      call("answerCall", { params, body: { question_id: questionId, ...answer } }).catch((error: unknown) =>
        setProblem(toProblem(error)),
      );
    },
  };
}
