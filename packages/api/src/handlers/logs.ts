/** What the operations on logs do besides the server's own output. */
import { Readable } from "node:stream";
import {
  assertWorkloadName,
  formatStamp,
  mergeLines,
  type ProxyLogs,
  parseLogQuery,
  type StampedLine,
  ThvError,
  type WorkloadSupervisor,
} from "@toolhive/core";
import type { Handlers, OperationAnswer } from "../contract/contract.ts";
import type { LOGS_OPERATIONS } from "../contract/logs.ts";
import { MAX_LOG_LINES, MAX_LOG_STREAMS } from "../contract/parts/limits.ts";
import { formatLogText } from "../live/log-text.ts";

type WireLine = OperationAnswer<"watchWorkloadLogs">;

export function logsHandlers(
  workloads: WorkloadSupervisor,
  proxyLogs: ProxyLogs,
): Pick<Handlers, keyof typeof LOGS_OPERATIONS> {
  let followed = 0;
  /** @throws {ThvError} `LIMIT_REACHED`. */
  const assertRoom = () => {
    if (followed < MAX_LOG_STREAMS) return;
    throw new ThvError("LIMIT_REACHED", `${MAX_LOG_STREAMS} logs are followed already.`, {
      hint: "Close a page or program that follows logs, then try again.",
    });
  };
  async function* counted<T>(lines: AsyncIterable<T>): AsyncGenerator<T> {
    followed += 1;
    try {
      yield* lines;
    } finally {
      followed -= 1;
    }
  }
  return {
    listDenied: async ({ params }) => {
      assertWorkloadName(params.name);
      const denied = (await workloads.get(params.name).network?.listDenials()) ?? [];
      return {
        denied: denied.map(({ host, port, count, lastAt }) => ({
          host,
          ...(port !== undefined && { port }),
          count,
          ...(lastAt !== undefined && { last_at: formatStamp(lastAt) }),
        })),
      };
    },
    getProxyLogs: async ({ params, query }, { signal }) => {
      assertWorkloadName(params.name);
      workloads.describe(params.name);
      const selection = parseLogQuery(query, { defaultTail: MAX_LOG_LINES });
      const format = formatLogText(query);
      if (query.follow !== "true") return proxyLogs.read(params.name, selection).map(format).join("");
      assertRoom();
      return Readable.from(mapLines(counted(proxyLogs.follow(params.name, selection, signal)), format));
    },
    watchWorkloadLogs: async ({ params, query }, { signal }) => {
      assertWorkloadName(params.name);
      workloads.describe(params.name);
      const selection = parseLogQuery(query, { defaultTail: MAX_LOG_LINES });
      if (query.follow !== "true") {
        const server = await workloads.getLogs(params.name).read(selection, signal);
        const proxy = proxyLogs.read(params.name, selection);
        return mapLines(mergeLines(Readable.from(server), Readable.from(proxy)), wireLine);
      }
      assertRoom();
      const over = new AbortController();
      const proxy = proxyLogs.follow(params.name, selection, AbortSignal.any([signal, over.signal]));
      const server = endWith(await workloads.getLogs(params.name).follow(selection, signal), over);
      return mapLines(counted(mergeLines(server, proxy)), wireLine);
    },
  };
}

async function* mapLines<T, U>(lines: AsyncIterable<T>, map: (line: T) => U): AsyncGenerator<U> {
  for await (const line of lines) yield map(line);
}

/** Aborts once the lines have ended, or the reader has left. */
async function* endWith<T>(lines: AsyncIterable<T>, over: AbortController): AsyncGenerator<T> {
  try {
    yield* lines;
  } finally {
    over.abort();
  }
}

function wireLine({ at, text, ...more }: StampedLine & { readonly level?: WireLine["level"] }): WireLine {
  const { level } = more;
  return {
    source: level === undefined ? "server" : "proxy",
    text,
    ...(at !== undefined && { at: formatStamp(at) }),
    ...(level !== undefined && { level }),
  };
}
