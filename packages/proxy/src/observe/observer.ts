/**
 * Observers of calls: they see each message of a client when it arrives and when it is answered, and each HTTP
 * exchange when it ends. Endpoints without observers have no cost.
 */

import type { IncomingMessage, ServerResponse } from "node:http";
import type { Caller } from "../messages/caller.ts";
import type { ClientMessage } from "../messages/client-message.ts";
import { readErrorCode } from "../messages/error-code.ts";
import { RPC_ERRORS, readEnvelope } from "../messages/json-rpc.ts";

/** How a call ended: succeeded, denied by a policy, refused as invalid, or failed at the server or the endpoint. */
export const OUTCOMES = ["success", "denied", "failure", "error"] as const;
export type Outcome = (typeof OUTCOMES)[number];

export interface Ending {
  readonly outcome: Outcome;
  /** The response to the client; absent for notifications and for calls that were never answered. */
  readonly response: Buffer | undefined;
}

/** The observation of one message. Ending it twice does nothing. */
export interface Observation {
  end(ending: Ending): void;
}

/** @param end Is called for the first end alone. */
export function observeOnce(end: Observation["end"]): Observation {
  let isOver = false;
  return {
    end: (ending) => {
      if (isOver) return;
      isOver = true;
      end(ending);
    },
  };
}

export interface Observer {
  /** @param client What the client calls itself; `undefined` where it is not known. */
  begin(caller: Caller, message: ClientMessage, client?: string | undefined): Observation;
  /** Begins to observe an HTTP exchange. @param caller `undefined` when the caller was refused. */
  exchange?(request: IncomingMessage, response: ServerResponse, caller: Caller | undefined): void;
  close?(): Promise<void>;
}

/** JSON-RPC errors about a wrong request; all others are failures of the server or the endpoint. */
const CLIENT_ERRORS: ReadonlySet<number> = new Set([
  RPC_ERRORS.PARSE,
  RPC_ERRORS.INVALID_REQUEST,
  RPC_ERRORS.METHOD_NOT_FOUND,
  RPC_ERRORS.INVALID_PARAMS,
]);

/** How nearly all servers begin an answer with a result. */
const RESULT = /^\{"(?:result|jsonrpc":"2\.0","id":(?:\d{1,16}|"[\w-]{1,40}"),"result)":/;
/** Bytes in which that is found. */
const HEAD_BYTES = 100;

/** Whether a message can be recognized as an answer with a result by its first bytes. */
export function beginsWithResult(message: Buffer): boolean {
  return RESULT.test(message.toString("latin1", 0, HEAD_BYTES));
}

/** @param response A message that was read before: it is well-formed. */
export function readOutcome(response: Buffer): Outcome {
  if (beginsWithResult(response)) return "success";
  const envelope = readEnvelope(response);
  if (envelope?.result !== undefined) return "success";
  const code = readErrorCode(response);
  if (code === RPC_ERRORS.DENIED) return "denied";
  return code !== undefined && CLIENT_ERRORS.has(code) ? "failure" : "error";
}

/** Combines several observers into one. @returns `undefined` for none. */
export function combineObservers(observers: readonly Observer[]): Observer | undefined {
  if (observers.length < 2) return observers[0];
  return {
    begin: (caller, message, client) => {
      const observations = observers.map((observer) => observer.begin(caller, message, client));
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
