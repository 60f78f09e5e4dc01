/** Requests of a group's own over the session of a client at a server. */

import { type Envelope, readAnswerId, readEnvelope } from "../messages/json-rpc.ts";
import { splice } from "../messages/json-scanner.ts";
import type { GroupLimits } from "../options/group-limits.ts";
import type { PendingRequests } from "../sessions/pending-requests.ts";
import { createReply, type Reply } from "../sessions/reply.ts";
import type { Link } from "./links.ts";

interface OwnRequestsOptions {
  readonly limits: Pick<GroupLimits, "callMs">;
  readonly now: () => number;
  readonly pending: PendingRequests;
}

export class GroupOwnRequests {
  readonly #options: OwnRequestsOptions;
  /** Where each one went, by its id there. */
  readonly #ways = new Map<number, Link>();

  constructor(options: OwnRequestsOptions) {
    this.#options = options;
  }

  /** @param reply Default: the answer is ignored. */
  send(link: Link, method: string, params: Readonly<Record<string, unknown>>, reply?: Reply): void {
    const envelope = readEnvelope(Buffer.from(JSON.stringify({ jsonrpc: "2.0", id: 0, method, params })));
    if (envelope !== undefined) this.sendMessage(link, envelope, reply);
  }

  sendMessage(link: Link, envelope: Envelope, reply = createReply()): void {
    const { limits, now, pending } = this.#options;
    const deadlineAt = now() + limits.callMs;
    const facts = { session: undefined, reply, deadlineAt, progressToken: undefined, isTask: false, uri: undefined };
    const request = pending.add(envelope, facts);
    if (request?.outgoing === undefined) return;
    this.#ways.set(request.serverSideId, link);
    link.upstream?.send(request.outgoing, request.serverSideId);
    request.outgoing = undefined;
  }

  isAwaited(link: Link, id: number): boolean {
    return this.#ways.get(id) === link;
  }

  /** @returns Whether the message answers one of them. */
  receive(link: Link, { text, id }: Envelope): boolean {
    const own = readAnswerId(text, id);
    if (own === undefined || id === undefined || !this.isAwaited(link, own)) return false;
    const request = this.#options.pending.find(own);
    this.#forget(own);
    request?.reply.respond(splice(text, [{ span: id, bytes: request.clientId }]));
    return true;
  }

  endLink(link: Link): void {
    for (const [id, way] of this.#ways) if (way === link) this.#forget(id);
  }

  #forget(id: number): void {
    const { pending } = this.#options;
    this.#ways.delete(id);
    const request = pending.find(id);
    if (request !== undefined) pending.remove(request);
  }
}
