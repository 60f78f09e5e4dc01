/** Finds a container engine that answers. */
import { hasCode, ThvError } from "@toolhive/core";
import { DockerEngine } from "./docker-engine.ts";
import { type EngineAddress, formatAddress, listEngineCandidates } from "./engine-address.ts";

export interface DiscoverDeadlines {
  /** Milliseconds one place has at first: a Windows pipe or a stuck daemon would otherwise hold up the rest. */
  readonly firstMs: number;
  /** Milliseconds of one that was named, or that accepted and said nothing while no other answered: it may be overloaded. */
  readonly patientMs: number;
}

const DEFAULT_DEADLINES: DiscoverDeadlines = { firstMs: 2_000, patientMs: 15_000 };

interface DiscoverOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly home: string;
  readonly platform?: NodeJS.Platform;
  readonly signal?: AbortSignal | undefined;
  readonly deadlines?: DiscoverDeadlines;
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
  deadlines = DEFAULT_DEADLINES,
}: DiscoverOptions): Promise<DockerEngine> {
  const candidates = listEngineCandidates({ env, home, platform });
  let denied: ThvError | undefined;
  const tried: string[] = [];
  const silent: EngineAddress[] = [];
  for (const { address, origin, explicit } of candidates) {
    const timeout = AbortSignal.timeout(explicit ? deadlines.patientMs : deadlines.firstMs);
    try {
      return await connect(address, timeout, signal);
    } catch (error) {
      signal?.throwIfAborted();
      if (hasCode(error, "ENGINE_PERMISSION")) denied ??= error;
      tried.push(`${formatAddress(address)} (${origin})`);
      if (explicit) throw createExplicitFailure(origin, formatAddress(address), error);
      if (timeout.aborted) silent.push(address);
    }
  }
  const engine = await connectFirst(silent, deadlines.patientMs, signal);
  if (engine) return engine;
  if (denied) throw denied;
  throw new ThvError("ENGINE_UNREACHABLE", `No container engine answers. Tried ${tried.join(", ")}.`, {
    hint: "Install or start Docker, Podman or Rancher Desktop; if its socket is elsewhere, set DOCKER_HOST=unix:///path/to.sock",
  });
}

/** @returns `undefined` when none of them answers. */
async function connectFirst(
  addresses: readonly EngineAddress[],
  patientMs: number,
  signal: AbortSignal | undefined,
): Promise<DockerEngine | undefined> {
  const found = new AbortController();
  const enough = AbortSignal.any([found.signal, AbortSignal.timeout(patientMs)]);
  try {
    return await Promise.any(addresses.map((address) => connect(address, enough, signal)));
  } catch {
    // All have failed, each in a way that was seen before.
    signal?.throwIfAborted();
    return undefined;
  } finally {
    found.abort();
  }
}

async function connect(
  address: EngineAddress,
  timeout: AbortSignal,
  signal: AbortSignal | undefined,
): Promise<DockerEngine> {
  return await DockerEngine.connect(address, { signal: signal ? AbortSignal.any([signal, timeout]) : timeout });
}

function createExplicitFailure(origin: string, where: string, cause: unknown): ThvError {
  if (hasCode(cause, "ENGINE_PERMISSION")) return cause;
  return new ThvError("ENGINE_UNREACHABLE", `The container engine at ${where}, named by ${origin}, does not answer.`, {
    hint: `Start that engine, or unset ${origin} to search the usual places.`,
    cause,
  });
}
