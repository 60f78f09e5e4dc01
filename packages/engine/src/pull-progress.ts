/** Turns an engine's per-layer pull messages into what a person wants to see: each layer, the sum, and the speed. */
import type { PullLayer, PullProgress } from "@toolhive/core";
import { toRecord } from "@toolhive/http/values";

/** Milliseconds over which the rate is taken. */
const RATE_WINDOW_MS = 3_000;
/** Milliseconds of data before a rate is shown; one from less jumps about. */
const RATE_AFTER_MS = 500;
/** Progress covers at most this many layers; an image has 127 at most, and each message is a sum over all. */
const MAX_LAYERS = 1_000;

interface PullMessage {
  readonly id: string | undefined;
  readonly status: string;
  readonly current: number;
  readonly total: number;
}

export class PullProgressMeter {
  readonly #layers = new Map<string, PullLayer>();
  readonly #now: () => number;
  /** Bytes that had arrived at a moment, oldest first. */
  #samples: { readonly at: number; readonly bytes: number }[] = [];

  /** @param now Milliseconds of a clock that never goes back. */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** @returns What to show, or `undefined` when the message changes nothing worth showing. */
  add(raw: unknown): PullProgress | undefined {
    const message = parsePullMessage(raw);
    if (!message?.id) return undefined;
    const known = this.#layers.get(message.id);
    const layer = updateLayer(known ?? createLayer(message.id), message);
    if (!layer || (!known && this.#layers.size >= MAX_LAYERS)) return undefined;
    this.#layers.set(message.id, layer);
    return this.#computeProgress();
  }

  #computeProgress(): PullProgress {
    const layers = [...this.#layers.values()];
    const current = sumBytes(layers.map(({ currentBytes }) => currentBytes));
    const total = sumBytes(layers.map(({ totalBytes }) => totalBytes));
    const done = layers.filter(({ state }) => state === "done" || state === "unpacking").length;
    const bytesPerSecond = this.#computeRate(current);
    const rate = bytesPerSecond === undefined ? "" : ` at ${formatMegabytes(bytesPerSecond)} MB/s`;
    const bytes = total > 0 ? `${formatMegabytes(current)} of ${formatMegabytes(total)} MB${rate}, ` : "";
    return {
      message: `${bytes}${done} of ${layers.length} layers`,
      layers,
      ...(bytesPerSecond !== undefined && { bytesPerSecond }),
    };
  }

  #computeRate(bytes: number): number | undefined {
    const at = this.#now();
    this.#samples.push({ at, bytes });
    while (this.#samples.length > 2 && at - (this.#samples[1]?.at ?? at) > RATE_WINDOW_MS) this.#samples.shift();
    const first = this.#samples[0];
    if (!first || at - first.at < RATE_AFTER_MS) return undefined;
    return Math.max(0, Math.round(((bytes - first.bytes) / (at - first.at)) * 1000));
  }
}

function createLayer(id: string): PullLayer {
  return { id, state: "waiting", currentBytes: 0, totalBytes: 0 };
}

/** @returns `undefined` for a message that is not about a layer, or adds nothing new. */
function updateLayer(layer: PullLayer, { status, current, total }: PullMessage): PullLayer | undefined {
  switch (status) {
    case "Pulling fs layer":
    case "Waiting":
      return layer;
    case "Downloading":
      return total > 0
        ? { ...layer, state: "downloading", currentBytes: Math.min(current, total), totalBytes: total }
        : undefined;
    case "Download complete":
    case "Verifying Checksum":
    case "Extracting":
      if (layer.state === "unpacking" || layer.state === "done") return undefined;
      return { ...layer, state: "unpacking", currentBytes: layer.totalBytes };
    case "Pull complete":
    case "Already exists":
      return { ...layer, state: "done", currentBytes: layer.totalBytes };
    default:
      return undefined;
  }
}

function sumBytes(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

function formatMegabytes(bytes: number): string {
  return (bytes / 1e6).toFixed(1);
}

function parsePullMessage(raw: unknown): PullMessage | undefined {
  if (typeof raw !== "object" || raw === null) return undefined;
  const { id, status, progressDetail } = raw as Record<string, unknown>;
  if (typeof status !== "string") return undefined;
  const detail = toRecord(progressDetail);
  return {
    id: typeof id === "string" ? id : undefined,
    status,
    current: typeof detail.current === "number" ? detail.current : 0,
    total: typeof detail.total === "number" ? detail.total : 0,
  };
}
