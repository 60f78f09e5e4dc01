/**
 * Who hears of calls: each message of a client is told when it comes and when it is answered, each HTTP exchange when it
 * is over. Endpoints without observers pay nothing for them.
 */

import type { IncomingMessage, ServerResponse } from "node:http";
import type { Caller } from "../messages/caller.ts";
import type { ClientMessage } from "../messages/client-message.ts";
import { readErrorCode } from "../messages/error-code.ts";
import { RPC_ERRORS, readEnvelope } from "../messages/json-rpc.ts";

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

export function readOutcome(response: Buffer): Outcome {
  const envelope = readEnvelope(response);
  if (envelope?.result !== undefined) return "success";
  const code = readErrorCode(response);
  if (code === RPC_ERRORS.DENIED) return "denied";
  return code !== undefined && CLIENT_ERRORS.has(code) ? "failure" : "error";
}

/** Tells several observers. @returns `undefined` for none. */
export function combineObservers(observers: readonly Observer[]): Observer | undefined {
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
