/** Who was asked to open which address: a server that reports the end of it means that client and no other. */
import { type Envelope, readString } from "../messages/json-rpc.ts";
import { findMembers } from "../messages/json-scanner.ts";
import { readAddressRequest, readRequiredAddresses } from "./addresses.ts";
import { isUrlElicitation } from "./demand.ts";

export const ELICITATION_COMPLETE = "notifications/elicitation/complete";
/** Addresses that a server reports on later; the oldest ones are forgotten. */
const MAX_ASKED = 1_000;

export class AskedAddresses<Session extends { readonly isClosed: boolean }> {
  readonly #sessions = new Map<string, Session>();

  /** A request that a session received. */
  record(session: Session, envelope: Envelope): void {
    if (isUrlElicitation(envelope)) this.#remember(session, readAddressRequest(envelope).id);
  }

  /** An answer that a session received. */
  recordAnswer(session: Session, answer: Envelope): void {
    for (const { id } of readRequiredAddresses(answer) ?? []) this.#remember(session, id);
  }

  /** @returns The session that was asked to open what a notification is about. */
  findAsked({ text, params }: Envelope): Session | undefined {
    const span = params && findMembers(text, params.start, ["elicitationId"])?.spans[0];
    const session = this.#sessions.get(readString(text, span) ?? "");
    return session?.isClosed === false ? session : undefined;
  }

  #remember(session: Session, id: string | undefined): void {
    if (id === undefined) return;
    this.#sessions.delete(id);
    this.#sessions.set(id, session);
    const [oldest] = this.#sessions.keys();
    if (this.#sessions.size > MAX_ASKED && oldest !== undefined) this.#sessions.delete(oldest);
  }
}
