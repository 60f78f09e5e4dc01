import { EngineError } from "../search-engine.ts";

/** What went wrong between us and the cluster; the message names the request and the answer. */
export class OpenSearchError extends EngineError {
  override readonly name = "OpenSearchError";
}
