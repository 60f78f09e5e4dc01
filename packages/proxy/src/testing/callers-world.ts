/**
 * Several callers on one stdio server: does what a script says, marks everything with the caller that it is about, and
 * finds what went astray.
 */

import type { TestIssuer } from "@toolhive/core/testing";
import { isRecord } from "@toolhive/http/values";
import { waitFor } from "@toolhive/testing/wait-for";
import type { Limits } from "../options/limits.ts";
import { CallerClient } from "./caller-clients.ts";
import { CALLER_NAMES, type Form, formatMeta, type Step } from "./caller-steps.ts";
import { type Apart, openApart } from "./open-apart.ts";

const PING = '{"jsonrpc":"2.0","id":99,"method":"ping"}';
/** The endpoint numbers its questions from 1. */
const GUESSED_IDS = 12;

interface Call {
  readonly client: CallerClient;
  readonly id: number;
  readonly mark: string;
  /** Raw JSON, as a server in Go reads them. */
  readonly serverId: string;
  readonly token: string | undefined;
  isAnswered: boolean;
  /** Whether its client can receive the answer where the test expects it. */
  isAwaited: boolean;
}

interface Question {
  readonly id: string;
  readonly caller: string;
  readonly progressToken: string;
}

export class CallersWorld implements AsyncDisposable {
  readonly #apart: Apart;
  readonly #clients: CallerClient[] = [];
  readonly #calls: Call[] = [];
  readonly #questions: Question[] = [];
  #lastNumber = 0;

  private constructor(apart: Apart) {
    this.#apart = apart;
  }

  static async open(issuer: TestIssuer, limits: Partial<Limits> = {}): Promise<CallersWorld> {
    const server = {
      onRequest: ({ method }: { method: string | undefined }) => (method === "tools/call" ? undefined : "{}"),
    };
    return new CallersWorld(await openApart({ issuer, limits, server }));
  }

  /** What reached the wrong caller, or came from one. */
  get strayed(): string[] {
    const strayed: string[] = [];
    for (const { caller, kind, text } of this.#clients) {
      for (const [mark, of] of text.matchAll(/mark:(\w+):\d+/g))
        if (of !== caller) strayed.push(`${mark} at ${caller} (${kind})`);
    }
    for (const { id, method, result, params } of this.#apart.server.seen) {
      const byId = method === undefined ? this.#questions.find((question) => question.id === id) : undefined;
      const by = isRecord(result) ? result.by : params.message;
      const byToken =
        method === "notifications/progress"
          ? this.#questions.find(({ progressToken }) => progressToken === params.progressToken)
          : undefined;
      const question = byId ?? byToken;
      if (question === undefined || typeof by !== "string") continue;
      if (by !== question.caller) strayed.push(`${by} spoke for ${question.caller}`);
    }
    return strayed;
  }

  /** Marks of calls that were answered and whose clients have not got it. */
  get lost(): string[] {
    return this.#calls
      .filter(({ isAnswered, isAwaited, client, mark }) => isAnswered && isAwaited && !client.text.includes(mark))
      .map(({ mark, client }) => `${mark} not at ${client.kind}`);
  }

  /** How many marks came where they belong. */
  get arrived(): number {
    return this.#calls.filter(({ client, mark }) => client.text.includes(mark)).length;
  }

  async perform(step: Step): Promise<void> {
    switch (step.act) {
      case "open":
        await this.#open(step.caller, step.kind);
        return;
      case "call": {
        const client = pick(this.#clients, step.client);
        if (client !== undefined) await this.#call(client, step.form, pick(this.#calls, step.other));
        return;
      }
      case "steal":
        await this.#steal(pick(this.#clients, step.client), pick(this.#clients, step.other));
        return;
      case "answer":
      case "cancel":
      case "progress":
      case "ask":
      case "notify": {
        const call = pick(this.#calls, step.call);
        if (call !== undefined) await this.#about(call, step);
        return;
      }
      default: {
        const client = pick(this.#clients, step.client);
        if (client !== undefined) await this.#doAs(client, step.act);
      }
    }
  }

  /** Answers what is open, lets every caller receive what waits for it, and ends the endpoint. */
  async finish(): Promise<void> {
    for (const call of this.#calls) if (!call.isAnswered) this.#answer(call);
    await settle();
    for (const client of this.#clients) await client.listen();
    await this.#apart.endpoint.close();
    for (const client of this.#clients) await client.finish();
  }

  /** @returns For each caller, how many of its newest sessions still answer. @param most Sessions to try. */
  async countLatestAlive(most: number): Promise<number[]> {
    const counts: number[] = [];
    for (const caller of CALLER_NAMES) {
      const newest = this.#clients.filter((client) => client.caller === caller).slice(-most);
      const statuses = await Promise.all(newest.map((client) => client.send(PING)));
      counts.push(statuses.filter((status) => status === 200).length);
    }
    return counts;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#apart[Symbol.asyncDispose]();
  }

  #nextMark(caller: string): string {
    this.#lastNumber += 1;
    return `mark:${caller}:${this.#lastNumber}`;
  }

  async #open(index: number, kind: CallerClient["kind"]): Promise<void> {
    const caller = CALLER_NAMES[index % CALLER_NAMES.length] ?? "alice";
    const { endpoint } = this.#apart;
    this.#clients.push(await CallerClient.open(endpoint, caller, kind, await this.#apart.as(caller)));
  }

  async #call(client: CallerClient, form: Form, other: Call | undefined): Promise<void> {
    const mark = this.#nextMark(client.caller);
    const id = this.#lastNumber;
    const number = other?.serverId ?? "1";
    const params = `"name":"x","arguments":{"mark":"${mark};"}`;
    const text = (ids: string): string => `{"jsonrpc":"2.0",${ids},"method":"tools/call","params":{${params}}}`;
    const status =
      form === "two ids"
        ? client.send(text(`"id":${id},"id":${number}`))
        : form === "id in another case"
          ? client.send(text(`"id":${id},"ID":${number}`))
          : client.request(id, "tools/call", `${params}${formatMeta(form, mark, number)}`);
    let isRefused = false;
    // Without a refusal the answer comes later, or never.
    void status.then((code) => {
      isRefused = code >= 400;
    });
    const { server } = this.#apart;
    const find = () => server.seen.find((seen) => seen.method === "tools/call" && seen.raw.includes(`${mark};`));
    await waitFor(() => isRefused || find() !== undefined, { what: mark, intervalMs: 1 });
    const seen = find();
    if (seen === undefined) return;
    const view = asInGo(JSON.parse(seen.raw));
    const meta = isRecord(view.params) && isRecord(view.params._meta) ? view.params._meta : {};
    const token = meta.progresstoken === undefined ? undefined : JSON.stringify(meta.progresstoken);
    this.#calls.push({
      client,
      id,
      mark,
      serverId: JSON.stringify(view.id),
      token,
      isAnswered: false,
      isAwaited: true,
    });
  }

  async #about(call: Call, step: Extract<Step, { readonly call: number }>): Promise<void> {
    const { server } = this.#apart;
    switch (step.act) {
      case "answer":
        if (!call.isAnswered) this.#answer(call);
        break;
      case "cancel":
        if (call.client.kind === "modern" || call.client.kind === "none") return;
        call.isAwaited = false;
        await call.client.send(
          `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":${call.id}}}`,
        );
        break;
      case "progress":
        if (call.token === undefined || call.isAnswered) return;
        server.write(
          `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":${call.token},"progress":1,"message":"${call.mark}"}}`,
        );
        break;
      case "ask": {
        // A decent server asks while it works on the call.
        if (call.isAnswered) return;
        // Nothing in the question says which call of the caller it is about: any modern one can be answered with it.
        for (const open of this.#calls) {
          const isPossible = open.client.caller === call.client.caller && open.client.kind === "modern";
          if (open === call || (isPossible && !open.isAnswered)) open.isAwaited = false;
        }
        const id = `q${this.#questions.length}`;
        const progressToken = `token of ${id}`;
        this.#questions.push({ id, caller: call.client.caller, progressToken });
        server.request(id, step.method, { message: call.mark, _meta: { progressToken } });
        break;
      }
      case "notify":
        server.notify(step.method, { uri: "file:///shared", data: call.mark, _meta: { about: call.mark } });
    }
    await settle();
  }

  #answer(call: Call): void {
    call.isAnswered = true;
    this.#apart.server.write(`{"jsonrpc":"2.0","id":${call.serverId},"result":{"mark":"${call.mark}"}}`);
  }

  async #doAs(client: CallerClient, act: "respond" | "report" | "listen" | "end" | "subscribe"): Promise<void> {
    switch (act) {
      case "respond":
        await this.#respond(client);
        return;
      case "report":
        for (const { progressToken } of this.#questions) {
          const params = JSON.stringify({ progressToken, progress: 1, message: client.caller });
          await client.send(`{"jsonrpc":"2.0","method":"notifications/progress","params":${params}}`);
        }
        return;
      case "listen":
        await client.listen();
        return;
      case "end":
        for (const call of this.#calls) if (call.client === client) call.isAwaited = false;
        await client.end();
        return;
      case "subscribe":
        if (client.kind === "modern" || client.kind === "none") return;
        await client.request(1_000_000, "resources/subscribe", '"uri":"file:///shared"');
    }
  }

  /** Answers everything that may have been asked of anybody. */
  async #respond(client: CallerClient): Promise<void> {
    const result = JSON.stringify({ by: client.caller });
    if (client.kind !== "modern") {
      for (let id = 1; id <= GUESSED_IDS; id++) await client.send(`{"jsonrpc":"2.0","id":${id},"result":${result}}`);
      return;
    }
    const states = this.#clients.flatMap(({ text }) =>
      [...text.matchAll(/"requestState":"([^"]+)"/g)].map(([, state]) => state),
    );
    const inputs = this.#questions.map(({ id }) => `${JSON.stringify(`request-${JSON.stringify(id)}`)}:${result}`);
    for (const state of states) {
      const more = `"name":"x","requestState":"${state}","inputResponses":{${inputs.join(",")}}`;
      this.#lastNumber += 1;
      // It is answered when the call is.
      void client.request(this.#lastNumber, "tools/call", more).catch(() => undefined);
    }
    await settle();
  }

  async #steal(client: CallerClient | undefined, other: CallerClient | undefined): Promise<void> {
    if (client === undefined || other?.sessionId === undefined || client.caller === other.caller) return;
    await client.send(PING, { "mcp-session-id": other.sessionId });
    await client.listen(other.sessionId);
    await client.end(other.sessionId);
  }
}

/** Names without their case, the last one of the same wins. */
function asInGo(value: unknown): Record<string, unknown> {
  if (!isRecord(value)) return {};
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [key.toLowerCase(), isRecord(inner) ? asInGo(inner) : inner]),
  );
}

function pick<T>(items: readonly T[], index: number): T | undefined {
  return items[index % Math.max(1, items.length)];
}

/** Lets the endpoint read what the server wrote: both are in this process, without a network between them. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 3; turn++) await new Promise(setImmediate);
}
