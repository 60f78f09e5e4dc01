/**
 * Routes notifications of the server to sessions.
 *
 * - `progress`: the request with that token, on its stream.
 * - `cancelled`: the session that was asked.
 * - `list_changed`: every session; it is about the server.
 * - `resources/updated`: the sessions that subscribed to the resource, or to one above it.
 * - what carries the id of a `subscriptions/listen` (2026-07-28): that request, on its stream.
 * - `elicitation/complete`: the session that was asked to open the address.
 * - everything else (logging first of all): while exactly one session has requests in flight, that session alone;
 *   otherwise every session, because stdio does not say whose work caused it. The level that `logging/setLevel` sets is
 *   the server's own; the last session to set it decides for all.
 *
 * Once the process has worked for more than one caller, notifications for every session are reduced to their subject, and all
 * others are dropped: a log message may be about any call, also one that was answered long ago.
 */
import { type AskedAddresses, ELICITATION_COMPLETE } from "../elicitation/asked-addresses.ts";
import { copySpan, createNotification, type Envelope, readNumber, readString } from "../messages/json-rpc.ts";
import { findMembers, findPath, splice } from "../messages/json-scanner.ts";
import { META } from "../messages/meta-keys.ts";
import type { PendingRequests } from "../sessions/pending-requests.ts";
import { deliver, type RequestingServer, type ServerRequests } from "../sessions/server-requests.ts";
import type { Session } from "../sessions/session.ts";
import { Subscriptions } from "../sessions/subscriptions.ts";
import type { ServerUsers } from "./server-users.ts";

export interface ServerNotificationsOptions {
  readonly sessions: Iterable<Session>;
  readonly pending: PendingRequests;
  readonly server: RequestingServer;
  readonly serverRequests: Pick<ServerRequests<RequestingServer>, "cancelByServer">;
  readonly users: ServerUsers;
  readonly addresses: AskedAddresses<Session>;
}

export class ServerNotifications {
  readonly #options: ServerNotificationsOptions;

  constructor(options: ServerNotificationsOptions) {
    this.#options = options;
  }

  route(envelope: Envelope): void {
    if (this.#routeBySubscription(envelope)) return;
    switch (envelope.method) {
      case "notifications/progress":
        this.#routeProgress(envelope);
        return;
      case "notifications/cancelled":
        this.#routeCancelled(envelope);
        return;
      case "notifications/resources/updated":
        this.#routeResourceUpdated(envelope);
        return;
      case "notifications/tools/list_changed":
      case "notifications/prompts/list_changed":
      case "notifications/resources/list_changed":
        this.#broadcast(envelope.text, createNotification(envelope.method));
        return;
      case ELICITATION_COMPLETE: {
        const asked = this.#options.addresses.findAsked(envelope);
        if (asked === undefined) this.#routeByActivity(envelope.text);
        else deliver(asked, Buffer.from(envelope.text));
        return;
      }
      default:
        this.#routeByActivity(envelope.text);
    }
  }

  #routeProgress({ text, params }: Envelope): void {
    const span = params === undefined ? undefined : findMembers(text, params.start, ["progressToken"])?.spans[0];
    const token = readNumber(text, span);
    const target = token === undefined ? undefined : this.#options.pending.findProgressTarget(token);
    // Progress after the response is allowed to be late and has no reader any more.
    if (span === undefined || target?.progressToken === undefined || target.session === undefined) return;
    const message = splice(text, [{ span, bytes: target.progressToken }]);
    if (target.reply?.notify(message) !== true) target.session.standalone.push(message);
  }

  /** @returns False when the notification belongs to no subscription. */
  #routeBySubscription({ text, params }: Envelope): boolean {
    if (params === undefined || !text.includes(META.subscriptionId)) return false;
    const span = findPath(text, params.start, ["_meta", META.subscriptionId]);
    const id = readNumber(text, span);
    const request = id === undefined ? undefined : this.#options.pending.find(id);
    if (span === undefined || request === undefined) return false;
    request.reply.notify(splice(text, [{ span, bytes: request.clientId }]));
    return true;
  }

  #routeCancelled({ text, params }: Envelope): void {
    const found = params === undefined ? undefined : findMembers(text, params.start, ["requestId", "reason"]);
    const [id, reason] = found?.spans ?? [];
    if (id === undefined) return;
    const { server, serverRequests } = this.#options;
    const why = readString(text, reason) ?? "cancelled by the server";
    serverRequests.cancelByServer(server, copySpan(text, id), why);
  }

  #routeResourceUpdated({ text, params }: Envelope): void {
    const span = params === undefined ? undefined : findMembers(text, params.start, ["uri"])?.spans[0];
    const uri = readString(text, span);
    if (uri === undefined) return;
    const { sessions, users } = this.#options;
    const message = Buffer.from(text);
    const bare = createNotification("notifications/resources/updated", { uri });
    for (const session of sessions) {
      if (!Subscriptions.isSubscribed(session, uri)) continue;
      session.standalone.push(users.isSole(session.caller.id) ? message : bare);
    }
  }

  #routeByActivity(text: Buffer): void {
    const { pending, users } = this.#options;
    const { busySessions } = pending;
    const [only] = busySessions;
    if (users.isShared) return;
    if (busySessions.size !== 1 || only === undefined) this.#broadcast(text, undefined);
    else if (users.isSole(only.caller.id)) deliver(only, Buffer.from(text));
  }

  /** @param bare For sessions of callers who may not have all of it; default: nothing. */
  #broadcast(text: Buffer, bare: Buffer | undefined): void {
    const { sessions, users } = this.#options;
    // One copy for all: the line may be a part of a larger chunk that must not stay in memory with it.
    const message = Buffer.from(text);
    for (const session of sessions) {
      const shown = users.isSole(session.caller.id) ? message : bare;
      if (shown !== undefined) session.standalone.push(shown);
    }
  }
}
