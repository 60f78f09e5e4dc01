/** The conditions of an MCPServer, each with a reason and a message that names the next step. */
import { type MCPServer, nameObjects } from "../../../contract/index.ts";
import { findWeakness } from "../../../desired/index.ts";
import type { Observation } from "../../status/observation.ts";
import { describeAuthentication, describeWorkload } from "../../status/proxy-conditions.ts";
import { isFalse, isTrue, type Statement, type TypedStatement } from "../../status/statement.ts";

export function listServerConditions(observation: Observation<MCPServer>, proxy: Statement): TypedStatement[] {
  const server = describeServer(observation);
  return [
    { type: "Ready", ...describeAll(observation, server, proxy) },
    { type: "ServerReady", ...server },
    { type: "ProxyReady", ...proxy },
    { type: "ProfileEnforced", ...describeProfile(observation) },
    { type: "Authenticated", ...describeAuthentication(observation) },
  ];
}

function describeAll({ refusal, problems }: Observation<MCPServer>, server: Statement, proxy: Statement): Statement {
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

function describeServer(observation: Observation<MCPServer>): Statement {
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

function describeProfile(observation: Observation<MCPServer>): Statement {
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
