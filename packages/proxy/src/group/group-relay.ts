/**
 * Many client sessions over many servers. The relay answers lists from its catalog; everything else goes to the one server that
 * it names, in a session that only this client uses. So every message and every request of a server in that session belongs to
 * one client.
 *
 * Clients without sessions (revision 2026-07-28, and requests without `initialize`) share one session at each server that is
 * reached over HTTP; there, only messages on the stream of a request are passed on, and only to that request.
 */
import type { GroupNaming, GroupToolNames, GroupToolState, GroupTools, ImitatedName, Logger } from "@toolhive/core";
import type { LiveRules } from "../authz/live-rules.ts";
import { replaceCalledName } from "../authz/tool-choice.ts";
import { markOwnTool } from "../find/find-calls.ts";
import { BodyBudget } from "../http/body-budget.ts";
import type { Caller } from "../messages/caller.ts";
import type { ClientMessage } from "../messages/client-message.ts";
import { copySpan, createErrorReply, createNotification, createResultReply, RPC_ERRORS } from "../messages/json-rpc.ts";
import { CANCELLED, PING, PROGRESS, SUBSCRIBE, UNSUBSCRIBE } from "../messages/methods.ts";
import { isSessionRevision, LATEST_SESSION_REVISION } from "../messages/protocol-revisions.ts";
import type { Observer } from "../observe/observer.ts";
import type { GroupLimits } from "../options/group-limits.ts";
import { Admission } from "../relay/admission.ts";
import type { Relay } from "../relay/relay.ts";
import type { Reply } from "../sessions/reply.ts";
import type { Session } from "../sessions/session.ts";
import { SessionStore } from "../sessions/session-store.ts";
import { type Catalog, type CatalogTarget, listChanges } from "./catalog/catalog.ts";
import { LIST_NAMES, LISTS, type ListName } from "./catalog/definitions.ts";
import { assertNamedOnce } from "./catalog/named-once.ts";
import { routeMessage } from "./catalog/route-message.ts";
import { ChangeAnnouncer } from "./change-announcer.ts";
import { GroupCalls, type GroupCallsOptions } from "./group-calls.ts";
import { GroupChoice } from "./group-choice.ts";
import { formatInitializeResult, formatListMeta } from "./group-description.ts";
import type { Backend } from "./members/backend.ts";
import { CHANGE_NOTIFICATIONS, SessionOffers } from "./session-offers.ts";
import { SpacedWork } from "./spaced-work.ts";

export interface GroupRelayOptions extends Pick<GroupCallsOptions, "onAnswered"> {
  /** Of the group. */
  readonly name: string;
  /** The first rule. */
  readonly naming: GroupNaming;
  readonly limits: GroupLimits;
  readonly log: Logger;
  /** Milliseconds, monotonic. */
  readonly now: () => number;
  readonly rules: LiveRules;
  /** Of tools. */
  readonly choice: GroupTools;
  readonly observer?: Observer | undefined;
  readonly callersAreApart: boolean;
  readonly firstRequestId: number;
}

const LIST_BY_METHOD: ReadonlyMap<string, ListName> = new Map(LIST_NAMES.map((list) => [LISTS[list].method, list]));
const ROOTS_CHANGED = "notifications/roots/list_changed";
const SET_LEVEL = "logging/setLevel";
/** While a large group starts, servers become ready one after the other: each would bring about the catalog of all. */
const CATALOG_SPACE_MS = 50;

export class GroupRelay implements Relay {
  readonly sessions: SessionStore;
  readonly bodyBudget: BodyBudget;
  readonly admission: Admission;
  /** Servers are initialized for each client, when it first needs them. */
  readonly isInitialized = true;
  readonly isServerSessionless = false;
  readonly #options: GroupRelayOptions;
  readonly #calls: GroupCalls;
  readonly #backends = new Map<string, Backend>();
  readonly #announcer = new ChangeAnnouncer((messages) => {
    for (const session of this.sessions) for (const message of messages) session.standalone.push(message);
  });
  readonly #offers: SessionOffers;
  readonly #choice: GroupChoice;
  readonly #catalogWork: SpacedWork;

  constructor(options: GroupRelayOptions) {
    const { limits, now, log, rules, observer, callersAreApart } = options;
    this.#options = options;
    this.#choice = new GroupChoice(options.choice);
    this.#catalogWork = new SpacedWork(() => this.#rebuildCatalog(), CATALOG_SPACE_MS, now);
    this.#offers = new SessionOffers(options);
    this.sessions = new SessionStore({
      limits,
      now,
      callersAreApart,
      onEnd: (session, reason) => this.abandon(session, reason),
    });
    this.bodyBudget = new BodyBudget({ maxBytes: limits.maxBodyBudgetBytes, backlogBytes: () => 0 });
    this.#calls = new GroupCalls({
      ...options,
      offers: this.#offers,
      findResource: (uri) => this.#findResource(uri),
    });
    this.admission = new Admission({
      limits,
      log,
      rules,
      observer,
      subscriptions: { applyRequest: (session, method, uri) => this.#applySubscription(session, method, uri) },
      pendingCount: () => this.pendingCount,
    });
    this.#applyChoice();
  }

  get pendingCount(): number {
    return this.#calls.size;
  }

  get toolNames(): GroupToolNames {
    return {
      find: (name) => {
        const target = this.#catalog.find("tools", this.#catalog.findShown("tools", name));
        return target && { server: target.server, name: target.own };
      },
      findShown: (server, name) => this.#catalog.findShownTool(server, name),
    };
  }

  /** Of the servers that clients see. */
  listTools(): GroupToolState[] {
    return this.#catalog.listTools().map(({ shown, ...tool }) => ({
      ...tool,
      shown: this.#choice.rename(shown),
      isOffered: this.#choice.offers(shown),
    }));
  }

  get imitated(): readonly ImitatedName[] {
    return this.#catalog.imitated;
  }

  /** Tools of each server that clients see, and that were not chosen. */
  countTools(): ReadonlyMap<string, { readonly offered: number; readonly hidden: number }> {
    return this.#catalog.countTools((shown) => this.#choice.offers(shown));
  }

  /** From now on these tools are offered, and no others; sessions stay. */
  chooseTools(choice: GroupTools): void {
    this.#choice.replace(choice);
    if (this.#applyChoice()) this.#announcer.add([CHANGE_NOTIFICATIONS.tools]);
  }

  /** From now on names follow this rule; sessions stay. */
  chooseNaming(naming: GroupNaming): void {
    this.#offers.replaceNaming(naming);
    this.refreshCatalog();
  }

  get initializeResult(): Buffer {
    return Buffer.from(this.#formatInitializeResult(LATEST_SESSION_REVISION));
  }

  /** Replaces the servers. @param gone Those that are already closed. */
  setBackends(backends: readonly Backend[], gone: readonly Backend[]): void {
    this.#backends.clear();
    for (const backend of backends) this.#backends.set(backend.name, backend);
    for (const backend of gone) this.#calls.endBackend(backend, "it no longer belongs to the group");
    this.refreshCatalog();
  }

  /** A server answers again. */
  restoreSubscriptions(backend: Backend): void {
    this.#calls.restoreSubscriptions(backend, this.sessions);
  }

  /** Its endpoint is somewhere else. */
  endSessionsAt(backend: Backend): void {
    this.#calls.endBackend(backend, "it has moved");
  }

  /** Servers offer something else than before: notifies clients once, however many lists have changed at the same time. */
  refreshCatalog(): void {
    this.#catalogWork.request();
  }

  #rebuildCatalog(): void {
    const before = this.#offers.shared;
    const servers = [...this.#backends.values()].map(({ name, definitions, isRunning }) => ({
      name,
      definitions,
      isShown: isRunning,
    }));
    this.#offers.setServers(servers);
    this.#applyChoice();
    this.#announcer.add(listChanges(before, this.#offers.shared).map((list) => CHANGE_NOTIFICATIONS[list]));
  }

  initialize(message: ClientMessage, given: Reply, caller?: Caller): void {
    const reply = this.admission.admitInitialize(message, given, caller);
    const { envelope, params } = message;
    if (reply === undefined || envelope.id === undefined) return;
    const { protocolVersion: wanted } = params;
    const revision = typeof wanted === "string" && isSessionRevision(wanted) ? wanted : LATEST_SESSION_REVISION;
    reply.respond(createResultReply(copySpan(envelope.text, envelope.id), this.#formatInitializeResult(revision)));
  }

  completeInitialization(): void {
    // Each server has received this notification through its own session.
  }

  dispatch(session: Session, message: ClientMessage, reply: Reply | undefined): void {
    if (message.envelope.kind === "notification") this.#notify(session, message);
    else if (message.envelope.kind === "response") this.respond(session, message);
    else if (reply !== undefined) this.request(session, message, reply);
  }

  request(session: Session, given: ClientMessage, givenReply: Reply): void {
    session.touch();
    this.#catalogWork.settle();
    const message = this.#spellName(session, given);
    const reply = this.admission.admitRequest(session, message, givenReply);
    if (reply === undefined) return;
    const { envelope } = message;
    const list = LIST_BY_METHOD.get(envelope.method);
    if (list !== undefined) void this.#answerList(list, session, message, reply);
    else if (envelope.method === PING) answer(message, reply, "{}");
    else if (envelope.method === SET_LEVEL) this.#setLevel(session, message, reply);
    else this.#forward(session, message, reply);
  }

  respond(session: Session, { envelope }: ClientMessage): void {
    session.touch();
    this.#calls.answerQuestion(session, envelope);
  }

  receiveProgress(...given: Parameters<GroupCalls["receiveProgress"]>): void {
    this.#calls.receiveProgress(...given);
  }

  subscribe(session: Session, uris: readonly string[]): void {
    for (const uri of uris) {
      if (session.subscriptions.size >= this.#options.limits.maxSessionSubscriptions) return;
      session.subscriptions.add(uri);
      const target = this.#findResource(uri);
      const backend = target && this.#backends.get(target.server);
      if (target && backend) this.#calls.sendOwn(session, backend, SUBSCRIBE, { uri: target.own });
    }
  }

  abandon(session: Session, reason: string): void {
    this.#calls.endSession(session, reason);
    this.#offers.endSession(session);
  }

  /** Applies every deadline. */
  sweep(): void {
    const now = this.#options.now();
    this.#calls.sweep(now);
    this.sessions.sweep(now);
  }

  close(): void {
    this.#catalogWork.cancel();
    this.sessions.endAll("the endpoint is closing");
    for (const backend of this.#backends.values()) this.#calls.endBackend(backend, "the endpoint is closing");
  }

  /** What every client sees that is offered nothing of its own. */
  get #catalog(): Catalog {
    this.#catalogWork.settle();
    return this.#offers.shared;
  }

  /** @returns `undefined` when no server has it, or several could mean it. */
  #findResource(uri: string): CatalogTarget | undefined {
    const target = this.#catalog.findResource(uri);
    return target === undefined || "addresses" in target ? undefined : target;
  }

  /** A name may be spelled with its server's; rules and servers know one spelling. */
  #spellName(session: Session, message: ClientMessage): ClientMessage {
    const { name } = message.params;
    const isTool = message.envelope.method === "tools/call";
    if (typeof name !== "string" || (!isTool && message.envelope.method !== "prompts/get")) return message;
    if (isTool && this.#choice.isGiven(name)) return message;
    const shown = this.#offers.findCatalog(session).findShown(isTool ? "tools" : "prompts", name);
    if (shown === name) return message;
    assertNamedOnce(message, ["name"]);
    return replaceCalledName(message, shown);
  }

  async #answerList(list: ListName, session: Session, message: ClientMessage, reply: Reply): Promise<void> {
    await Promise.all([...this.#backends.values()].map((backend) => backend.untilFirstRead()));
    this.#catalogWork.settle();
    const { id, text } = message.envelope;
    if (id === undefined) return;
    if (message.params.cursor !== undefined) {
      const reason = "There is one page: ask without a cursor.";
      reply.respond(createErrorReply(copySpan(text, id), RPC_ERRORS.INVALID_PARAMS, reason));
      return;
    }
    const entries = this.#offers.findCatalog(session).texts[list];
    const meta = formatListMeta(
      this.#backends.values(),
      this.#catalog.hidden.filter((offer) => this.#choice.mayName(offer)),
    );
    const listed = createResultReply(copySpan(text, id), `{"${LISTS[list].member}":[${entries}]${meta}}`);
    // What is chosen may have changed while servers were waited for.
    reply.respond(this.#options.rules.current?.filter(session.caller, listed) ?? listed);
  }

  #setLevel(session: Session, message: ClientMessage, reply: Reply): void {
    const { level } = message.params;
    if (typeof level === "string") this.#calls.setLevel(session, level);
    answer(message, reply, "{}");
  }

  #forward(session: Session, message: ClientMessage, reply: Reply): void {
    const known = this.#options.rules.current?.rewrite?.(message) ?? message;
    const routed = routeMessage(known, this.#offers.findCatalog(session));
    const { id, text } = message.envelope;
    if (id === undefined) return;
    if (routed.kind === "refuse") {
      reply.respond(createErrorReply(copySpan(text, id), routed.code, routed.reason));
      return;
    }
    const backend = this.#backends.get(routed.server);
    if (backend === undefined) {
      const reason = `The server "${routed.server}" does not belong to this group.`;
      reply.respond(createErrorReply(copySpan(text, id), RPC_ERRORS.INVALID_PARAMS, reason));
      return;
    }
    this.#calls.send(session, backend, { message: markOwnTool(routed.message), reply, uri: routed.uri });
  }

  #notify(session: Session, message: ClientMessage): void {
    const { envelope } = message;
    session.touch();
    if (!this.admission.admitNotification(session, message)) return;
    switch (envelope.method) {
      case CANCELLED:
        this.#calls.cancelByClient(session, envelope);
        return;
      case PROGRESS:
        this.#calls.forwardProgress(session, envelope);
        return;
      case ROOTS_CHANGED:
        this.#calls.notifyServers(session, createNotification(ROOTS_CHANGED));
    }
  }

  #applySubscription(session: Session, method: string, uri: string): "forward" | "refuse" {
    if (method === UNSUBSCRIBE) session.subscriptions.delete(uri);
    if (method !== SUBSCRIBE) return "forward";
    if (session.subscriptions.size >= this.#options.limits.maxSessionSubscriptions) return "refuse";
    session.subscriptions.add(uri);
    return "forward";
  }

  /** @returns Whether clients see other tools of the same catalog. */
  #applyChoice(): boolean {
    const { selection, isOther } = this.#choice.apply(this.toolNames);
    this.#options.rules.choose(selection);
    return isOther;
  }

  #formatInitializeResult(protocolVersion: string): string {
    const { name: group, limits } = this.#options;
    const { maxInstructions } = limits;
    return formatInitializeResult({ group, protocolVersion, backends: this.#backends.values(), maxInstructions });
  }
}

function answer({ envelope }: ClientMessage, reply: Reply, result: string): void {
  if (envelope.id !== undefined) reply.respond(createResultReply(copySpan(envelope.text, envelope.id), result));
}
