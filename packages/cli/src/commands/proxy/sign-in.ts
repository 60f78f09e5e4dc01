/** Signs in at the server that is proxied, before anything is offered; what that yields stays in memory. */
import { GrantStore, type Logger, NoSignIn, type RemoteAuthorization, RemoteGrant } from "@toolhive/core";
import { askForChallenge } from "@toolhive/core/remote-auth/challenge";
import { beginSignIn, type SignInRequest } from "@toolhive/core/remote-auth/sign-in";
import type { CommandContext } from "../../command-line/command.ts";
import { openBrowserPrivately } from "../shared/browser/open-browser.ts";

/** Where servers are asked: the endpoint may be protected when the root is not. */
const PATHS = ["/", "/mcp", "/sse"];

export interface ProxySignIn extends Omit<SignInRequest, "challenge" | "signal"> {
  /** In messages. */
  readonly name: string;
  /** Whether somebody signs in even if the server does not ask for it. */
  readonly isForced: boolean;
  readonly opensBrowser: boolean;
  readonly log: Logger;
}

/** @throws {ThvError} `UNAUTHENTICATED`, `ISSUER_UNAVAILABLE`, `INVALID_ARGUMENT`, `PORT_IN_USE`, `SERVER_NOT_READY`. */
export async function signIn(request: ProxySignIn, context: CommandContext): Promise<RemoteAuthorization> {
  const { name, isForced, opensBrowser, log, ...asked } = request;
  const { server, send } = asked;
  const { terminal, signal } = context;
  const urls = server.pathname === "/" ? PATHS.map((path) => new URL(path, server)) : [server];
  const challenge = await askForChallenge(urls, { signal, send, hint: "Check --target-uri." });
  if (!isForced && !challenge) {
    terminal.info(`${server.origin} does not ask anybody to sign in.`);
    return new NoSignIn(name);
  }
  await using pending = await beginSignIn({ ...asked, challenge, signal });
  const { address } = pending.offer;
  terminal.info(`Please open this URL in your browser: ${address}`);
  using _page = opensBrowser ? await openBrowserPrivately(address, context.env) : undefined;
  const grant = await RemoteGrant.open({
    name,
    server,
    isForced,
    store: new GrantStore({ log }),
    signInHint: "Stop the proxy and start it again to sign in.",
    log,
    send,
  });
  await pending.finish(async (made) => await grant.replace(made));
  terminal.info("Signed in.");
  return grant;
}
