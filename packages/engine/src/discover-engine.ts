/** Finds a container engine that answers. */
import { ThvError } from "@toolhive/core";
import { DockerEngine } from "./docker-engine.ts";
import { formatAddress, listEngineCandidates } from "./engine-address.ts";

/** Milliseconds one candidate has to answer; a Windows pipe or a stuck daemon would otherwise hold up the rest. */
const ANSWER_TIMEOUT_MS = 2_000;

interface DiscoverOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly home: string;
  readonly platform?: NodeJS.Platform;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Connects to the first engine that answers.
 *
 * @throws {ThvError} `ENGINE_UNREACHABLE` naming everything that was tried; `ENGINE_PERMISSION` when a socket is there
 * and may not be used; `INVALID_ARGUMENT` for a malformed `DOCKER_HOST`.
 */
export async function discoverEngine({
  env,
  home,
  platform = process.platform,
  signal,
}: DiscoverOptions): Promise<DockerEngine> {
  const candidates = listEngineCandidates({ env, home, platform });
  let denied: ThvError | undefined;
  const tried: string[] = [];
  for (const { address, origin, explicit } of candidates) {
    const timeout = AbortSignal.timeout(ANSWER_TIMEOUT_MS);
    try {
      return await DockerEngine.connect(address, { signal: signal ? AbortSignal.any([signal, timeout]) : timeout });
    } catch (error) {
      signal?.throwIfAborted();
      if (error instanceof ThvError && error.code === "ENGINE_PERMISSION") denied ??= error;
      tried.push(`${formatAddress(address)} (${origin})`);
      if (explicit) throw explicitFailure(origin, formatAddress(address), error);
    }
  }
  if (denied) throw denied;
  throw new ThvError("ENGINE_UNREACHABLE", `No container engine answers. Tried ${tried.join(", ")}.`, {
    hint: "Install or start Docker, Podman or Rancher Desktop; if its socket is elsewhere, set DOCKER_HOST=unix:///path/to.sock",
  });
}

function explicitFailure(origin: string, where: string, cause: unknown): ThvError {
  if (cause instanceof ThvError && cause.code === "ENGINE_PERMISSION") return cause;
  return new ThvError("ENGINE_UNREACHABLE", `The container engine at ${where}, named by ${origin}, does not answer.`, {
    hint: `Start that engine, or unset ${origin} to search the usual places.`,
    cause,
  });
}
