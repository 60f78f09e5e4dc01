/** Ends the hint about a remote server that does not do its work. It is true of a server that is kept, and of no other. */
export const ASKED_AGAIN = "It is asked again by itself.";

/** The hint for a server that is not kept. */
export function withoutAskedAgain(hint: string | undefined): string | undefined {
  return hint?.replace(ASKED_AGAIN, "").trim();
}
