/**
 * The sign-in of this browser: `thv ui` prints an address with a token for one use in its fragment, which never reaches a
 * server; the page exchanges it for a token of its own and sends that as a header, so that no other page can use it.
 */
import { Listeners } from "@toolhive/http/listeners";

const KEY = "toolhive-session";
const listeners = new Listeners();

/** @returns The header that each call needs; empty where the API asks for none. */
export function authorization(): Record<string, string> {
  const token = localStorage.getItem(KEY);
  return token === null ? {} : { authorization: `Bearer ${token}` };
}

export function forgetSession(): void {
  localStorage.removeItem(KEY);
  listeners.notify();
}

/** For a page that is signed in with a token that somebody pasted. */
export function keepSession(token: string): void {
  localStorage.setItem(KEY, token);
  listeners.notify();
}

export function onSessionChange(listener: () => void): () => void {
  const onStorage = ({ key }: StorageEvent) => key === KEY && listener();
  const leave = listeners.add(listener);
  window.addEventListener("storage", onStorage);
  return () => {
    leave();
    window.removeEventListener("storage", onStorage);
  };
}

/**
 * Takes the token for one use out of the address at once, so that neither the history nor a copied address holds it, and
 * exchanges it.
 */
export async function redeemFragment(): Promise<void> {
  const token = new URLSearchParams(location.hash.slice(1)).get("token");
  if (token === null) return;
  history.replaceState(history.state, "", location.pathname + location.search);
  const response = await fetch("/api/v1beta/app/sessions", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ token }),
    credentials: "omit",
    cache: "no-store",
  }).catch(() => undefined);
  if (response?.ok !== true) return;
  const session = (await response.json()) as { token: string };
  keepSession(session.token);
}
