import { EngineError } from "../search-engine.ts";

/** What went wrong between us and the cluster; the message names the request and the answer. */
export class OpenSearchError extends EngineError {
  override readonly name = "OpenSearchError";
}

/** An answer was lost, and no other node gave one. What was asked for may be done already, or later. */
export class NoAnswerError extends OpenSearchError {}
