/**
 * Who hears of calls: each message of a client is told when it comes and when it is answered, each HTTP exchange when it
 * is over. Endpoints without observers pay nothing for them.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Caller } from "../messages/caller.ts";
import type { ClientMessage } from "../messages/client-message.ts";
import { RPC_ERRORS, readEnvelope } from "../messages/json-rpc.ts";
import { findMembers } from "../messages/json-scanner.ts";
import type { Reply } from "../sessions/pending-requests.ts";

/** How a call ended: as asked, not permitted, refused as it was, or failed at the server or the endpoint. */
export const OUTCOMES = ["success", "denied", "failure", "error"] as const;
export type Outcome = (typeof OUTCOMES)[number];

export interface Ending {
  readonly outcome: Outcome;
  /** What the client was told; absent for notifications and for calls that were never answered. */
  readonly response: Buffer | undefined;
}

/** A message that is being dealt with. Ending it twice does nothing. */
export interface Observation {
  end(ending: Ending): void;
}

export interface Observer {
  begin(caller: Caller, message: ClientMessage): Observation;
  /** An HTTP exchange whose caller is known, or who was refused. */
  exchange?(request: IncomingMessage, response: ServerResponse, caller: Caller | undefined): void;
  close?(): Promise<void>;
}

/** JSON-RPC errors that say that the request was wrong; all others are the server's or the endpoint's. */
const CLIENT_ERRORS: ReadonlySet<number> = new Set([
  RPC_ERRORS.PARSE,
  RPC_ERRORS.INVALID_REQUEST,
  RPC_ERRORS.METHOD_NOT_FOUND,
  RPC_ERRORS.INVALID_PARAMS,
]);

export function outcomeOf(response: Buffer): Outcome {
  const envelope = readEnvelope(response);
  if (envelope?.result !== undefined) return "success";
  const error = findMembers(response, 0, ["error"])?.spans[0];
  const code = error && findMembers(response, error.start, ["code"])?.spans[0];
  const number = code === undefined ? Number.NaN : Number(response.toString("latin1", code.start, code.end));
  if (number === RPC_ERRORS.DENIED) return "denied";
  return CLIENT_ERRORS.has(number) ? "failure" : "error";
}

/** Tells several observers. @returns `undefined` for none. */
export function allOf(observers: readonly Observer[]): Observer | undefined {
  if (observers.length < 2) return observers[0];
  return {
    begin: (caller, message) => {
      const observations = observers.map((observer) => observer.begin(caller, message));
      return {
        end: (ending) => {
          for (const observation of observations) observation.end(ending);
        },
      };
    },
    exchange: (request, response, caller) => {
      for (const observer of observers) observer.exchange?.(request, response, caller);
    },
    close: async () => {
      await Promise.all(observers.map((observer) => observer.close?.()));
    },
  };
}

/** A reply that ends an observation with the call. */
export function observedReply(reply: Reply, observation: Observation): Reply {
  return {
    notify: (message) => reply.notify(message),
    respond: (message, status) => {
      observation.end({ outcome: outcomeOf(message), response: message });
      reply.respond(message, status);
    },
    cancel: () => {
      observation.end({ outcome: "failure", response: undefined });
      reply.cancel();
    },
    ...(reply.lack && { lack: (capability: string) => reply.lack?.(capability) }),
    ...(reply.fail && {
      fail: (message: string) => {
        observation.end({ outcome: "error", response: undefined });
        reply.fail?.(message);
      },
    }),
  };
}
