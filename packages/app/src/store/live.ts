/** Keeps the live state up to date as long as the page is open, and gives it to the views. */
import { Listeners } from "@toolhive/http/listeners";
import { useSyncExternalStore } from "react";
import { ApiProblem, open, readLines } from "../api/client.ts";
import { onSessionChange } from "../api/session.ts";
import { EMPTY, type LiveState, reduceLive, type StreamEvent } from "./live-store.ts";

/** Milliseconds before the first try to connect again; each further one waits twice as long, up to the last. */
const FIRST_WAIT_MS = 500;
const LAST_WAIT_MS = 5_000;
/** A stream that is silent for so long is dead: a heartbeat arrives every 15 s. */
const SILENCE_MS = 40_000;
/** Events that say only that something has to be read again. */
const CHANGES = ["clients", "groups", "secrets", "registry", "usage"] as const;
/** `all` after a time without events. */
type Change = (typeof CHANGES)[number] | "all";

let state: LiveState = EMPTY;
let last: string | undefined;
const listeners = new Listeners();
let isFollowing = false;
let wake = (): void => undefined;

function apply(event: Parameters<typeof reduceLive>[1]): void {
  const next = reduceLive(state, event);
  if (next === state) return;
  state = next;
  listeners.notify();
}

function connection(name: LiveState["connection"]): void {
  apply({ type: "connection", connection: name, at: Date.now() });
}

/** Begins once, for the whole page. @param onChange Is called with what has to be read again. */
export function startFollowing(onChange: (change: Change) => void): void {
  if (isFollowing) return;
  isFollowing = true;
  onSessionChange(() => wake());
  window.addEventListener("online", () => wake());
  void follow(onChange);
}

async function follow(onChange: (change: Change) => void): Promise<void> {
  let wait = FIRST_WAIT_MS;
  for (;;) {
    try {
      await read((event) => {
        wait = FIRST_WAIT_MS;
        if (state.connection === "away") onChange("all");
        connection("live");
        apply(event);
        const change = CHANGES.find((each) => each === event.type);
        if (change !== undefined) onChange(change);
      });
    } catch (error) {
      connection(error instanceof ApiProblem && error.status === 401 ? "signed-out" : "away");
    }
    await pause(wait);
    wait = Math.min(2 * wait, LAST_WAIT_MS);
  }
}

/** @returns When the stream has ended. @throws {ApiProblem} When there is none. */
async function read(onEvent: (event: StreamEvent) => void): Promise<void> {
  const controller = new AbortController();
  const abort = () => controller.abort();
  let silence = setTimeout(abort, SILENCE_MS);
  try {
    const query = last === undefined ? {} : { since: last };
    const response = await open("watchEvents", { query, signal: controller.signal });
    for await (const line of readLines(response)) {
      clearTimeout(silence);
      silence = setTimeout(abort, SILENCE_MS);
      const event = JSON.parse(line) as StreamEvent;
      last = event.id;
      onEvent(event);
    }
  } finally {
    clearTimeout(silence);
    controller.abort();
  }
}

/** Ends early when the network or the sign-in has changed, because the next try may then succeed. */
async function pause(milliseconds: number): Promise<void> {
  await new Promise<void>((resolve) => {
    wake = resolve;
    setTimeout(resolve, milliseconds);
  });
}

function subscribe(listener: () => void): () => void {
  return listeners.add(listener);
}

export function useLive(): LiveState {
  return useSyncExternalStore(subscribe, () => state);
}
