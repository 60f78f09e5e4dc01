/**
 * Counts calls, and measures lists of tools, for every endpoint in the same way. It reads names and sizes, and neither arguments nor
 * results.
 */
import type { UsageSink } from "@toolhive/core";
import { BRAND } from "@toolhive/core/brand";
import type { Caller } from "../messages/caller.ts";
import type { ClientMessage } from "../messages/client-message.ts";
import { readEnvelope, readString } from "../messages/json-rpc.ts";
import { findElements, findMembers } from "../messages/json-scanner.ts";
import { findPage } from "../messages/lists/list-pages.ts";
import { LIST_TOOLS } from "../messages/methods.ts";
import type { Ending, Observation, Observer } from "./observer.ts";

const TOOLS_CALL = "tools/call";
/** What is counted: what a client asks for to get something done, in contrast to lists and connections. */
const COUNTED: ReadonlySet<string> = new Set([TOOLS_CALL, "prompts/get", "resources/read"]);
const IS_ERROR = Buffer.from('"isError"');
const TRUE = 0x74;
/** Bytes of the newest list, up to which it is kept to be recognized. */
const MAX_KNOWN_BYTES = 256 * 1024;

export interface UsageMeterOptions {
  readonly sink: UsageSink;
  /** Milliseconds, monotonic. */
  readonly now: () => number;
  /** Bytes of what clients receive in the place of the list at this moment; `undefined`: they receive the list. */
  readonly measureInstead: () => number | undefined;
  /** Whether a tool is one of those in the place of the list. Default: none is. */
  readonly isInstead: (tool: string) => boolean;
}

/** Whether requests of a method are counted or measured. */
export function isMetered(method: string): boolean {
  return COUNTED.has(method) || method === LIST_TOOLS;
}

/** Whether requests of a method are counted as calls. */
export function isCounted(method: string): boolean {
  return COUNTED.has(method);
}

/** Whether an answer to `tools/call` says that the tool has failed. */
export function saysToolError(answer: Buffer): boolean {
  // Few answers contain the name at all, and a search for it costs next to nothing.
  if (!answer.includes(IS_ERROR)) return false;
  const result = readEnvelope(answer)?.result;
  const span = result && findMembers(answer, result.start, ["isError"])?.spans[0];
  return span !== undefined && answer[span.start] === TRUE;
}

export class UsageMeter implements Observer {
  readonly #options: UsageMeterOptions;
  /** The list that was measured last, where it had one page. */
  #known: Buffer | undefined;

  constructor(options: UsageMeterOptions) {
    this.#options = options;
  }

  begin(_caller: Caller, { envelope, params }: ClientMessage, client?: string | undefined): Observation {
    const { method, kind } = envelope;
    if (kind !== "request") return IGNORED;
    if (method === LIST_TOOLS) return this.#beginList(params);
    if (!COUNTED.has(method)) return IGNORED;
    const { sink, now, measureInstead, isInstead } = this.#options;
    const tool = method === TOOLS_CALL && typeof params.name === "string" ? params.name : undefined;
    // The call of the tool that was found is counted.
    if (tool !== undefined && isInstead(tool) && measureInstead() !== undefined) return IGNORED;
    const startedAt = now();
    let isOver = false;
    return {
      end: ({ outcome, response }: Ending) => {
        if (isOver) return;
        isOver = true;
        const isToolError = tool !== undefined && response !== undefined && saysToolError(response);
        sink.record({
          tool,
          // A group calls its servers by our own name, and counts its clients itself.
          client: client === BRAND.command ? undefined : client,
          isFailure: outcome !== "success" || isToolError,
          ms: now() - startedAt,
        });
      },
    };
  }

  #beginList({ cursor }: ClientMessage["params"]): Observation {
    let isOver = false;
    return {
      end: ({ outcome, response }) => {
        if (isOver || outcome !== "success" || response === undefined) return;
        isOver = true;
        this.#measure(response, typeof cursor !== "string");
      },
    };
  }

  #measure(answer: Buffer, isFirst: boolean): void {
    const { sink, measureInstead } = this.#options;
    const { list, nextCursor } = findPage(answer, "tools");
    if (list === undefined) return;
    const instead = measureInstead();
    const isLast = nextCursor === undefined;
    const text = answer.subarray(list.start, list.end);
    if (isFirst && isLast && instead === undefined && this.#known?.equals(text)) return;
    const elements = findElements(answer, list.start) ?? [];
    const tools = elements.flatMap(({ start, end }) => {
      const name = readString(answer, findMembers(answer, start, ["name"])?.spans[0]);
      return name === undefined ? [] : [{ name, bytes: end - start }];
    });
    sink.measure({ tools, isFirst, isLast, instead });
    const isWhole = isFirst && isLast && instead === undefined && text.length <= MAX_KNOWN_BYTES;
    this.#known = isWhole ? Buffer.from(text) : undefined;
  }
}

const IGNORED: Observation = { end: () => undefined };
