/** Turns an engine's per-layer pull messages into one line for a person. */

interface Layer {
  current: number;
  total: number;
  done: boolean;
}

interface PullMessage {
  readonly id: string | undefined;
  readonly status: string;
  readonly current: number;
  readonly total: number;
}

export class PullProgressMeter {
  readonly #layers = new Map<string, Layer>();

  /** @returns The line to show, or `undefined` when the message changes nothing worth showing. */
  add(raw: unknown): string | undefined {
    const message = parsePullMessage(raw);
    if (!message?.id) return undefined;
    const layer = this.#layers.get(message.id) ?? { current: 0, total: 0, done: false };
    if (/^(Pulling fs layer|Waiting)$/.test(message.status)) this.#layers.set(message.id, layer);
    else if (message.status === "Downloading" && message.total > 0) {
      this.#layers.set(message.id, { current: message.current, total: message.total, done: false });
    } else if (/^(Download complete|Pull complete|Already exists)$/.test(message.status)) {
      this.#layers.set(message.id, { ...layer, current: layer.total, done: true });
    } else return undefined;
    return this.#line();
  }

  #line(): string {
    const layers = [...this.#layers.values()];
    const sum = (pick: (layer: Layer) => number) => layers.reduce((total, layer) => total + pick(layer), 0);
    const done = layers.filter((layer) => layer.done).length;
    const total = sum((layer) => layer.total);
    const bytes =
      total > 0 ? `${formatMegabytes(sum((layer) => layer.current))} of ${formatMegabytes(total)} MB, ` : "";
    return `${bytes}${done} of ${layers.length} layers`;
  }
}

function formatMegabytes(bytes: number): string {
  return (bytes / 1e6).toFixed(1);
}

function parsePullMessage(raw: unknown): PullMessage | undefined {
  if (typeof raw !== "object" || raw === null) return undefined;
  const { id, status, progressDetail } = raw as Record<string, unknown>;
  if (typeof status !== "string") return undefined;
  const detail = (typeof progressDetail === "object" && progressDetail !== null ? progressDetail : {}) as Record<
    string,
    unknown
  >;
  return {
    id: typeof id === "string" ? id : undefined,
    status,
    current: typeof detail.current === "number" ? detail.current : 0,
    total: typeof detail.total === "number" ? detail.total : 0,
  };
}
