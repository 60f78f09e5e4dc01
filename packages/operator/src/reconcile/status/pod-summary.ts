/** What a pod says about its server or proxy, as far as a status needs it. */
import { shorten } from "@toolhive/http/values";
import {
  type JsonObject,
  PROXY_CONTAINER,
  SIDECAR_CONTAINER,
  START_FAILURES,
  type StartFailure,
} from "../../contract/index.ts";

/** Words of the kubelet and the scheduler that mean that nothing changes by waiting alone. */
const NEXT_STEPS: Readonly<Record<string, string>> = {
  ImagePullBackOff: "Check the name of the image, and that the node may pull it (imagePullSecrets in podTemplateSpec)",
  ErrImageNeverPull: "Load the image on the node, or let it be pulled (imagePullPolicy in podTemplateSpec)",
  InvalidImageName: "Correct the name of the image",
  CreateContainerConfigError: "Create what is missing, or correct its name",
  CreateContainerError: "Correct the specification of the container",
  RunContainerError: "Correct the command and the specification of the container",
  CrashLoopBackOff: "See why in its log",
  Unschedulable: "Add a node that fits, or ask for less in podTemplateSpec",
};
/** Characters of a message that is passed on. */
const MAX_MESSAGE = 400;

export interface PodSummary {
  readonly isReady: boolean;
  readonly isEnding: boolean;
  /** IPv4 or IPv6; `undefined` until it has one. */
  readonly address?: string | undefined;
  /** Whether the container that enforces the permission profile has started. */
  readonly hasSidecar: boolean;
  /** Why it does not run, and what to do. */
  readonly problem?: { readonly reason: string; readonly message: string } | undefined;
  /** How its container ended last, and where its log is, while it is started again. */
  readonly exit?: string | undefined;
  /** What a proxy said about its issuer when it could not start. */
  readonly startFailure?: { readonly reason: StartFailure; readonly message: string } | undefined;
}

export function summarizePod({ metadata, status = {} }: JsonObject): PodSummary {
  const conditions: JsonObject[] = status.conditions ?? [];
  const initial: JsonObject[] = status.initContainerStatuses ?? [];
  const startFailure = findStartFailure(status.containerStatuses ?? []);
  return {
    isReady: conditions.some(({ type, status: is }) => type === "Ready" && is === "True"),
    isEnding: metadata.deletionTimestamp !== undefined,
    ...(status.podIP && { address: String(status.podIP) }),
    hasSidecar: initial.some(({ name, started }) => name === SIDECAR_CONTAINER && started === true),
    problem: findProblem(metadata, conditions, [...initial, ...(status.containerStatuses ?? [])]),
    exit: findExit(metadata, status.containerStatuses ?? []),
    ...(startFailure && { startFailure }),
  };
}

function findStartFailure(containers: readonly JsonObject[]): PodSummary["startFailure"] {
  const proxy = containers.find(({ name }) => name === PROXY_CONTAINER);
  if (proxy === undefined || proxy.ready) return undefined;
  const said = String((proxy.state?.terminated ?? proxy.lastState?.terminated)?.message ?? "");
  const reason = START_FAILURES.find((failure) => said.startsWith(`${failure}: `));
  return reason && { reason, message: formatMessage(said.slice(reason.length + 2)) };
}

function findProblem(
  { name, namespace }: JsonObject,
  conditions: readonly JsonObject[],
  containers: readonly JsonObject[],
): PodSummary["problem"] {
  for (const { name: container, image, state = {}, lastState = {}, restartCount = 0 } of containers) {
    const { reason, message = "" } = unifyPull(state.waiting ?? {});
    const next = Object.hasOwn(NEXT_STEPS, reason) ? NEXT_STEPS[reason] : undefined;
    if (next === undefined) continue;
    const ended = lastState.terminated;
    const isCrash = reason === "CrashLoopBackOff";
    const why =
      isCrash && ended
        ? `${describeEnd(ended)} and was started ${restartCount} times${ended.message ? `: ${ended.message}` : ""}`
        : `waits: ${reason}${message ? `: ${message}` : ""}`;
    const log = isCrash ? `: kubectl logs -n ${namespace} ${name} -c ${container} --previous` : "";
    return {
      reason,
      message: `Container "${container}" of pod ${name} (image ${image}) ${formatMessage(why).replace(/\.$/, "")}. ${next}${log}.`,
    };
  }
  const unscheduled = conditions.find(({ type, status }) => type === "PodScheduled" && status === "False");
  if (unscheduled?.reason === "Unschedulable") {
    return {
      reason: "Unschedulable",
      message: `Pod ${name} fits on no node: ${formatMessage(String(unscheduled.message ?? ""))} ${NEXT_STEPS.Unschedulable}.`,
    };
  }
  return undefined;
}

/** A container that ends at once is started a few times before the kubelet calls it `CrashLoopBackOff`. */
function findExit({ name, namespace }: JsonObject, containers: readonly JsonObject[]): string | undefined {
  for (const { name: container, ready, state = {}, lastState = {} } of containers) {
    const ended = state.terminated ?? lastState.terminated;
    if (ready || !ended) continue;
    const last = ended.message ? ` Its last lines: ${formatMessage(String(ended.message)).replace(/\.$/, "")}.` : "";
    const log = `kubectl logs -n ${namespace} ${name} -c ${container}`;
    return `Container "${container}" of pod ${name} ${describeEnd(ended)} and is started again.${last} See why in its log: ${log}.`;
  }
  return undefined;
}

/** @returns "ended with", the kubelet's word and the exit code. */
function describeEnd({ reason, exitCode }: JsonObject): string {
  return `ended with ${reason ?? "Error"} (exit code ${exitCode})`;
}

/** The kubelet says by turns that it tries and that it waits: that is one state. */
function unifyPull({ reason, message = "" }: JsonObject): JsonObject {
  if (reason !== "ErrImagePull" && reason !== "ImagePullBackOff") return { reason, message };
  return {
    reason: "ImagePullBackOff",
    message: message.replace(/^Back-off pulling image "[^"]*": ErrImagePull: /, ""),
  };
}

function formatMessage(text: string): string {
  return shorten(text.replaceAll(/\s+/g, " ").trim(), MAX_MESSAGE);
}
