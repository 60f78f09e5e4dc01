/** What the operations on workloads do. */
import { Readable } from "node:stream";
import {
  assertWorkloadName,
  DEFAULT_GROUP,
  type GroupManager,
  hasCode,
  parseLogQuery,
  type StampedLine,
  ThvError,
  type WorkloadSupervisor,
} from "@toolhive/core";
import type { Handlers } from "../contract/contract.ts";
import { MAX_LOG_LINES } from "../contract/parts/limits.ts";
import type { WORKLOADS_OPERATIONS } from "../contract/workloads.ts";
import { formatLogText } from "../live/log-text.ts";
import { isListedByDefault, workloadBodies, workloadBody } from "./answers/workload-body.ts";

/** Seconds a server may be given to end by itself. */
const MAX_STOP_SECONDS = 3_600;
/** Why one workload of several is omitted; the others are not delayed by it. */
const LEFT_OUT = ["WORKLOAD_NOT_FOUND", "WORKLOAD_BUSY", "STATE_CORRUPT", "STATE_TOO_NEW"] as const;

export function workloadsHandlers(
  workloads: WorkloadSupervisor,
  groups: GroupManager,
): Pick<Handlers, keyof typeof WORKLOADS_OPERATIONS> {
  return {
    listWorkloads: async ({ query }) => {
      const wanted = wantedLabels(query.label);
      const members = query.group === undefined ? undefined : new Set(groups.listMembers(query.group));
      const shown = workloads
        .list()
        .filter(({ name }) => members?.has(name) !== false)
        .filter((workload) => query.all === "true" || isListedByDefault(workload))
        .filter(({ labels = {} }) => wanted.every(([key, value]) => labels[key] === value));
      return { workloads: workloadBodies(shown, groups) };
    },
    createWorkload: async ({ body }) => {
      const create = () => workloads.create(body);
      const { name, port } = await groups.place(body.group || DEFAULT_GROUP, create);
      return { name, port };
    },
    getWorkload: async ({ params }) => {
      assertWorkloadName(params.name);
      return workloadBody(workloads.describe(params.name), groups.listGroupsWith(params.name));
    },
    deleteWorkload: async ({ params, query }) => {
      assertWorkloadName(params.name);
      const graceSeconds = stopTimeout(query.timeout);
      await workloads.delete(params.name, {
        graceSeconds,
        isForced: query.force === "true",
        keepsOutput: query.keep_log === "true",
      });
    },
    stopWorkload: async ({ params, query }) => {
      assertWorkloadName(params.name);
      await workloads.stop(params.name, stopTimeout(query.timeout));
    },
    restartWorkload: async ({ params, query }) => {
      assertWorkloadName(params.name);
      await workloads.restart(params.name, { proxyPort: proxyPort(query.proxy_port), pull: query.pull === "true" });
    },
    getWorkloadLogs: async ({ params, query }, { signal }) => {
      assertWorkloadName(params.name);
      const selection = parseLogQuery(query, { defaultTail: MAX_LOG_LINES });
      const format = formatLogText(query);
      if (query.follow === "true") {
        return Readable.from(formatted(await workloads.getLogs(params.name).follow(selection, signal), format));
      }
      return (await workloads.getLogs(params.name).read(selection, signal)).map(format).join("");
    },
    stopWorkloads: async ({ body }) => await forEach(selectNames(body, groups), (name) => workloads.stop(name)),
    restartWorkloads: async ({ body }) => await forEach(selectNames(body, groups), (name) => workloads.restart(name)),
    deleteWorkloads: async ({ body }) => await forEach(selectNames(body, groups), (name) => workloads.delete(name)),
  };
}

/** @throws {ThvError} `INVALID_ARGUMENT`, `GROUP_NOT_FOUND`. */
function selectNames(
  { names, group }: { readonly names?: readonly string[]; readonly group?: string },
  groups: GroupManager,
): readonly string[] {
  if (group === undefined) return names ?? [];
  if (names === undefined) return groups.listMembers(group);
  throw new ThvError("INVALID_ARGUMENT", "names and group are both given, and only one can be");
}

async function forEach(names: readonly string[], accept: (name: string) => Promise<unknown>): Promise<void> {
  const unique = [...new Set(names)];
  for (const name of unique) assertWorkloadName(name);
  await Promise.all(
    unique.map(async (name) => {
      try {
        await accept(name);
      } catch (error) {
        if (!hasCode(error, ...LEFT_OUT)) throw error;
      }
    }),
  );
}

async function* formatted(
  lines: AsyncIterable<StampedLine>,
  format: (line: StampedLine) => string,
): AsyncGenerator<string> {
  for await (const line of lines) yield format(line);
}

/** @param query A parameter that is given twice arrives as a list. @throws {ThvError} `INVALID_ARGUMENT`. */
function wantedLabels(query: string | readonly string[] = []): (readonly [key: string, value: string])[] {
  const texts = [query].flat().flatMap((text) => text.split(","));
  return texts
    .filter((text) => text !== "")
    .map((text) => {
      const split = text.indexOf("=");
      if (split < 1) throw new ThvError("INVALID_ARGUMENT", `"${text.slice(0, 100)}" is not KEY=VALUE`);
      return [text.slice(0, split), text.slice(split + 1)] as const;
    });
}

/** @throws {ThvError} `INVALID_ARGUMENT`. */
function proxyPort(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const port = /^\d{1,5}$/.test(text) ? Number(text) : 0;
  if (port >= 1 && port <= 65_535) return port;
  throw new ThvError("INVALID_ARGUMENT", `"${text.slice(0, 100)}" is not a port from 1 to 65535`);
}

/** @returns Seconds. @throws {ThvError} `INVALID_ARGUMENT`. */
function stopTimeout(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const seconds = /^\d{1,4}$/.test(text) ? Number(text) : Number.NaN;
  if (seconds <= MAX_STOP_SECONDS) return seconds;
  throw new ThvError(
    "INVALID_ARGUMENT",
    `"${text.slice(0, 100)}" is not a number of seconds from 0 to ${MAX_STOP_SECONDS}`,
  );
}
