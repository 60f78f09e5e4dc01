/**
 * What a server of revision 2026-07-28 asks before it answers a request: its answer names questions, which become requests to the
 * client, and the request is sent once more with what the client has answered.
 */
import { isRecord, parseJson } from "@toolhive/http/values";
import { copySpan, type Envelope, readAnswerId, readString } from "../../messages/json-rpc.ts";
import { findMembers } from "../../messages/json-scanner.ts";

/** Rounds of one request: a server that asks on and on does not answer. */
const MAX_ROUNDS = 100;

/** Questions of one answer. */
export interface Round {
  /** Id of the client's request. */
  readonly call: number;
  readonly state: string | undefined;
  /** Raw JSON by the server's own name; `undefined` while the client has not answered. */
  readonly answers: Map<string, string | undefined>;
}

export class InputQuestions {
  readonly #open = new Map<number, { readonly round: Round; readonly key: string }>();
  /** By the id of the client's request. */
  readonly #rounds = new Map<number, number>();
  #nextId = 1;

  /**
   * Reads the questions of an answer.
   *
   * @returns `undefined` when it is an ordinary one. The requests to the client, and the members of the retry where there is none.
   * @throws When the server asks too often.
   */
  ask(
    call: number,
    { text, result }: Envelope,
  ): { readonly requests: readonly Buffer[]; readonly round: Round } | undefined {
    if (result === undefined) return undefined;
    const type = readString(text, findMembers(text, result.start, ["resultType"])?.spans[0]);
    if (type !== "input_required") return undefined;
    const rounds = (this.#rounds.get(call) ?? 0) + 1;
    this.#rounds.set(call, rounds);
    if (rounds > MAX_ROUNDS) throw new Error(`it has asked ${MAX_ROUNDS} times without an answer`);
    const value = parseJson(text.toString("utf8", result.start, result.end));
    const { inputRequests, requestState } = isRecord(value) ? value : {};
    const round: Round = {
      call,
      state: typeof requestState === "string" ? requestState : undefined,
      answers: new Map(),
    };
    const requests = Object.entries(isRecord(inputRequests) ? inputRequests : {}).flatMap(([key, question]) => {
      if (!isRecord(question) || typeof question.method !== "string") return [];
      const id = this.#nextId++;
      this.#open.set(id, { round, key });
      round.answers.set(key, undefined);
      const { method, params } = question;
      return [Buffer.from(JSON.stringify({ jsonrpc: "2.0", id, method, ...(params !== undefined && { params }) }))];
    });
    return { requests, round };
  }

  /**
   * A client has answered a question.
   *
   * @returns The round when it is complete, and the error in place of an answer; `undefined` while something is missing.
   */
  receive({ text, id, result }: Envelope): { readonly round: Round; readonly isRefused: boolean } | undefined {
    const own = readAnswerId(text, id);
    const question = own === undefined ? undefined : this.#open.get(own);
    if (own === undefined || question === undefined) return undefined;
    this.#open.delete(own);
    const { round, key } = question;
    if (result === undefined) return { round, isRefused: true };
    round.answers.set(key, copySpan(text, result).toString("utf8"));
    return [...round.answers.values()].includes(undefined) ? undefined : { round, isRefused: false };
  }

  /** The request is over. */
  forget(call: number): void {
    this.#rounds.delete(call);
    for (const [id, { round }] of this.#open) if (round.call === call) this.#open.delete(id);
  }
}

/** @returns Raw JSON of the members that a request gets when it is sent once more. */
export function formatRetry({ answers, state }: Round): string[] {
  const given = [...answers].map(([key, answer]) => `${JSON.stringify(key)}:${answer}`);
  return [
    ...(given.length > 0 ? [`"inputResponses":{${given.join(",")}}`] : []),
    ...(state === undefined ? [] : [`"requestState":${JSON.stringify(state)}`]),
  ];
}
