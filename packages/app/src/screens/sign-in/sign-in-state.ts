/** How a server is signed in at its remote server, and how far a sign-in is that was begun here. */
import type { OperationAnswer } from "../../api/client.ts";

export type SignIn = OperationAnswer<"getSignIn">;
export type SignInOffer = OperationAnswer<"beginSignIn">;

/** `replaced`: another sign-in was begun elsewhere, and only one can be finished. */
export type Progress = "waiting" | "done" | "failed" | "replaced";

/** @param signIn As it was read last; `undefined` before that. */
export function readProgress(offer: SignInOffer, signIn: SignIn | undefined): Progress {
  const { login } = signIn ?? {};
  if (login === undefined) return "waiting";
  return login.address === offer.address ? login.state : "replaced";
}

/** Whether giving up a sign-in may end everything that is kept: not while another token is in use. */
export function canForget(signIn: SignIn | undefined): boolean {
  return signIn !== undefined && ["unauthenticated", "open", "unknown"].includes(signIn.state);
}

/**
 * @param address As an authorization server gave it: another scheme than the web's could run in this page.
 * @returns The address, when it may be opened.
 */
export function toOpenable(address: string): string | undefined {
  return URL.canParse(address) && /^https?:$/.test(new URL(address).protocol) ? address : undefined;
}
