/** The conditions of an MCPRemoteProxy that are about the server elsewhere. */
import { ASKED_AGAIN } from "@toolhive/core/asked-again";
import type { Condition, RemoteReport } from "../../contract/index.ts";
import type { Observation } from "./server-status.ts";

/** Without what the API adds to it. */
export type Statement = Pick<Condition, "status" | "reason" | "message">;

export const isTrue = (reason: string, message: string): Statement => ({ status: "True", reason, message });
export const isFalse = (reason: string, message: string): Statement => ({ status: "False", reason, message });
export const isUnknown = (reason: string, message: string): Statement => ({ status: "Unknown", reason, message });

/** What is wrong, as one proxy that is not ready says. */
function findProblem({ remoteReports = [] }: Observation): RemoteReport["problem"] {
  return remoteReports.find(({ problem }) => problem)?.problem;
}

export function describeRemote(observation: Observation, proxy: Statement): Statement {
  const { server, refusal } = observation;
  if (refusal) return isFalse(refusal.reason, refusal.message);
  const problem = findProblem(observation);
  if (problem?.reason === "RemoteUnreachable") {
    return isFalse(problem.reason, `${problem.message} ${ASKED_AGAIN} Check spec.remoteURL and the network.`);
  }
  if (problem) return isUnknown(problem.reason, "The proxy is not signed in; see the condition SignedIn.");
  if (proxy.status === "True") return isTrue("ToolsListed", `${hostOf(server)} listed its tools through the proxy.`);
  return isUnknown(proxy.reason, "No proxy runs that could ask the server.");
}

export function describeSignIn(observation: Observation, proxy: Statement): Statement {
  const { server, refusal, problems } = observation;
  if (refusal) return isFalse(refusal.reason, refusal.message);
  const { auth } = server.remote ?? {};
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

function hostOf({ remote }: Observation["server"]): string {
  return URL.canParse(remote?.remoteURL ?? "") ? new URL(remote?.remoteURL ?? "").host : "The server";
}
