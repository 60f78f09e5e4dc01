/** What is counted of one server: its calls, by tool and by client, and how much of a model's context its tools take. */
import type { MeasuredTools, UsageSink, UsedCall } from "../ports/usage-sink.ts";
import { cleanName, NamedSeries } from "./usage-names.ts";
import { findDay, UsageSeries } from "./usage-series.ts";

/** Tools of one server that are counted apart. */
export const MAX_USED_TOOLS = 200;
/** Clients of one server that are counted apart. */
export const MAX_USED_CLIENTS = 30;

/** The newest list of tools that clients received. */
export interface ToolContext {
  readonly measuredAt: number;
  /** Bytes of what clients receive: of the definitions, or of the two tools that stand for them. */
  readonly bytes: number;
  /** Bytes of each definition, by the name that clients see; of the tools that are counted apart. */
  readonly tools: ReadonlyMap<string, number>;
  /** Of all tools, also those that are not counted apart. */
  readonly toolCount: number;
}

export class UsageRecorder implements UsageSink {
  readonly all = new UsageSeries();
  readonly tools = new NamedSeries(MAX_USED_TOOLS);
  readonly clients = new NamedSeries(MAX_USED_CLIENTS);
  /** Milliseconds since 1970 from which calls were counted. */
  since: number;
  context: ToolContext | undefined;
  readonly #now: () => number;
  readonly #onChange: () => void;
  /** A list whose last page has not come. */
  #list: { readonly sizes: Map<string, number>; bytes: number; count: number } | undefined;

  /** @param now Milliseconds since 1970. @param onChange Called after each change. */
  constructor(now: () => number, onChange: () => void) {
    this.#now = now;
    this.#onChange = onChange;
    this.since = now();
  }

  record(call: UsedCall): void {
    const at = this.#now();
    const { tool, client } = call;
    this.all.record(at, call);
    if (tool !== undefined) this.#findTool(tool, at).record(at, call);
    if (client !== undefined) this.clients.find(client, findDay(at)).record(at, call);
    this.#onChange();
  }

  /** Counts for a client a call that is counted otherwise already. */
  recordClient(client: string, call: Pick<UsedCall, "isFailure" | "ms">): void {
    const at = this.#now();
    this.clients.find(client, findDay(at)).record(at, call);
    this.#onChange();
  }

  measure({ tools, isFirst, isLast, instead }: MeasuredTools): void {
    const list = (isFirst ? undefined : this.#list) ?? { sizes: new Map<string, number>(), bytes: 0, count: 0 };
    this.#list = list;
    for (const { name, bytes } of tools) {
      list.count += 1;
      list.bytes += bytes;
      if (list.sizes.size < MAX_USED_TOOLS) list.sizes.set(cleanName(name), bytes);
    }
    if (!isLast) return;
    this.#list = undefined;
    const before = this.context;
    const bytes = instead ?? list.bytes;
    this.context = { measuredAt: this.#now(), bytes, tools: list.sizes, toolCount: list.count };
    if (before?.bytes !== bytes || before.toolCount !== list.count) this.#onChange();
  }

  /** Adds what an earlier process has counted. */
  add(earlier: UsageRecorder): void {
    const today = findDay(this.#now());
    this.all.add(earlier.all);
    this.tools.add(earlier.tools, today);
    this.clients.add(earlier.clients, today);
    this.since = Math.min(this.since, earlier.since);
    this.context ??= earlier.context;
  }

  /** Of a name that the server does not list, there can be any number: a client may invent them. */
  #findTool(name: string, at: number): UsageSeries {
    const listed = this.context?.tools;
    const isListed = listed === undefined || listed.has(name) || listed.has(cleanName(name));
    return isListed ? this.tools.find(name, findDay(at)) : this.tools.other;
  }
}
