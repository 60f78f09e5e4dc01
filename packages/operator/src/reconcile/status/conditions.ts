/** The conditions of an MCPServer or an MCPRemoteProxy, each with a reason and a message that names the next step. */
import { type ConditionType, JOINING_CONDITION_TYPE, nameObjects } from "../../contract/index.ts";
import { findWeakness } from "../../desired/index.ts";
import { describeJoining, describeServers } from "./group-conditions.ts";
import type { PodSummary } from "./pod-summary.ts";
import { describeRemote, describeSignIn, isFalse, isTrue, type Statement } from "./remote-conditions.ts";
import type { Observation, WorkloadSummary } from "./server-status.ts";

type TypedStatement = Statement & { readonly type: ConditionType };

export function listConditions(observation: Observation): TypedStatement[] {
  const { joined } = observation;
  const own = listOwnConditions(observation);
  return joined === undefined
    ? own
    : [...own, { type: JOINING_CONDITION_TYPE, ...describeJoining(observation, joined) }];
}

function listOwnConditions(observation: Observation): TypedStatement[] {
  const proxy = describeProxy(observation);
  if (observation.server.remote !== undefined) {
    const remote = describeRemote(observation, proxy);
    const signIn = describeSignIn(observation, proxy);
    return [
      { type: "Ready", ...describeRemoteAll(observation, proxy, [signIn, remote]) },
      { type: "ProxyReady", ...proxy },
      { type: "RemoteReachable", ...remote },
      { type: "SignedIn", ...signIn },
      { type: "Authenticated", ...describeAuthentication(observation) },
    ];
  }
  if (observation.server.group !== undefined) {
    return [
      { type: "Ready", ...describeEndpoint(observation, proxy) },
      { type: "ProxyReady", ...proxy },
      { type: "ServersReady", ...describeServers(observation, proxy) },
      { type: "Authenticated", ...describeAuthentication(observation) },
    ];
  }
  const server = describeServer(observation);
  return [
    { type: "Ready", ...describeAll(observation, server, proxy) },
    { type: "ServerReady", ...server },
    { type: "ProxyReady", ...proxy },
    { type: "ProfileEnforced", ...describeProfile(observation) },
    { type: "Authenticated", ...describeAuthentication(observation) },
  ];
}

function describeAll({ refusal, problems }: Observation, server: Statement, proxy: Statement): Statement {
  if (refusal) return isFalse(refusal.reason, refusal.message);
  const [problem] = problems;
  if (problem && (problem.about !== "variables" || server.status !== "True")) {
    return isFalse(problem.reason, problem.message);
  }
  if (server.reason === "Asleep" && proxy.status === "True") {
    return isTrue("Asleep", "The server is stopped while nobody calls. The next call starts it.");
  }
  if (server.status !== "True") return server;
  if (proxy.status !== "True") return proxy;
  const isSettled = server.reason === "Running" && proxy.reason === "Running";
  return isSettled
    ? isTrue("Running", "The server listed its tools through the proxy.")
    : isTrue("Updating", "The server is served while its pods are replaced.");
}

/** A proxy that serves while a newer one cannot take its place is ready all the same. */
function describeRemoteAll(
  { refusal, problems }: Observation,
  proxy: Statement,
  parts: readonly Statement[],
): Statement {
  if (refusal) return isFalse(refusal.reason, refusal.message);
  const [problem] = problems;
  if (problem) return isFalse(problem.reason, problem.message);
  if (proxy.status === "True") {
    return proxy.reason === "Running"
      ? isTrue("Running", "The server listed its tools through the proxy.")
      : isTrue("Updating", "The server is served while the proxy's pods are replaced.");
  }
  return parts.find(({ status }) => status === "False") ?? proxy;
}

/** A group is ready without its servers: one of them that is down must not take the others with it. */
function describeEndpoint({ refusal, problems }: Observation, proxy: Statement): Statement {
  if (refusal) return isFalse(refusal.reason, refusal.message);
  const [problem] = problems;
  if (problem) return isFalse(problem.reason, problem.message);
  if (proxy.status !== "True") return proxy;
  return proxy.reason === "Running"
    ? isTrue("Running", "The group's endpoint answers.")
    : isTrue("Updating", "The group is served while its endpoint is replaced.");
}

function describeServer(observation: Observation): Statement {
  const { server, refusal, problems, isAsleep, statefulSet, serverPods } = observation;
  if (refusal) return isFalse(refusal.reason, refusal.message);
  if (isAsleep) {
    const { after } = server.spec.idle ?? {};
    return isFalse("Asleep", `Nobody called for ${after} (spec.idle.after). The next call starts the server's pods.`);
  }
  const missing = problems.find(({ about }) => about === "variables");
  const { namespace } = server.metadata;
  return describeWorkload(statefulSet, serverPods, {
    what: "server",
    object: `statefulset ${nameObjects(server).statefulSet}`,
    namespace,
    missing,
    member: "spec.replicas",
  });
}

function describeProxy({ server, refusal, deployment, proxyPods }: Observation): Statement {
  if (refusal) return isFalse(refusal.reason, refusal.message);
  const { namespace } = server.metadata;
  return describeWorkload(deployment, proxyPods, {
    what: "proxy",
    object: `deployment ${nameObjects(server).deployment}`,
    namespace,
    missing: undefined,
    member: server.remote ? "spec.replicas" : "spec.proxyReplicas",
  });
}

function describeWorkload(
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
  return isFalse(
    "Starting",
    `${begins} are not ready yet. If this lasts, see kubectl describe ${object} -n ${namespace}, and kubectl logs ${object} -n ${namespace}.`,
  );
}

function describeProfile(observation: Observation): Statement {
  const { server, problems, sidecarRefusal, serverPods } = observation;
  if (server.spec.permissionProfile === undefined) {
    return isFalse("NoProfile", "The server may reach everything. Set spec.permissionProfile to limit it.");
  }
  const problem = problems.find(({ about }) => about === "profile");
  if (problem) return isFalse(problem.reason, problem.message);
  if (sidecarRefusal !== undefined) {
    return isFalse(
      "NetworkPolicyOnly",
      `Only the NetworkPolicy limits the server, which knows no names of hosts and needs a network plug-in that enforces it: ${sidecarRefusal}`,
    );
  }
  const weakness = findWeakness(server);
  if (weakness !== undefined) return isFalse("CanBeUndone", weakness);
  if (observation.isAsleep) {
    return isFalse("Asleep", "The server has no pods. The sidecar sets its rules again before the server starts.");
  }
  const running = serverPods.filter(({ isEnding }) => !isEnding);
  const failure = running.find(({ hasSidecar, problem }) => !hasSidecar && problem)?.problem;
  if (failure !== undefined) return isFalse(failure.reason, failure.message);
  return running.length > 0 && running.every(({ hasSidecar }) => hasSidecar)
    ? isTrue(
        "Enforced",
        "The sidecar's rules are in force in every pod of the server, and a NetworkPolicy beside them.",
      )
    : isFalse("Starting", "The sidecar has not set its rules yet; the server starts after that.");
}

function describeAuthentication({ server, problems, proxyPods }: Observation): Statement {
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
