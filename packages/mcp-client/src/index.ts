export { EventReader } from "./event-reader.ts";
export type { ExchangeGuard, GuardedRequest, ServerTarget } from "./exchange.ts";
export { AnswerTooLarge, ForeignAddress, NotDelivered, RefusedMessage, SessionLost, Unanswered } from "./failures.ts";
export { openSession } from "./open-session.ts";
export type { OwnRequest } from "./own-request.ts";
export type { ClientSession, OutgoingMessage, Post, SessionHooks } from "./session.ts";
