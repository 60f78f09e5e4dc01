/** Conditions that every kind has: they are about the proxy, and about who may call it. */
import { nameObjects, readGroupName } from "../../contract/index.ts";
import { readSpec } from "../../desired/index.ts";
import type { Observation, WorkloadSummary } from "./observation.ts";
import type { PodSummary } from "./pod-summary.ts";
import { isFalse, isTrue, type Statement } from "./statement.ts";

export function describeProxy({ server, refusal, deployment, proxyPods, hasLateTools }: Observation): Statement {
  if (refusal) return isFalse(refusal.reason, refusal.message);
  const { namespace } = server.metadata;
  const proxy = describeWorkload(deployment, proxyPods, {
    what: "proxy",
    object: `deployment ${nameObjects(server).deployment}`,
    namespace,
    missing: undefined,
    member: readSpec(server).replicasMember,
  });
  if (!hasLateTools || proxy.reason !== "Running") return proxy;
  return isTrue(
    "Updating",
    "A proxy still shows the tools of an earlier choice. The kubelet brings the new one, within seconds as a rule, and within two minutes otherwise.",
  );
}

export function describeWorkload(
  workload: WorkloadSummary | undefined,
  pods: readonly PodSummary[],
  {
    what,
    object,
    namespace,
    missing,
    member,
  }: {
    readonly what: "server" | "proxy";
    readonly object: string;
    readonly namespace: string;
    /** Of the specification, that says how many there are. */
    readonly member: string;
    readonly missing: Pick<Statement, "reason" | "message"> | undefined;
  },
): Statement {
  const begins = what === "server" ? "The server's pods" : "The proxy's pods";
  if (workload === undefined) return isFalse("Starting", `${begins} are being made.`);
  const { want, ready, updated, total, isObserved, failure } = workload;
  if (want === 0) {
    return isFalse("ScaledToZero", `${member} is 0. Set it to 1 or more.`);
  }
  if (ready > 0) {
    return isObserved && updated >= want && total === updated && ready >= want
      ? isTrue("Running", `${begins} are ready.`)
      : isTrue("Updating", `${begins} are being replaced; some of them are ready.`);
  }
  if (missing) return isFalse(missing.reason, missing.message);
  const problem = pods.find((pod) => !pod.isEnding && pod.problem)?.problem;
  if (problem) return isFalse(problem.reason, problem.message);
  if (failure) {
    return isFalse(
      "PodsForbidden",
      `${begins} cannot be made: ${failure} Raise the quota, or change what forbids them; see kubectl describe ${object} -n ${namespace}.`,
    );
  }
  const exit = pods.find((pod) => !pod.isEnding && pod.exit)?.exit;
  if (exit !== undefined) return isFalse("Starting", exit);
  return isFalse(
    "Starting",
    `${begins} are not ready yet. If this lasts, see kubectl describe ${object} -n ${namespace}, and kubectl logs ${object} -n ${namespace}.`,
  );
}

export function describeAuthentication({ server, problems, proxyPods }: Observation): Statement {
  const { oidcConfig } = server.spec;
  if (oidcConfig === undefined) {
    return isFalse(
      "NoAuthentication",
      "Everybody who reaches the proxy is served. Set spec.oidcConfig to ask for tokens.",
    );
  }
  const problem = problems.find(({ about }) => about === "authentication");
  if (problem) return isFalse(problem.reason, problem.message);
  const failure = proxyPods.find(({ isEnding, startFailure }) => !isEnding && startFailure)?.startFailure;
  if (failure) return isFalse(failure.reason, failure.message);
  return isTrue("TokensRequired", `Callers need a token (spec.oidcConfig.type ${oidcConfig.type ?? "kubernetes"}).`);
}

/** @param joined Whether the group that a server names exists, and why the server does not join it. */
export function describeJoining(
  { server }: Pick<Observation, "server">,
  joined: { readonly isThere: boolean; readonly refusal?: string | undefined },
): Statement {
  const group = readGroupName(server.spec.groupRef);
  const { namespace } = server.metadata;
  if (!joined.isThere) {
    return isFalse(
      "GroupMissing",
      `The MCPGroup "${group}" does not exist in namespace ${namespace}. Create it, or take spec.groupRef out.`,
    );
  }
  return joined.refusal === undefined
    ? isTrue("Joined", `The server belongs to the MCPGroup "${group}".`)
    : isFalse("NotJoined", `The MCPGroup "${group}" does not have the server: ${joined.refusal}.`);
}
