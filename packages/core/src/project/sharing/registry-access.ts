/** Work at the image registry of a project: its deadline, the user's sign-in, and errors that name the project. */
import { isLoopback } from "@toolhive/http";
import { findRegistryCredentials } from "../../image-registry/docker-credentials.ts";
import { RegistryFailure } from "../../image-registry/registry-failure.ts";
import { RepositoryClient } from "../../image-registry/repository-client.ts";
import { describeConnectionFailure } from "../../net/outgoing-request.ts";
import { ThvError } from "../../support/errors.ts";
import { startTimeout } from "../../support/timeout-signal.ts";
import { createUnsuitableError } from "./artifact.ts";
import type { SharedReference } from "./shared-reference.ts";

/** Some megabytes over a slow line. */
const TIMEOUT_MS = 120_000;

export interface RegistryAccess {
  /** Where the user's sign-ins are found, by the variables of the environment. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly signal: AbortSignal;
  /** For image registries of other machines. Default: Node's own. */
  readonly send?: typeof fetch;
}

/** @throws {ThvError} For everything that the registry does not do; an interruption stays what it is. */
export async function atRegistry<Result>(
  reference: SharedReference,
  actions: "pull" | "pull,push",
  { env, signal, send }: RegistryAccess,
  work: (client: RepositoryClient) => Promise<Result>,
): Promise<Result> {
  const { source } = reference;
  const timeout = startTimeout(TIMEOUT_MS);
  const client = new RepositoryClient(source, {
    signal: AbortSignal.any([signal, timeout]),
    actions,
    // No proxy leads to this machine.
    ...(send && !isLoopback(source.registry.replace(/:\d+$/, "")) && { send }),
    findCredentials: (registry) => findRegistryCredentials(registry, env),
  });
  try {
    return await work(client);
  } catch (error) {
    if (error instanceof ThvError || signal.aborted) throw error;
    throw explainFailure(reference, actions, error, timeout);
  }
}

function explainFailure(
  { text, source: { registry } }: SharedReference,
  actions: "pull" | "pull,push",
  error: unknown,
  timeout: AbortSignal,
): ThvError {
  const verb = actions === "pull" ? "read" : "written";
  const again = actions === "pull" ? "" : " The tag is as it was. What has arrived is not sent again by the next push.";
  if (error instanceof RegistryFailure && error.kind === "unsuitable")
    return createUnsuitableError(text, error.message, error);
  if (error instanceof RegistryFailure && error.kind === "refused") {
    const host = registry === "docker.io" ? "" : ` ${registry}`;
    return new ThvError("IMAGE_REGISTRY_REFUSED", `${text} cannot be ${verb}: ${error.message}.`, {
      hint: `Sign in as a user who may do that: docker login${host}. Or: podman login ${registry}`,
      cause: error,
    });
  }
  const reason = timeout.aborted
    ? `${registry} was not done within ${TIMEOUT_MS / 1000} s`
    : error instanceof RegistryFailure
      ? error.message
      : `${registry}: ${describeConnectionFailure(error instanceof TypeError ? (error.cause ?? error) : error)}`;
  const full =
    error instanceof RegistryFailure && error.kind === "full" ? ": it has no room, or you have none left" : "";
  return new ThvError("IMAGE_REGISTRY_UNREACHABLE", `${text} cannot be ${verb}: ${reason}${full}.`, {
    hint: `Check the connection and the name of the host, then try again.${again}`,
    cause: error,
  });
}
