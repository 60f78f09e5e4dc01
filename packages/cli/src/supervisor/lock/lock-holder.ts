/** The holder of a supervisor's lock, as the lock describes it. Loads nothing, because every command reads it on Windows. */
export interface LockHolder {
  readonly pid: number;
  /**
   * Start time in the system's own clock ticks where it is available (Linux), so that a reused id is not taken for the holder.
   */
  readonly startTicks: string;
  /** On Windows, a named pipe that exists as long as the holder. */
  readonly pipe?: string;
}

export function parseHolder(text: string): LockHolder | undefined {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value !== "object" || value === null) return undefined;
    const { pid, startTicks, pipe } = value as Record<string, unknown>;
    if (typeof pid !== "number" || typeof startTicks !== "string") return undefined;
    return { pid, startTicks, ...(typeof pipe === "string" && { pipe }) };
  } catch {
    return undefined;
  }
}
