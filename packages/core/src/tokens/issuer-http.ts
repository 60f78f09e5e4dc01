/**
 * Asks the issuer: for its discovery document, its key set, and about tokens. Bounded in time and size; redirects are not
 * followed, because their target is not the configured issuer.
 */
import { rootCertificates } from "node:tls";
import { isSecureUrl } from "@toolhive/http";
import { isRecord } from "@toolhive/http/values";
import { describeReadFailure, readBoundedText } from "../files/bounded-file.ts";
import { describeConnectionFailure, readAnswer, sendRequest } from "../net/outgoing-request.ts";
import { ThvError } from "../support/errors.ts";
import { startTimeout } from "../support/timeout-signal.ts";

/** Bytes. Key sets of large issuers have 10 kB. */
const MAX_DOCUMENT_BYTES = 512 * 1024;
/** Milliseconds for one document. */
export const ISSUER_TIMEOUT_MS = 10_000;
/** Characters; more do not fit into the header that it is sent in. */
const MAX_AUTH_TOKEN_LENGTH = 8 * 1024;

/** How the issuer is reached. */
export interface IssuerReach {
  /** Certificates to trust besides the usual ones, PEM. */
  readonly caCertificates?: string | undefined;
  /** Absolute path of a file with a bearer token for the issuer; read for each request, because such tokens are renewed. */
  readonly authTokenFile?: string | undefined;
  /** Whether addresses of this machine and of private networks are refused. Default false. */
  readonly isPublicOnly?: boolean | undefined;
}

export interface IssuerRequest {
  readonly url: string;
  readonly reach?: IssuerReach | undefined;
  /** Sent with POST as a form; without it and `document` the request is a GET. */
  readonly form?: Readonly<Record<string, string>> | undefined;
  /** Sent with POST as JSON. */
  readonly document?: Readonly<Record<string, unknown>> | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * @param what Names the address in the message, for example `--oidc-issuer`.
 * @throws {ThvError} `INVALID_ARGUMENT` for anything but https, and http to this machine.
 */
export function parseIssuerUrl(text: string, what: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url) throw new ThvError("INVALID_ARGUMENT", `${what} is "${text}", which is not an address.`);
  if (url.username !== "" || url.password !== "") {
    throw new ThvError("INVALID_ARGUMENT", `${what} holds a user name or a password, which is not allowed.`);
  }
  if (isSecureUrl(url)) return url;
  throw new ThvError("INVALID_ARGUMENT", `${what} is "${text}" but must begin with https://.`, {
    hint: "Without encryption, anyone on the network path could replace the keys. Plain http is allowed only for this machine.",
  });
}

/** @throws {ThvError} `ISSUER_UNAVAILABLE` saying what happened at which address, `INVALID_ARGUMENT` for a private one. */
export async function askIssuer(asked: IssuerRequest): Promise<Record<string, unknown>> {
  const timeout = startTimeout(ISSUER_TIMEOUT_MS);
  const signal = asked.signal ? AbortSignal.any([asked.signal, timeout]) : timeout;
  try {
    return parseObject(await send({ ...asked, signal }), asked.url);
  } catch (error) {
    if (error instanceof ThvError) throw error;
    throw createIssuerUnavailableError(
      asked.url,
      timeout.aborted ? "no complete answer in time" : describeConnectionFailure(error),
      error,
    );
  }
}

export function createIssuerUnavailableError(url: string, reason: string, cause?: unknown): ThvError {
  return new ThvError("ISSUER_UNAVAILABLE", `${url} cannot be used: ${reason}.`, {
    hint: "Check the address of the issuer and the connection to it.",
    cause,
  });
}

/** @returns The text of an answer with status 200, or 201 to a document. */
async function send({ url: text, reach = {}, form, document, signal }: IssuerRequest): Promise<string> {
  const url = new URL(text);
  const { caCertificates, isPublicOnly } = reach;
  const body = document ? JSON.stringify(document) : form && new URLSearchParams(form).toString();
  const headers = {
    // The API server of Kubernetes gives its keys under their own media type only (RFC 7517 8.5.1).
    accept: "application/json, application/jwk-set+json",
    "user-agent": "ToolHive-TypeScript",
    ...(await readAuthorization(reach)),
    ...(body !== undefined && { "content-type": document ? "application/json" : "application/x-www-form-urlencoded" }),
  };
  const response = await sendRequest(url, {
    headers,
    body,
    refusePrivate: isPublicOnly ? (address) => createPrivateAddressError(text, address) : undefined,
    ca: caCertificates === undefined ? undefined : [...rootCertificates, caCertificates],
    signal,
  });
  const { statusCode } = response;
  if (statusCode !== 200 && !(document && statusCode === 201)) {
    response.destroy();
    if (document && statusCode === 403) throw createForbiddenError(text);
    throw createIssuerUnavailableError(text, `the answer has status ${response.statusCode}`);
  }
  const answer = await readAnswer(response, MAX_DOCUMENT_BYTES, () =>
    createIssuerUnavailableError(text, `it is larger than ${MAX_DOCUMENT_BYTES} bytes`),
  );
  return answer.toString("utf8");
}

async function readAuthorization({ authTokenFile }: IssuerReach): Promise<Record<string, string>> {
  if (authTokenFile === undefined) return {};
  return { authorization: `Bearer ${await readAuthToken(authTokenFile)}` };
}

/**
 * Reads the token that the issuer asks for.
 *
 * @throws {ThvError} `INVALID_ARGUMENT`; what the file holds is not repeated.
 */
export async function readAuthToken(path: string): Promise<string> {
  let text: string;
  try {
    text = (await readBoundedText(path)).trim();
  } catch (error) {
    throw new ThvError("INVALID_ARGUMENT", `The token file ${path} cannot be used: ${describeReadFailure(error)}.`);
  }
  if (/^[A-Za-z0-9._~+/-]+=*$/.test(text) && text.length <= MAX_AUTH_TOKEN_LENGTH) return text;
  throw new ThvError("INVALID_ARGUMENT", `The file ${path} does not hold a bearer token.`, {
    hint: "The file must contain only the token, on one line.",
  });
}

function createForbiddenError(url: string): ThvError {
  return new ThvError("INVALID_ARGUMENT", `${url} forbids this program to ask about tokens.`, {
    hint: "Give its account the ClusterRole system:auth-delegator with a ClusterRoleBinding.",
  });
}

function createPrivateAddressError(url: string, address: string): ThvError {
  return new ThvError("INVALID_ARGUMENT", `The issuer's ${url} is at the private address ${address}.`, {
    hint: "If the issuer is yours, allow it: --jwks-allow-private-ip",
  });
}

function parseObject(text: string, url: string): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw createIssuerUnavailableError(url, "the answer is not JSON", error);
  }
  if (isRecord(value)) return value;
  throw createIssuerUnavailableError(url, "the answer is not a JSON object");
}
