/** What the type of an answer says of it. Servers send the same few again and again, so the last one is kept. */
import type { IncomingHttpHeaders } from "node:http";
import { saysUtf8 } from "../../http/answer-encoding.ts";
import { readMediaType } from "../../http/http-exchange.ts";

/** No comma: browsers take the last of several types. */
const OF_MCP = /^\s*(?:application\/json|text\/event-stream)\s*(?:;[^,]*)?$/i;

export interface AnswerType {
  /** Whether it is one of those that MCP has. */
  readonly isOfMcp: boolean;
  /** Whether some client reads it as a stream of events: some go by a part of the type. */
  readonly isEventStream: boolean;
  /** Whether a client may read messages from it: some clients check only a part of the type. */
  readonly isForClients: boolean;
  /** Whether it is one JSON text. */
  readonly isJson: boolean;
  /** Whether it names no character set in which the bytes would be other JSON. */
  readonly isUtf8: boolean;
}

let last: { readonly text: string | undefined; readonly type: AnswerType } | undefined;

export function readAnswerType({ headers }: { readonly headers: IncomingHttpHeaders }): AnswerType {
  const text = headers["content-type"];
  if (last === undefined || last.text !== text) last = { text, type: describeType({ headers }) };
  return last.type;
}

function describeType(answer: { readonly headers: IncomingHttpHeaders }): AnswerType {
  const text = answer.headers["content-type"] ?? "";
  return {
    isOfMcp: OF_MCP.test(text),
    isEventStream: /text\/event-stream/i.test(text),
    isForClients: /application\/json|text\/event-stream/i.test(text),
    isJson: readMediaType(answer) === "application/json",
    isUtf8: saysUtf8(answer),
  };
}
