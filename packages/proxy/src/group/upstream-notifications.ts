/** Notifications of the servers of a group on their way to the clients that they are for. */
import { copySpan, type Envelope, readNumber, readString } from "../messages/json-rpc.ts";
import { findMembers, splice } from "../messages/json-scanner.ts";
import { CANCELLED, PROGRESS } from "../messages/methods.ts";
import type { GroupLimits } from "../options/group-limits.ts";
import type { PendingRequest } from "../sessions/pending-requests.ts";
import { deliver, type ServerRequests } from "../sessions/server-requests.ts";
import { formatGroupUri } from "./catalog/uris.ts";
import type { Link } from "./links.ts";
import type { Backend } from "./members/backend.ts";

export interface UpstreamNotificationsOptions {
  readonly limits: Pick<GroupLimits, "callMs">;
  readonly now: () => number;
  readonly serverRequests: Pick<ServerRequests<Link>, "cancelByServer">;
  /** Finds the client's request on whose stream a message arrived. */
  readonly findRequest: (link: Link, via: number | undefined) => PendingRequest | undefined;
  /** The client's request with this id, if it went to that server. */
  readonly findById: (backend: Backend, id: number) => PendingRequest | undefined;
  readonly onListChanged: (link: Link) => void;
}

export class UpstreamNotifications {
  readonly #options: UpstreamNotificationsOptions;

  constructor(options: UpstreamNotificationsOptions) {
    this.#options = options;
  }

  receive(link: Link, envelope: Envelope, via: number | undefined): void {
    switch (envelope.method) {
      case PROGRESS:
        this.receiveProgress(link.backend, envelope);
        return;
      case CANCELLED:
        this.#receiveCancelled(link, envelope);
        return;
      case "notifications/resources/updated":
        this.#receiveUpdate(link, envelope);
        return;
      case "notifications/tools/list_changed":
      case "notifications/prompts/list_changed":
      case "notifications/resources/list_changed":
        // The group receives it in a session of its own, too. This session may be offered something else.
        this.#options.onListChanged(link);
        return;
    }
    // A copy: the text may be a part of a larger chunk that must not stay in memory with it.
    const message = Buffer.from(envelope.text);
    const request = this.#options.findRequest(link, via);
    if (request?.reply.notify(message) === true) return;
    if (link.session !== undefined) deliver(link.session, message);
  }

  /**
   * The progress token says which request it belongs to, so it may arrive on any stream of the server: one without sessions does not
   * know which of them is whose.
   */
  receiveProgress(backend: Backend, { text, params }: Envelope): void {
    const span = params && findMembers(text, params.start, ["progressToken"])?.spans[0];
    const own = readNumber(text, span);
    const { now, limits, findById } = this.#options;
    const request = own === undefined ? undefined : findById(backend, own);
    if (span === undefined || request === undefined) return;
    request.deadlineAt = Math.max(request.deadlineAt, now() + limits.callMs);
    if (request.progressToken === undefined) return;
    const message = splice(text, [{ span, bytes: request.progressToken }]);
    if (!request.reply.notify(message)) request.session?.standalone.push(message);
  }

  #receiveCancelled(link: Link, { text, params }: Envelope): void {
    const [id, reason] = (params && findMembers(text, params.start, ["requestId", "reason"])?.spans) ?? [];
    if (id === undefined) return;
    const why = readString(text, reason) ?? "cancelled by the server";
    this.#options.serverRequests.cancelByServer(link, copySpan(text, id), why);
  }

  #receiveUpdate({ session, backend }: Link, { text, params }: Envelope): void {
    const span = params && findMembers(text, params.start, ["uri"])?.spans[0];
    const uri = readString(text, span);
    if (session === undefined || span === undefined || uri === undefined) return;
    const named = formatGroupUri(backend.name, uri);
    const isNamed = session.subscriptions.has(named);
    const edits = isNamed ? [{ span, bytes: Buffer.from(JSON.stringify(named)) }] : [];
    session.standalone.push(splice(text, edits));
  }
}
