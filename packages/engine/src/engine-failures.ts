/** What calls that failed become: the errors of the domain's port, with the engine's own words. */
import { describeError, readSystemCode, ThvError } from "@toolhive/core";
import { EngineStatusError } from "./connection/engine-http.ts";

/** A name without a path or a tag is more often a server's, mistyped, than an image's. */
const BARE_NAME = /^[\w.-]+$/;

/** Words of Docker, Podman and the network underneath them for a registry that did not answer at all. */
const NO_ANSWER =
  /no such host|server misbehaving|name resolution|connection refused|connection reset|unreachable|no route to host|timeout|timed out|deadline exceeded|awaiting headers|x509:|certificate/i;
/** Words of a registry that has answered. */
const ANSWERED =
  /manifest unknown|manifest for|access (?:to the resource )?is? ?denied|unauthorized|repository does not exist/i;

/** Words of the system that the engine runs on. */
const NO_SPACE = /no space left on device|disk quota exceeded/i;
const FREE_SPACE =
  "Free space where the engine keeps its images, for example with docker system prune or podman system prune, and try again.";

/**
 * Why an image could not be pulled: its registry does not have it, the registry could not be asked, or there is no room for it.
 */
export function createPullError(reference: string, reason: string): ThvError {
  if (NO_SPACE.test(reason)) {
    const message = `The container engine has no space for the image "${reference}": ${reason.trim()}`;
    return new ThvError("ENGINE_FAILED", message, { hint: FREE_SPACE });
  }
  if (!NO_ANSWER.test(reason) || ANSWERED.test(reason)) return createImageNotFoundError(reference, reason);
  return new ThvError(
    "IMAGE_REGISTRY_UNREACHABLE",
    `The image registry of "${reference}" cannot be reached: ${reason.trim()}`,
    { hint: "Check the connection and the proxy of your engine, or pull the image where there is one." },
  );
}

export function createImageNotFoundError(reference: string, reason: string): ThvError {
  return new ThvError("IMAGE_NOT_FOUND", `The image "${reference}" cannot be pulled: ${reason.trim()}`, {
    hint: BARE_NAME.test(reference)
      ? `Look for a server: thv search ${reference}. A package is written npx://${reference} or uvx://${reference}. For an image, check its name, or pull it beforehand.`
      : "Check the name and the tag, sign in to its image registry (docker login), or pull it beforehand.",
  });
}

export function createNameTakenError(name: string): ThvError {
  return new ThvError("CONTAINER_NAME_TAKEN", `A container named "${name}" exists and was not created by thv.`, {
    hint: "Choose another name with --name. The existing container was not changed.",
  });
}

export function createEngineError(error: unknown): Error {
  if (error instanceof ThvError) return error;
  if (readSystemCode(error) === "ECONNRESET") {
    return new ThvError("ENGINE_UNREACHABLE", "The container engine went away in the middle of its answer.", {
      hint: "Start it again; workloads come back by themselves.",
      cause: error,
    });
  }
  const reason = describeError(error);
  const hint = NO_SPACE.test(reason) ? { hint: FREE_SPACE } : {};
  return new ThvError("ENGINE_FAILED", `The container engine refused: ${reason}`, { ...hint, cause: error });
}

/** What a call that failed throws: the port's errors, or the reason for which the caller gave up. */
export function translate(error: unknown): unknown {
  const isAbort = error instanceof DOMException || (error instanceof Error && error.name === "AbortError");
  return isAbort ? error : createEngineError(error);
}

export async function withTranslatedErrors<T>(call: Promise<T>): Promise<T> {
  try {
    return await call;
  } catch (error) {
    throw translate(error);
  }
}

export async function ignoreAbsent<T>(call: Promise<T>): Promise<T | undefined> {
  try {
    return await call;
  } catch (error) {
    if (error instanceof EngineStatusError && isAbsent(error)) return undefined;
    throw translate(error);
  }
}

/**
 * 304: a stop of a stopped container. Podman answers 500 for a container that is removed while it is inspected. Docker takes a
 * name that no container has for the beginning of an id, and refuses it (400, before 23.0 500) when several begin with it.
 */
function isAbsent({ status, message }: EngineStatusError): boolean {
  if (status === 404 || status === 304) return true;
  return (status === 500 || status === 400) && /no such container|multiple ids found/i.test(message);
}
