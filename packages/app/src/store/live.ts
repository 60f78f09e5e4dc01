/** Keeps the live state up to date as long as the page is open, and gives it to the views. */
import { useSyncExternalStore } from "react";
import { ApiProblem, call } from "../api/client.ts";
import { onSessionChange } from "../api/session.ts";
import { EMPTY, type LiveEvent, type LiveState, reduceLive } from "./live-store.ts";

const POLL_MS = 1_000;
let state: LiveState = EMPTY;
const listeners = new Set<() => void>();
let isFollowing = false;
let wake = (): void => undefined;

function apply(event: LiveEvent): void {
  const next = reduceLive(state, event);
  if (next === state) return;
  state = next;
  for (const listener of listeners) listener();
}

function connection(name: LiveState["connection"]): void {
  apply({ type: "connection", connection: name, at: Date.now() });
}

/** Begins once, for the whole page. */
export function startFollowing(): void {
  if (isFollowing) return;
  isFollowing = true;
  onSessionChange(() => wake());
  void follow();
}

async function follow(): Promise<void> {
  for (;;) {
    try {
      const { workloads } = await call("listWorkloads", { query: { all: "true" } });
      apply({ type: "snapshot", workloads });
      connection("live");
    } catch (error) {
      connection(error instanceof ApiProblem && error.status === 401 ? "signed-out" : "away");
    }
    await new Promise<void>((resolve) => {
      wake = resolve;
      setTimeout(resolve, POLL_MS);
    });
  }
}

/** Reads the state now instead of with the next news, for example after a button was pressed. */
export function refreshLive(): void {
  wake();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function useLive(): LiveState {
  return useSyncExternalStore(subscribe, () => state);
}
