/** Keeps the endpoint of a server on stdio connected with whichever run of its container is up. */
import { createInterface } from "node:readline";
import { setTimeout as delay } from "node:timers/promises";
import type { Logger, McpEndpoint } from "@toolhive/core";
import { describeError } from "@toolhive/core/errors";
import { toOneLine } from "@toolhive/core/one-line";
import { startTimeout } from "@toolhive/core/timeout-signal";
import { ClusterClient } from "../cluster/index.ts";
import { type Attachment, type AttachTarget, attach } from "./attach.ts";
import type { IdleGate } from "./idle/idle-gate.ts";
import type { Readiness } from "./readiness.ts";
import { type ContainerRun, ServerPod } from "./server-pod.ts";

/** Milliseconds between two tries to attach. */
const AGAIN_MS = 250;
const MAX_AGAIN_MS = 5_000;
/** The same for a server that may run already, although its kubelet has not reported it: a refusal says that it does not yet. */
const UNREPORTED_AGAIN_MS = 100;
const MAX_UNREPORTED_AGAIN_MS = 2_000;
/** Characters of a line of the server's standard error that are logged. */
const MAX_LINE = 4_096;

export interface ConnectionOptions {
  readonly client: ClusterClient;
  readonly target: AttachTarget;
  readonly endpoint: McpEndpoint;
  readonly log: Logger;
  /**
   * Called when the server is connected, and when it no longer is, with the reason. `isUnreported`: its kubelet has not reported
   * that it runs, so that the connection may lead nowhere until the server has answered.
   */
  readonly onChange: (state: {
    readonly isConnected: boolean;
    readonly isUnreported?: boolean;
    readonly reason: string;
  }) => void;
  /** Whether calls wait for a server that was stopped. Then nothing is sent that would be lost if it does not run yet. */
  readonly isAwaited: () => boolean;
}

interface AttachOptions extends Pick<ConnectionOptions, "target" | "endpoint" | "log"> {
  /** Path of a kubeconfig. Default: the pod's own account. */
  readonly kubeconfig?: string | undefined;
  readonly readiness: Readiness;
  /** Absent: the server is never stopped. */
  readonly gate: IdleGate | undefined;
}

/** Keeps the endpoint attached to a server on stdio until the signal fires. */
export function keepAttached(
  { target, kubeconfig, endpoint, readiness, gate, log }: AttachOptions,
  signal: AbortSignal,
): Promise<void> {
  const client = ClusterClient.load(kubeconfig);
  signal.addEventListener("abort", () => client.close(), { once: true });
  const onChange: ConnectionOptions["onChange"] = ({ isConnected, isUnreported, reason }) => {
    if (!isConnected) readiness.lose(reason);
    // A connection to a container that does not run yet gets no answer, and the next one is tried.
    else if (isUnreported) void endpoint.probe(signal).then(() => gate?.reportAnswer(), ignore);
  };
  const isAwaited = () => gate?.isAwaited === true;
  return keepStdioConnected({ client, target, endpoint, log, onChange, isAwaited }, signal);
}

const ignore = () => undefined;

/** Runs until the signal fires. Never rejects. */
export async function keepStdioConnected(options: ConnectionOptions, signal: AbortSignal): Promise<void> {
  const { client, target, log, isAwaited } = options;
  const pod = new ServerPod(client, target, log);
  const following = pod.follow(signal);
  const find = () => pod.run ?? (isAwaited() ? pod.unreported : undefined);
  let before: ContainerRun | undefined;
  let failures = 0;
  let refusals = 0;
  while (!signal.aborted) {
    let isUnreported = false;
    try {
      await pod.until(() => find() !== undefined, signal);
      const run = find();
      if (run === undefined) continue;
      isUnreported = pod.run === undefined;
      const attachment = await attach(client, target, signal);
      attachment.stdout.once("data", () => {
        failures = 0;
        refusals = 0;
      });
      const isSameProcess = before?.id === run.id;
      await serve(options, { attachment, pod, run, isUnreported, isSameProcess }, signal);
      before = run;
    } catch (error) {
      if (signal.aborted) break;
      const facts = { pod: target.pod, reason: describeError(error) };
      if (isUnreported) log.debug(facts, "server's pod does not run yet, trying again");
      else log.warn(facts, "server's pod cannot be attached to, trying again");
      if (!isUnreported) failures += 1;
    }
    if (isUnreported) {
      refusals += 1;
      const ms = Math.min(MAX_UNREPORTED_AGAIN_MS, UNREPORTED_AGAIN_MS * 1.25 ** (refusals - 1));
      const over = AbortSignal.any([signal, startTimeout(Math.ceil(ms))]);
      await pod.until(() => pod.run !== undefined, over).catch(() => undefined);
      continue;
    }
    refusals = 0;
    // Proxies of many servers lose an API server at the same moment.
    const ms = Math.min(MAX_AGAIN_MS, AGAIN_MS * 2 ** (failures - 1)) * (0.5 + Math.random() / 2);
    if (failures > 0) await delay(ms, undefined, { signal }).catch(() => undefined);
  }
  await following;
}

interface Connected {
  readonly attachment: Attachment;
  readonly pod: ServerPod;
  readonly run: ContainerRun;
  /** Its kubelet has not reported it. */
  readonly isUnreported: boolean;
  /** It was connected to this endpoint before, so it holds a session. */
  readonly isSameProcess: boolean;
}

/** Resolves once the attachment or the run of the container has ended. */
async function serve(
  { endpoint, log, onChange, target }: ConnectionOptions,
  { attachment, pod, run, isUnreported, isSameProcess }: Connected,
  signal: AbortSignal,
): Promise<void> {
  const over = new AbortController();
  const { stdin, stdout, stderr } = attachment;
  // What it says is for people: it has no part in the protocol.
  createInterface({ input: stderr }).on("line", (line) => {
    log.info({ source: "server" }, toOneLine(line.slice(0, MAX_LINE)));
  });
  // A message that was cut off when the last attachment was lost ends here, and is not the begin of the next one.
  if (isSameProcess) stdin.write("\n");
  endpoint.connect(
    { stdin, stdout, onStrayLine: (text) => log.info({ source: "server" }, toOneLine(text.slice(0, MAX_LINE))) },
    { resume: isSameProcess },
  );
  onChange({ isConnected: true, isUnreported, reason: "" });
  log.info({ pod: target.pod, resumed: isSameProcess }, "attached to the server");
  const reason = await Promise.race([
    attachment.closed,
    pod
      .until(() => !pod.isUp(run), AbortSignal.any([signal, over.signal]))
      .then(() => pod.reason || "another one took its place")
      .catch(() => "the proxy ends"),
  ]);
  over.abort();
  endpoint.disconnect(reason);
  attachment.close();
  onChange({ isConnected: false, reason });
  if (!signal.aborted) log.warn({ pod: target.pod, reason }, "server is gone");
}
