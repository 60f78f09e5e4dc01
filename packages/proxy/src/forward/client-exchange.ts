/** One request of a client to a server that speaks HTTP itself, from its admission to the end of its answer. */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { HttpConnection } from "@toolhive/core";
import type { Dispatcher } from "undici";
import type { LiveRules } from "../authz/live-rules.ts";
import type { Access } from "../http/access.ts";
import type { BodyBudget } from "../http/body-budget.ts";
import type { EventFilter } from "../http/event-filter.ts";
import { HttpRefusal } from "../http/http-exchange.ts";
import type { OpenAnswers } from "../http/open-answers.ts";
import type { Caller } from "../messages/caller.ts";
import type { ClientMessage } from "../messages/client-message.ts";
import { RPC_ERRORS } from "../messages/json-rpc.ts";
import type { Limits } from "../options/limits.ts";
import type { AnswerHead } from "./answer/server-answer.ts";
import type { ConnectedServer } from "./connected-server.ts";
import {
  type ForwardedExchange,
  type ForwardSettings,
  forward,
  type ReadAlong,
  type Route,
} from "./exchange/forward.ts";
import type { FindingExchange, HttpFinding } from "./http-finding.ts";
import { type AdmittedBody, admitMessages, isInitialize, isJson, readRequestId } from "./http-messages.ts";
import type { HttpObservations, ObservedExchange } from "./http-observations.ts";
import { findTransport, type HttpSessions, type HttpTransport } from "./http-sessions.ts";
import type { UnreadMessages } from "./http-unread.ts";
import { openRemoteExchange, type RemoteExchange } from "./remote/exchange.ts";
import type { Replicas } from "./replicas.ts";

/** The parts of an endpoint that its exchanges share. */
export interface EndpointParts {
  readonly transport: HttpTransport;
  readonly isRemote: boolean;
  readonly limits: Limits;
  readonly access: Access | undefined;
  readonly rules: LiveRules;
  readonly answers: OpenAnswers;
  readonly bodyBudget: BodyBudget;
  readonly observations: HttpObservations | undefined;
  readonly unread: UnreadMessages;
  readonly finding: HttpFinding;
  readonly sessions: HttpSessions;
  readonly replicas: Replicas | undefined;
  readonly server: ConnectedServer;
  readonly settings: ForwardSettings;
}

export interface ClientRequest {
  readonly incoming: IncomingMessage;
  readonly response: ServerResponse;
  /** Without the query. */
  readonly path: string;
  readonly caller: Caller;
}

export class ClientExchange implements ForwardedExchange {
  readonly incoming: IncomingMessage;
  readonly response: ServerResponse;
  readonly settings: ForwardSettings;
  readonly #parts: EndpointParts;
  readonly #path: string;
  readonly #caller: Caller;
  readonly #observed: ObservedExchange | undefined;
  #finding: FindingExchange | undefined;
  #admitted: AdmittedBody | undefined;
  #target: HttpConnection | undefined;
  #route: Route | undefined;
  #remote: RemoteExchange | undefined;
  #along: ReadAlong | undefined;
  #forgetAddress: (() => void) | undefined;

  constructor(parts: EndpointParts, { incoming, response, path, caller }: ClientRequest) {
    this.incoming = incoming;
    this.response = response;
    this.settings = parts.settings;
    this.#parts = parts;
    this.#path = path;
    this.#caller = caller;
    this.#observed = parts.observations?.begin(incoming, caller);
    if (this.#observed !== undefined) this.#along = parts.unread.follow(this.#observed);
    response.once("close", () => this.#close());
  }

  /** @throws {HttpRefusal} */
  async answer(): Promise<void> {
    const { isRemote, rules } = this.#parts;
    const isRead = isRemote || this.#judgesAll || (rules.mayRefuse && isJson(this.incoming));
    if (isRead && this.incoming.method === "POST") {
      this.#admitted = await this.#admit();
      if (this.#admitted === undefined) return;
    }
    await this.#forward();
  }

  get target(): HttpConnection {
    if (this.#target === undefined) throw new HttpRefusal(502, RPC_ERRORS.SERVER_UNAVAILABLE, NO_SERVER);
    return this.#target;
  }

  get client(): Dispatcher {
    const { client } = this.#parts.server;
    if (client === undefined) throw new HttpRefusal(502, RPC_ERRORS.SERVER_UNAVAILABLE, NO_SERVER);
    return client;
  }

  get body(): Buffer | undefined {
    return this.#admitted?.bytes;
  }

  get called(): string | undefined {
    return this.#admitted?.called;
  }

  get isRead(): boolean {
    return this.#parts.rules.current !== undefined || this.#judgesAll;
  }

  get passesUnread(): boolean {
    return !this.#judgesAll;
  }

  get hasEndpointEvent(): boolean {
    const { transport } = this.#parts;
    return transport === "sse" || (transport === "any" && this.incoming.method === "GET" && this.#path !== "/mcp");
  }

  get along(): ReadAlong | undefined {
    return this.#along;
  }

  get remote(): RemoteExchange | undefined {
    return this.#remote;
  }

  get route(): Route | undefined {
    return this.#route;
  }

  get sealId(): ForwardedExchange["sealId"] {
    const { replicas } = this.#parts;
    const route = this.#route;
    return replicas && route && ((id) => replicas.sealId(id, route.address, this.#owner));
  }

  get sealPostAddress(): ForwardedExchange["sealPostAddress"] {
    const { replicas } = this.#parts;
    const route = this.#route;
    return replicas && route && ((address) => replicas.sealPostAddress(address, route.address, this.#owner));
  }

  change(message: Buffer): Buffer | undefined {
    const { rules, finding } = this.#parts;
    const shown = rules.current?.filter(this.#caller, message) ?? message;
    this.#observed?.recordAnswer(shown);
    return this.#finding === undefined && !finding.isWaiting ? shown : this.#find().change(shown);
  }

  /** The answer to a call may be a stream, too: it is pending until it ends. */
  recordStream(filter: EventFilter | undefined): void {
    this.#find().recordStream(filter);
    if (this.incoming.method === "GET") this.#parts.answers.addStream(this.incoming, this.response, filter);
  }

  /** Also while no path is checked: tools may be chosen later, and the sessions stay. */
  recordSession(answer: AnswerHead): void {
    const { replicas, sessions } = this.#parts;
    if (replicas === undefined) sessions.recordSession(this.incoming, answer, this.#caller);
  }

  recordPostAddress(address: string): void {
    const { replicas, sessions } = this.#parts;
    this.#observed?.recordPostAddress(address);
    this.#find().recordPostAddress(address);
    if (replicas === undefined) this.#forgetAddress ??= sessions.recordPostAddress(address, this.#caller);
  }

  #close(): void {
    this.#parts.answers.delete(this.response);
    this.#observed?.close();
    this.#forgetAddress?.();
  }

  #find(): FindingExchange {
    const { incoming: request, response } = this;
    const isSse = this.#transport === "sse";
    this.#finding ??= this.#parts.finding.begin({ request, response, caller: this.#caller, isSse });
    return this.#finding;
  }

  get #transport(): "sse" | "streamable-http" {
    return findTransport(this.#parts.transport, this.#path);
  }

  get #owner(): string {
    const { access, rules } = this.#parts;
    return access?.isRestricted === true || rules.areStrict ? this.#caller.id : "";
  }

  /** Whether nothing passes that cannot be read. Pins of known tools read what clients take for messages, and nothing else. */
  get #judgesAll(): boolean {
    const { access, rules } = this.#parts;
    return access?.observer !== undefined || rules.areStrict || rules.isFinding;
  }

  async #admit(): Promise<AdmittedBody | undefined> {
    const { rules, bodyBudget, limits, isRemote } = this.#parts;
    const { current } = rules;
    return await admitMessages(this.incoming, this.response, {
      bodyBudget,
      limits,
      hasMirrorHeaders: this.#transport !== "sse",
      intercept: rules.isFinding ? this.#find().intercept : undefined,
      passesUnread: !isRemote && !this.#judgesAll,
      findRefusal: (message: ClientMessage) => {
        const refusal = rules.findRefusal(this.#caller, message);
        if (message.envelope.kind !== "response") this.#observed?.recordMessage(message, refusal !== undefined);
        return refusal;
      },
      rewrite: current?.rewrite && ((message) => current.rewrite?.(message) ?? message),
    });
  }

  async #forward(): Promise<void> {
    const { server, limits, replicas } = this.#parts;
    const target = server.target.value ?? (await server.target.wait(this.response, limits.queueWaitMs));
    // The time is over, the client has left, or the endpoint closes.
    if (target === undefined) throw new HttpRefusal(502, RPC_ERRORS.SERVER_UNAVAILABLE, NO_SERVER);
    if (replicas !== undefined) {
      const facts = { transport: this.#transport, port: target.port, caller: this.#owner };
      this.#route = await replicas.route(this.incoming, facts);
    }
    this.#target = this.#route ? { ...target, host: this.#route.address } : target;
    this.#remote = this.#openExchange(target);
    // An exchange may wait long for its answer: only the bytes of the body are needed again.
    if (this.#admitted !== undefined) this.#admitted = { ...this.#admitted, messages: [] };
    await forward(this);
  }

  #openExchange({ remote }: HttpConnection): RemoteExchange | undefined {
    if (!remote) return undefined;
    const { server } = this.#parts;
    const admitted = this.#admitted;
    return openRemoteExchange(this.incoming, this.response, {
      remote,
      server: server.nameServer(remote.url, this.#path),
      path: this.#path,
      isRead: admitted !== undefined,
      id: admitted && readRequestId(admitted),
      givesSession: admitted && isInitialize(admitted) ? server.handshake : undefined,
    });
  }
}

const NO_SERVER = "No server is running behind this endpoint.";
