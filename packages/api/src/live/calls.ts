/** Calls of servers under way: their messages, the server's own requests meanwhile, and their bounds. */
import { randomUUID } from "node:crypto";
import { describeError, hasCode, ThvError } from "@toolhive/core";
import { startTimeout } from "@toolhive/core/timeout-signal";
import type { OperationAnswer, OperationInput } from "../contract/contract.ts";
import { CALL_MINUTES, MAX_CALL_BYTES, MAX_CALLS, MAX_QUESTIONS } from "../contract/parts/limits.ts";
import { type McpKind, type OpenMcp, RpcFailure } from "./mcp-access.ts";

/** Milliseconds to list everything of a server. */
const LIST_MS = 30_000;

type CallNews = OperationAnswer<"callWorkload">;
type CallRequest = OperationInput<"callWorkload">["body"];
type CallAnswer = OperationInput<"answerCall">["body"];

interface Question {
  readonly resolve: (result: Record<string, unknown>) => void;
  readonly reject: (error: Error) => void;
}

interface Call {
  readonly id: string;
  readonly questions: Map<string, Question>;
  /** Lines that wait for the reader; together with those it has read within the bound on bytes. */
  readonly waiting: CallNews[];
  bytes: number;
  wake: () => void;
  readonly stop: AbortController;
}

export class Calls {
  readonly #open: OpenMcp;
  readonly #calls = new Map<string, Call>();
  #count = 0;

  constructor(open: OpenMcp) {
    this.#open = open;
  }

  /** @throws {ThvError} `LIMIT_REACHED`, `SERVER_NOT_READY`, `UNAUTHENTICATED`. */
  async list(
    url: URL,
    kinds: readonly McpKind[],
    signal: AbortSignal,
  ): Promise<(readonly Record<string, unknown>[])[]> {
    this.assertRoom();
    this.#count += 1;
    try {
      await using session = await this.#open(url, {
        signal: AbortSignal.any([signal, startTimeout(LIST_MS)]),
        // Some servers offer more to a client that can be asked, as that of a call can.
        onQuestion: async () => {
          throw new Error("nobody answers while a list is made");
        },
      });
      const lists = [];
      for (const kind of kinds) lists.push(await session.list(kind));
      if (JSON.stringify(lists).length > MAX_CALL_BYTES) throw tooLarge();
      return lists;
    } catch (error) {
      if (error instanceof RpcFailure) throw new ThvError("SERVER_NOT_READY", error.message, { cause: error });
      // To callers of this API, 401 would mean that this API does not know them.
      if (!hasCode(error, "UNAUTHENTICATED")) throw error;
      throw new ThvError("SERVER_NOT_READY", error.message, { hint: error.hint, cause: error });
    } finally {
      this.#count -= 1;
    }
  }

  /** @throws {ThvError} `LIMIT_REACHED`. */
  assertRoom(): void {
    if (this.#count < MAX_CALLS) return;
    throw new ThvError("LIMIT_REACHED", `${MAX_CALLS} calls of servers go on already.`, {
      hint: "Wait until one has ended, or cancel one, then try again.",
    });
  }

  /** The call from its begin to its end; leaving it cancels it. */
  async *run(url: URL, request: CallRequest, signal: AbortSignal): AsyncGenerator<CallNews> {
    this.assertRoom();
    const stop = new AbortController();
    const call: Call = {
      id: randomUUID(),
      questions: new Map(),
      waiting: [],
      bytes: 0,
      wake: () => undefined,
      stop,
    };
    const ending = AbortSignal.any([signal, stop.signal, startTimeout(CALL_MINUTES * 60_000)]);
    this.#count += 1;
    this.#calls.set(call.id, call);
    try {
      yield { type: "begin", call_id: call.id };
      let end: CallNews | undefined;
      void this.#perform(call, url, request, ending).then((news) => {
        end = news;
        call.wake();
      });
      for (;;) {
        while (call.waiting.length > 0) yield call.waiting.shift() as CallNews;
        if (end) {
          yield end;
          return;
        }
        await new Promise<void>((resolve) => {
          call.wake = resolve;
        });
      }
    } finally {
      stop.abort();
      for (const { reject } of call.questions.values()) reject(new Error("the call has ended"));
      this.#calls.delete(call.id);
      this.#count -= 1;
    }
  }

  /** @throws {ThvError} `INVALID_ARGUMENT` when nothing waits for it. */
  answer(callId: string, { question_id: questionId, result, error }: CallAnswer): void {
    const call = this.#calls.get(callId);
    const question = call?.questions.get(questionId);
    if (!call || !question) {
      throw new ThvError("INVALID_ARGUMENT", `no call "${callId.slice(0, 64)}" asks "${questionId.slice(0, 64)}"`, {
        hint: "The call may have ended. Its line with the type question has both ids.",
      });
    }
    if ((result === undefined) === (error === undefined)) {
      throw new ThvError("INVALID_ARGUMENT", "an answer has either a result or an error");
    }
    call.questions.delete(questionId);
    if (result) question.resolve(result);
    else question.reject(new Error(error?.message));
  }

  /** Never rejects. @returns The last line. */
  async #perform(call: Call, url: URL, { method, params }: CallRequest, signal: AbortSignal): Promise<CallNews> {
    let startedAt = performance.now();
    const end = (more: object): CallNews => {
      return { type: "end", ms: Math.round(performance.now() - startedAt), ...more };
    };
    try {
      await using session = await this.#open(url, {
        signal,
        onMessage: (direction, message) => {
          this.#emit(call, { type: "message", direction, at: new Date().toISOString(), message });
        },
        onQuestion: (asked, details, gone) => this.#ask(call, { method: asked, params: details }, gone),
      });
      startedAt = performance.now();
      return end({ result: await session.call(method, params) });
    } catch (error) {
      return end({ error: describeFailure(call.stop.signal.reason ?? error, signal) });
    }
  }

  async #ask(
    call: Call,
    asked: { method: string; params: unknown },
    gone: AbortSignal,
  ): Promise<Record<string, unknown>> {
    if (call.questions.size >= MAX_QUESTIONS) throw new Error("too many questions wait for an answer");
    const questionId = randomUUID();
    let withdraw = () => undefined;
    try {
      return await new Promise((resolve, reject) => {
        call.questions.set(questionId, { resolve, reject });
        withdraw = () => void reject(new Error("the question was withdrawn"));
        gone.addEventListener("abort", withdraw, { once: true });
        this.#emit(call, { type: "question", question_id: questionId, ...asked });
      });
    } finally {
      gone.removeEventListener("abort", withdraw);
      call.questions.delete(questionId);
    }
  }

  #emit(call: Call, news: CallNews): void {
    call.bytes += JSON.stringify(news).length;
    if (call.bytes > MAX_CALL_BYTES) call.stop.abort(tooLarge());
    else call.waiting.push(news);
    call.wake();
  }
}

function tooLarge(): ThvError {
  return new ThvError("SERVER_NOT_READY", `The server sent more than ${MAX_CALL_BYTES / 1024 / 1024} MiB.`, {
    hint: "Ask it for less, for example for one page or one file.",
  });
}

function describeFailure(error: unknown, signal: AbortSignal) {
  if (error instanceof RpcFailure) {
    return { message: error.message, rpc_code: error.rpcCode, ...(error.data !== undefined && { data: error.data }) };
  }
  if (error instanceof ThvError) {
    return { message: error.message, code: error.code, ...(error.hint !== undefined && { hint: error.hint }) };
  }
  const isLate = signal.aborted && signal.reason instanceof DOMException && signal.reason.name === "TimeoutError";
  return { message: isLate ? `The server did not answer within ${CALL_MINUTES} minutes.` : describeError(error) };
}
