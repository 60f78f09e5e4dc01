/** Finds a container engine that answers. */
import { hasCode, ThvError } from "@toolhive/core";
import { startTimeout } from "@toolhive/core/timeout-signal";
import { formatAddress } from "../connection/engine-address.ts";
import { DockerEngine } from "../docker-engine.ts";
import { type DiscoveryInput, type EngineCandidate, isUsable, type Place } from "./candidate.ts";
import { listPlaces } from "./list-places.ts";
import { describeStart, findStoppedEngine } from "./stopped-engine.ts";

export interface DiscoverDeadlines {
  /** Milliseconds one place has at first: a Windows pipe or a stuck daemon would otherwise hold up the rest. */
  readonly firstMs: number;
  /** Milliseconds of one that was named, or that accepted and said nothing while no other answered: it may be overloaded. */
  readonly patientMs: number;
}

const DEFAULT_DEADLINES: DiscoverDeadlines = { firstMs: 2_000, patientMs: 15_000 };

interface DiscoverOptions extends Omit<DiscoveryInput, "platform"> {
  readonly platform?: NodeJS.Platform;
  readonly signal?: AbortSignal | undefined;
  readonly deadlines?: DiscoverDeadlines;
  /** The places to search, for a caller that has listed them already. Default: `listPlaces`. */
  readonly places?: readonly Place[];
  /** Starts an engine that is installed and does not serve; `undefined` when there is none to start. */
  readonly startEngine?: ((signal: AbortSignal | undefined) => Promise<Place | undefined>) | undefined;
}

/**
 * Connects to the first engine that answers; when none does, to one that it starts.
 *
 * @throws {ThvError} `ENGINE_UNREACHABLE` naming everything that was tried; `ENGINE_PERMISSION` when a socket exists and may not
 * be used; `INVALID_ARGUMENT` for a named engine whose address or files cannot be used.
 */
export async function discoverEngine({
  platform = process.platform,
  signal,
  deadlines = DEFAULT_DEADLINES,
  places,
  startEngine,
  ...input
}: DiscoverOptions): Promise<DockerEngine> {
  let denied: ThvError | undefined;
  const tried: string[] = [];
  const silent: EngineCandidate[] = [];
  for (const place of places ?? (await listPlaces({ ...input, platform }))) {
    if (!isUsable(place)) {
      tried.push(`${place.origin} (${place.problem})`);
      continue;
    }
    const timeout = startTimeout(place.explicit ? deadlines.patientMs : deadlines.firstMs);
    try {
      return await connect(place, timeout, signal);
    } catch (error) {
      signal?.throwIfAborted();
      if (hasCode(error, "ENGINE_PERMISSION")) denied ??= error;
      tried.push(`${formatAddress(place.address)} (${place.origin})`);
      if (place.explicit) throw createExplicitFailure(place, error);
      if (timeout.aborted) silent.push(place);
    }
  }
  const engine = await connectFirst(silent, deadlines.patientMs, signal);
  if (engine) return engine;
  const started = await startEngine?.(signal);
  if (started !== undefined) {
    if (isUsable(started)) return await connect(started, startTimeout(deadlines.patientMs), signal);
    tried.push(`${started.origin} (${started.problem})`);
  }
  if (denied) throw denied;
  const stopped = await findStoppedEngine({ env: input.env, platform });
  throw new ThvError("ENGINE_UNREACHABLE", `No container engine answers. Tried ${tried.join(", ")}.`, {
    hint: stopped
      ? describeStart(stopped)
      : "Install or start Docker, Podman or Rancher Desktop; if it listens elsewhere: thv config set-engine unix:///path/to.sock",
  });
}

/** @returns `undefined` when none of them answers. */
async function connectFirst(
  candidates: readonly EngineCandidate[],
  patientMs: number,
  signal: AbortSignal | undefined,
): Promise<DockerEngine | undefined> {
  const found = new AbortController();
  const enough = AbortSignal.any([found.signal, startTimeout(patientMs)]);
  try {
    return await Promise.any(candidates.map((candidate) => connect(candidate, enough, signal)));
  } catch {
    // All have failed, each in a way that was seen before.
    signal?.throwIfAborted();
    return undefined;
  } finally {
    found.abort();
  }
}

async function connect(
  { address, origin }: EngineCandidate,
  timeout: AbortSignal,
  signal: AbortSignal | undefined,
): Promise<DockerEngine> {
  const limited = signal ? AbortSignal.any([signal, timeout]) : timeout;
  return await DockerEngine.connect(address, { origin, signal: limited });
}

/** A problem of a certificate, an ssh connection or a permission is more useful than the message that there is no answer. */
function createExplicitFailure({ origin, address }: EngineCandidate, cause: unknown): ThvError {
  if (hasCode(cause, "ENGINE_PERMISSION", "INVALID_ARGUMENT")) return cause;
  const where = formatAddress(address);
  const isPlain = address.kind === "socket" || (address.kind === "tcp" && !address.tls);
  if (!isPlain && cause instanceof ThvError) {
    return new ThvError(cause.code, `${cause.message} (${origin})`, { hint: cause.hint, cause });
  }
  return new ThvError("ENGINE_UNREACHABLE", `The container engine at ${where}, named by ${origin}, does not answer.`, {
    hint: `Start that engine, or ${describeRemoval(origin)} to search the usual places.`,
    cause,
  });
}

function describeRemoval(origin: string): string {
  return origin.startsWith("thv ") ? "run thv config set-engine auto" : `unset ${origin.replace(/=.*/, "")}`;
}
