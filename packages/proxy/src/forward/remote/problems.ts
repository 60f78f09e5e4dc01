/** What is wrong with a remote server, each with its own sentence and its own way out. */
import { ASKED_AGAIN } from "@toolhive/core/asked-again";
import { describeError, readSystemCode, ThvError } from "@toolhive/core/errors";
import { toOneLine } from "@toolhive/core/one-line";
import { readHeader, readMediaType } from "../../http/http-exchange.ts";
import type { AnswerHead } from "../answer/server-answer.ts";
import { isRedirect, showLocation } from "./redirects.ts";

/** A server, as messages name it. */
export interface NamedServer {
  /** Of the workload. */
  readonly name: string;
  readonly url: URL;
  /** Host of the proxy on the way. */
  readonly proxy: string | undefined;
  readonly transport: "sse" | "streamable-http";
}

/** The address, without what may be a key. */
export function showUrl({ origin, pathname }: URL): string {
  return `${origin}${pathname}`;
}

export function describeRemoteFailure(error: unknown, server: NamedServer): ThvError {
  const { url, proxy } = server;
  const code = readSystemCode(error) ?? "";
  const problem = (reason: string, hint: string) =>
    new ThvError("SERVER_NOT_READY", `${showUrl(url)} ${reason}.`, { hint, cause: error });
  const way = proxy === undefined ? "" : ` through the proxy ${proxy}`;
  if (isTimeout(error))
    return problem(
      `did not answer in time${way}`,
      `It is slow or cut off: look at the server, or at the network. ${ASKED_AGAIN}`,
    );
  if (code === "ENOTFOUND" || code === "EAI_AGAIN")
    return problem(
      `cannot be found: its host ${url.hostname} is not known${way}`,
      `Check the address and the network. ${ASKED_AGAIN}`,
    );
  if (code === "ECONNREFUSED")
    return problem(
      `does not run: nothing answers at ${url.host}${way}`,
      `Start the server, or correct its port. ${ASKED_AGAIN}`,
    );
  if (code === "EHOSTUNREACH" || code === "ENETUNREACH" || code === "ENETDOWN")
    return problem(`cannot be reached: there is no way to it${way}`, `Connect to the network. ${ASKED_AGAIN}`);
  if (/^(?:CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_|ERR_TLS_CERT|HOSTNAME_MISMATCH)/.test(code))
    return problem(
      `has a certificate that is not trusted: ${toOneLine(describeError(error)).slice(0, 200)}`,
      "Behind a company's proxy trust its certificate: thv config set-ca-cert FILE. Otherwise somebody may be pretending to be the server.",
    );
  if (code === "EPROTO" || code.startsWith("ERR_SSL"))
    return problem("does not speak TLS", "Check whether its address begins with http://, and its port.");
  return problem(
    `broke the connection off${way}: ${toOneLine(describeError(error) || code).slice(0, 200)}`,
    `Look at the server's own log. ${ASKED_AGAIN}`,
  );
}

function isTimeout(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return (
    error.name === "TimeoutError" ||
    readSystemCode(error) === "ETIMEDOUT" ||
    /^no connection within/.test(error.message)
  );
}

/**
 * Answers that no client gets as they are: it would sign in at this machine, follow them past it, or take a page for the answer
 * to its message.
 *
 * @param method Of the request.
 * @returns Nothing for any other answer.
 */
export function describeWithheldAnswer(answer: AnswerHead, server: NamedServer, method = "POST"): ThvError | undefined {
  const status = answer.statusCode ?? 0;
  const { name, url, proxy } = server;
  const problem = (reason: string, hint: string) =>
    new ThvError("SERVER_NOT_READY", `${showUrl(url)} ${reason}.`, { hint });
  if (status === 401)
    return new ThvError("UNAUTHENTICATED", `"${name}" asks for a sign-in, and takes none that was sent.`, {
      hint: `Sign in: thv auth login ${name}`,
    });
  if (status === 403 && isScopeChallenge(answer))
    return new ThvError("UNAUTHENTICATED", `"${name}" asks for more scopes than were granted.`, {
      hint: `Sign in again: thv auth login ${name}`,
    });
  if (status === 407 && proxy !== undefined)
    return problem(
      `is behind the proxy ${proxy}, which asks for a password`,
      "Put it into HTTPS_PROXY where the supervisor starts, as http://USER:PASSWORD@HOST:PORT, then: thv restart",
    );
  const redirect = describeRedirect(answer, server);
  if (redirect) return redirect;
  if (method === "POST" && status < 400 && readMediaType(answer) === "text/html") return describePage(url);
  return undefined;
}

/** @returns Nothing for an answer that is part of MCP. */
export function describeRemoteAnswer(
  answer: AnswerHead,
  server: NamedServer,
  { hasSession }: { readonly hasSession: boolean },
): ThvError | undefined {
  const withheld = describeWithheldAnswer(answer, server);
  if (withheld) return withheld;
  const status = answer.statusCode ?? 0;
  const { url, transport } = server;
  const type = readMediaType(answer);
  const isMcp = type === "application/json" || type === "text/event-stream";
  const problem = (reason: string, hint: string) =>
    new ThvError("SERVER_NOT_READY", `${showUrl(url)} ${reason}.`, { hint });
  if (status === 404 && hasSession) return undefined;
  if ((status === 404 || status === 410 || status === 405) && !isMcp)
    return problem(
      `is not the address of an MCP server over ${transport}: it answers with status ${status}`,
      `Check its path, which often is /mcp, or its transport: thv run --transport ${transport === "sse" ? "streamable-http" : "sse"}`,
    );
  if (type === "text/html") return describePage(url);
  if (status >= 500 && !isMcp)
    return problem(`fails with status ${status}`, `Look at the server's own log. ${ASKED_AGAIN}`);
  return undefined;
}

function describePage(url: URL): ThvError {
  return new ThvError("SERVER_NOT_READY", `${showUrl(url)} answers with a web page, not with MCP.`, {
    hint: "Check its path, which often is /mcp. A page may also be the sign-in of a network or a proxy on the way.",
  });
}

/** @returns Nothing for an answer that leads nowhere. */
export function describeRedirect(answer: AnswerHead, { url }: NamedServer): ThvError | undefined {
  if (!isRedirect(answer)) return undefined;
  const where = showLocation(answer, url);
  return new ThvError("SERVER_NOT_READY", `${showUrl(url)} leads elsewhere, to ${where}, and that is not followed.`, {
    hint: "If you trust that address, run it instead: what is sent there, a token among it, would be somebody else's.",
  });
}

/** RFC 6750 3.1. */
function isScopeChallenge(answer: AnswerHead): boolean {
  return /\binsufficient_scope\b/.test(readHeader(answer, "www-authenticate") ?? "");
}
