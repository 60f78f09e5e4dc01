/** The conditions of an MCPRemoteProxy. */
import { ASKED_AGAIN } from "@toolhive/core/asked-again";
import type { MCPRemoteProxy, RemoteReport } from "../../../contract/index.ts";
import type { Observation } from "../../status/observation.ts";
import { describeAuthentication } from "../../status/proxy-conditions.ts";
import { isFalse, isTrue, isUnknown, type Statement, type TypedStatement } from "../../status/statement.ts";

export function listRemoteProxyConditions(
  observation: Observation<MCPRemoteProxy>,
  proxy: Statement,
): TypedStatement[] {
  const remote = describeRemote(observation, proxy);
  const signIn = describeSignIn(observation, proxy);
  return [
    { type: "Ready", ...describeAll(observation, proxy, [signIn, remote]) },
    { type: "ProxyReady", ...proxy },
    { type: "RemoteReachable", ...remote },
    { type: "SignedIn", ...signIn },
    { type: "Authenticated", ...describeAuthentication(observation) },
  ];
}

/** A proxy that serves while a newer one cannot take its place is ready all the same. */
function describeAll({ refusal, problems }: Observation, proxy: Statement, parts: readonly Statement[]): Statement {
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

/** What is wrong, as one proxy that is not ready says. */
function findProblem({ remoteReports = [] }: Observation): RemoteReport["problem"] {
  return remoteReports.find(({ problem }) => problem)?.problem;
}

function describeRemote(observation: Observation<MCPRemoteProxy>, proxy: Statement): Statement {
  const { server, refusal } = observation;
  if (refusal) return isFalse(refusal.reason, refusal.message);
  const problem = findProblem(observation);
  if (problem?.reason === "RemoteUnreachable") {
    return isFalse(problem.reason, `${problem.message} ${ASKED_AGAIN} Check spec.remoteURL and the network.`);
  }
  if (problem) return isUnknown(problem.reason, "The proxy is not signed in; see the condition SignedIn.");
  if (proxy.status === "True") return isTrue("ToolsListed", `${readHost(server)} listed its tools through the proxy.`);
  return isUnknown(proxy.reason, "No proxy runs that could ask the server.");
}

function describeSignIn(observation: Observation<MCPRemoteProxy>, proxy: Statement): Statement {
  const { server, refusal, problems } = observation;
  if (refusal) return isFalse(refusal.reason, refusal.message);
  const { auth } = server.spec;
  const missing = problems.find(({ about }) => about === "remote");
  if (missing) return isFalse(missing.reason, missing.message);
  const problem = findProblem(observation);
  if (problem?.reason === "SignInRefused") {
    const next = auth
      ? "Correct the Secret that spec.auth names; the proxy starts again by itself."
      : "Set spec.auth, with a Secret that holds what the server asks for.";
    return isFalse(problem.reason, `${problem.message} ${next}`);
  }
  if (problem?.reason === "TokensUnavailable") {
    return isFalse(
      problem.reason,
      `${problem.message} It is tried again by itself; check spec.auth.clientCredentials.`,
    );
  }
  if (problem || proxy.status !== "True")
    return isUnknown(problem?.reason ?? proxy.reason, "The server was not asked.");
  return auth
    ? isTrue("SignedIn", `The server takes what the proxy signs in with (spec.auth.type ${auth.type ?? "bearer"}).`)
    : isTrue("NotNeeded", "The server asks for no sign-in.");
}

function readHost({ spec: { remoteURL } }: MCPRemoteProxy): string {
  return URL.canParse(remoteURL) ? new URL(remoteURL).host : "The server";
}
