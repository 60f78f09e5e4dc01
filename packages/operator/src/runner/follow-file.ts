/** Follows a file that the kubelet replaces when the operator has changed it. */
import { type FSWatcher, watch } from "node:fs";
import { dirname } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { Logger } from "@toolhive/core";
import { describeError } from "@toolhive/core/errors";

/** Milliseconds between two readings where the folder is watched, and where it cannot be: a node has a limit of watches. */
const WATCHED_MS = 10_000;
const UNWATCHED_MS = 500;

interface FollowOptions<Content> {
  readonly path: string;
  readonly read: (path: string) => Promise<Content>;
  /** @returns A name of the content. */
  readonly readVersion: (content: Content) => string | undefined;
  /** What it was at first. */
  readonly first: Content;
  readonly onChange: (content: Content) => void;
  readonly log: Logger;
  /** What does not change while the file cannot be read, for the log. */
  readonly what: string;
}

/** Until the signal fires. Never rejects: a file that cannot be read is ignored, and the earlier one stays in force. */
export async function followFile<Content>(
  { path, read, readVersion, first, onChange, log, what }: FollowOptions<Content>,
  signal: AbortSignal,
): Promise<void> {
  let version = readVersion(first);
  let refused = "";
  let changed = new AbortController();
  let watcher: FSWatcher | undefined;
  const unwatch = (): void => {
    watcher?.close();
    watcher = undefined;
  };
  try {
    // The kubelet replaces a link in the folder, and not the file.
    watcher = watch(dirname(path), () => changed.abort()).on("error", unwatch);
  } catch {
    // It is read often instead.
  }
  // It may have changed since it was read first.
  changed.abort();
  try {
    while (!signal.aborted) {
      const over = AbortSignal.any([signal, changed.signal]);
      await delay(watcher ? WATCHED_MS : UNWATCHED_MS, undefined, { signal: over }).catch(() => undefined);
      if (signal.aborted) return;
      // What changes while the file is read is another change.
      changed = new AbortController();
      try {
        const content = await read(path);
        refused = "";
        if (readVersion(content) === version) continue;
        version = readVersion(content);
        onChange(content);
      } catch (error) {
        const reason = describeError(error);
        // Said once, not at each reading.
        if (reason !== refused) log.warn({ reason }, `${what} as they are`);
        refused = reason;
      }
    }
  } finally {
    unwatch();
  }
}
