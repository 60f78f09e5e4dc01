/** The changes between two readings of all workloads, as events. */
import { parseDenial } from "@toolhive/core";
import type { WorkloadBody } from "../contract/parts/workload-schemas.ts";
import type { News } from "./event-ring.ts";

/** Milliseconds between two events of a workload whose status stays, as while its image is pulled. */
export const PROGRESS_MS = 100;

type OperationKind = Extract<News, { type: "operation" }>["data"]["kind"];

interface Known {
  readonly body: WorkloadBody;
  readonly text: string;
  /** Time of the last event, in milliseconds. */
  readonly toldAt: number;
  /** The operation under way. */
  readonly work: OperationKind | undefined;
}

const WORK: Readonly<Partial<Record<WorkloadBody["status"], OperationKind>>> = {
  starting: "start",
  stopping: "stop",
  removing: "remove",
};

export class WorkloadNews {
  #known = new Map<string, Known>();
  #hasLooked = false;

  /** As the last events described them. */
  get workloads(): WorkloadBody[] {
    return [...this.#known.values()].map(({ body }) => body);
  }

  /**
   * @param workloads All, sorted by name. @param now Milliseconds.
   * @returns What is new, and whether something of it is held back because it changes too often.
   */
  compare(workloads: readonly WorkloadBody[], now: number): { readonly news: News[]; readonly isHeldBack: boolean } {
    const news: News[] = [];
    let isHeldBack = false;
    const next = new Map<string, Known>();
    for (const body of workloads) {
      const before = this.#known.get(body.name) ?? (this.#hasLooked ? describeCreated(body) : undefined);
      const text = JSON.stringify(body);
      if (before?.text === text) {
        next.set(body.name, before);
        continue;
      }
      if (before && before.body.status === body.status && now - before.toldAt < PROGRESS_MS) {
        isHeldBack = true;
        next.set(body.name, before);
        continue;
      }
      news.push({ type: "workload", data: { workload: body } });
      const ended = before && findEnded(before, body);
      if (ended) news.push({ type: "operation", data: ended });
      const target = before && findDenied(before, body);
      if (target) news.push({ type: "denied", data: { name: body.name, ...target, count: 1 } });
      next.set(body.name, { body, text, toldAt: now, work: findWork(before, body) });
    }
    for (const [name, { work }] of this.#known) {
      if (next.has(name)) continue;
      news.push({ type: "workload_removed", data: { name } });
      if (work === "remove") news.push({ type: "operation", data: { kind: "remove", name, outcome: "done" } });
    }
    this.#known = next;
    this.#hasLooked = true;
    return { news, isHeldBack };
  }
}

/** One that was not there before has been created since, and may have got on already. */
function describeCreated(body: WorkloadBody): Known {
  return { body: { ...body, status: "starting" }, text: "", toldAt: Number.NEGATIVE_INFINITY, work: "start" };
}

/** What ran, or was on its way down, and now starts, is restarted. */
function findWork(before: Known | undefined, { status }: WorkloadBody): OperationKind | undefined {
  if (before?.body.status === status) return before.work;
  const kind = WORK[status];
  const wasUp = before && ["running", "unhealthy", "unauthenticated", "stopping"].includes(before.body.status);
  return kind === "start" && wasUp ? "restart" : kind;
}

/** The status of a running workload contains the last refused target. */
function findDenied({ body: before }: Known, { status_context: context = "" }: WorkloadBody) {
  const target = before.status_context === context ? undefined : parseDenial(context);
  return target && { host: target.host, ...(target.port !== undefined && { port: target.port }) };
}

function findEnded({ work, body: before }: Known, { name, status, error }: WorkloadBody) {
  if (work === undefined || before.status === status) return undefined;
  const isFailed = status === "error";
  const isDone = work === "stop" ? status === "stopped" : ["running", "unhealthy", "unauthenticated"].includes(status);
  if (work === "remove" ? !isFailed : !isFailed && !isDone) return undefined;
  return {
    kind: work,
    name,
    outcome: isFailed ? ("failed" as const) : ("done" as const),
    ...(isFailed && error && { error }),
  };
}
