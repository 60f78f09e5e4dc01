/** Asks the proxies of a server which choice of tools they work with, and sees to it that they get the newest one. */
import type { ClusterClient } from "../../cluster/index.ts";
import { type Proxied, TOOLS_REPORT_PATH, type ToolsReport } from "../../contract/index.ts";
import { askRunner } from "../status/ask-runner.ts";
import type { PodSummary } from "../status/pod-summary.ts";
import { type Refreshed, refreshMountedFile } from "../status/refresh-pods.ts";

const MAX_ANSWER_CHARACTERS = 200;
/** Pods that are asked at once. */
const MAX_ASKED = 16;
/** Milliseconds until they are asked again: those with another choice, and those that do not answer. */
const SOON_MS = 500;
const AGAIN_MS = 5_000;
/** Milliseconds after which a pod that still has another choice is asked more seldom: its kubelet looks about once a minute. */
const PATIENCE_MS = 30_000;
/** Times that a ready pod which does not answer is asked about one choice. */
const MAX_TRIES = 5;

/** The choice that a proxy's pod works with, or was asked for without an answer. */
export interface AskedTools {
  /** As the pod said last; `undefined`: it has not answered. */
  readonly reported: string | undefined;
  /** What it was asked for, since when, and how often without an answer. */
  readonly wanted: string;
  readonly since: number;
  readonly tries: number;
}

interface AskedServer {
  readonly server: Pick<Proxied, "metadata">;
  readonly pods: ReadonlyMap<string, PodSummary & { readonly side: "server" | "proxy" }>;
  readonly refreshedPods: Map<string, Refreshed>;
  /** By the name of a pod. */
  readonly askedTools: Map<string, AskedTools>;
}

/** What the operator wrote for the proxies. */
export interface WrittenTools {
  readonly version: string;
  /** Whether all tools are shown under their own names. */
  readonly isEverything: boolean;
}

interface AskOptions {
  readonly client: ClusterClient;
  readonly tools: WrittenTools;
  readonly signal: AbortSignal;
  /** Milliseconds since any fixed time. Default: the process's own clock. */
  readonly now?: number;
}

/** Writes the answers into the record. @returns Milliseconds until they are asked again; `undefined`: all have the newest. */
export async function askTools(
  record: AskedServer,
  { client, tools: { version, isEverything }, signal, now = performance.now() }: AskOptions,
): Promise<number | undefined> {
  const { askedTools, refreshedPods } = record;
  const serving = [...record.pods].filter(
    ([, { side, isReady, isEnding, address }]) => side === "proxy" && isReady && !isEnding && address,
  );
  for (const name of askedTools.keys()) if (!serving.some(([pod]) => pod === name)) askedTools.delete(name);
  const asked = serving
    .filter(([name]) => {
      const known = askedTools.get(name);
      if (known === undefined) return !isEverything;
      return known.reported !== version && !(known.wanted === version && known.tries >= MAX_TRIES);
    })
    .slice(0, MAX_ASKED);
  await Promise.all(
    asked.map(async ([name, { address = "" }]) => {
      const report = await askRunner({ ...QUESTION, address }, signal);
      const known = askedTools.get(name);
      const isSame = known?.wanted === version;
      const since = isSame ? known.since : now;
      const tries = report ? 0 : (isSame ? known.tries : 0) + 1;
      askedTools.set(name, { reported: report?.version ?? known?.reported, wanted: version, since, tries });
    }),
  );
  const late = asked.filter(([name]) => isLate(askedTools.get(name)));
  const names = late.map(([name]) => name);
  const { namespace } = record.server.metadata;
  await refreshMountedFile(names, version, { client, namespace, refreshed: refreshedPods, now, signal });
  if (asked.every(([name]) => askedTools.get(name)?.reported === version)) return undefined;
  const isExpected = names.some((name) => now - (askedTools.get(name)?.since ?? 0) < PATIENCE_MS);
  return isExpected ? SOON_MS : AGAIN_MS;
}

/** Whether the pod has answered, and works with another choice than the one that it was asked for. */
export function isLate(asked: AskedTools | undefined): boolean {
  return asked?.reported !== undefined && asked.reported !== asked.wanted;
}

const QUESTION = { path: TOOLS_REPORT_PATH, maxCharacters: MAX_ANSWER_CHARACTERS, check: checkReport };

function checkReport(value: unknown): ToolsReport | undefined {
  const { version } = (value ?? {}) as Partial<ToolsReport>;
  return typeof version === "string" ? { version } : undefined;
}
