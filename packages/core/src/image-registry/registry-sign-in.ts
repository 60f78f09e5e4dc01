/**
 * What is sent with requests to an image registry that asks for a sign-in: a token of the address that it names, or the
 * user's name and password.
 * https://distribution.github.io/distribution/spec/auth/token/, https://distribution.github.io/distribution/spec/auth/oauth/
 */
import { isSecureUrl } from "@toolhive/http";
import { isRecord, parseJson } from "@toolhive/http/values";
import { parseSchemes, type SchemeChallenge } from "../remote-auth/protocol/auth-header.ts";
import { BRAND } from "../support/brand.ts";
import type { RegistryCredentials } from "./docker-credentials.ts";
import { type ImageSource, isLocalRegistry } from "./image-source.ts";
import { describeStatus, RegistryFailure } from "./registry-failure.ts";

/** Bytes of the answer with a token; tokens of large companies have some kilobytes. */
const MAX_TOKEN_BYTES = 256 * 1024;
/** Characters of a challenge that are read. */
const MAX_CHALLENGE = 4_096;

export interface SignIn {
  readonly source: ImageSource;
  /** Of the scope, such as `pull` or `pull,push`. */
  readonly actions: string;
  readonly credentials: RegistryCredentials | undefined;
  readonly send: typeof fetch;
  readonly readBytes: (response: Response, maxBytes: number) => Promise<Buffer>;
  readonly signal: AbortSignal;
}

/**
 * @param challenge The header `WWW-Authenticate` of the answer with status 401.
 * @returns The header `Authorization`. @throws {RegistryFailure} When nothing would be accepted.
 */
export async function signInAtRegistry(challenge: string, signIn: SignIn): Promise<string> {
  const { registry } = signIn.source;
  const { credentials } = signIn;
  const schemes = parseSchemes(challenge.slice(0, MAX_CHALLENGE));
  const bearer = schemes.find(({ scheme }) => scheme === "bearer");
  if (bearer && credentials?.kind === "bearer") return `Bearer ${credentials.token}`;
  if (bearer) return `Bearer ${await fetchToken(bearer, signIn)}`;
  if (!schemes.some(({ scheme }) => scheme === "basic"))
    throw new RegistryFailure("refused", `${registry} asks for a sign-in that is not supported`);
  if (credentials?.kind !== "password") throw new RegistryFailure("refused", `${registry} asks for a sign-in`);
  return formatBasic(credentials);
}

function formatBasic({ username, password }: { readonly username: string; readonly password: string }): string {
  return `Basic ${Buffer.from(`${username}:${password}`).toString("base64")}`;
}

async function fetchToken({ parameters }: SchemeChallenge, signIn: SignIn): Promise<string> {
  const { source, actions, credentials, send, readBytes, signal } = signIn;
  const { realm, service } = Object.fromEntries(parameters) as Partial<Record<"realm" | "service", string>>;
  if (realm === undefined || !URL.canParse(realm))
    throw new RegistryFailure("refused", `${source.registry} asks for a sign-in that is not supported`);
  const url = new URL(realm);
  // Plain http is for an image registry of this machine that signs in on this machine.
  if (!isSecureUrl(url) || (url.protocol === "http:" && !isLocalRegistry(source.registry)))
    throw new RegistryFailure("refused", `${source.registry} asks to sign in at ${url.origin}, which is not https`);
  const scope = `repository:${source.path}:${actions}`;
  const members = { ...(service !== undefined && service !== "" && { service }), scope };
  // A redirect could take the password to somebody else.
  const common = { signal, redirect: "manual" as const };
  let response: Response;
  if (credentials?.kind === "refresh") {
    const grant = { grant_type: "refresh_token", client_id: BRAND.command, refresh_token: credentials.token };
    response = await send(url, { ...common, method: "POST", body: new URLSearchParams({ ...grant, ...members }) });
  } else {
    for (const [name, value] of Object.entries(members)) url.searchParams.set(name, value);
    const headers = credentials?.kind === "password" ? { Authorization: formatBasic(credentials) } : {};
    response = await send(url, { ...common, headers });
  }
  if (!response.ok) {
    await response.body?.cancel();
    throw describeStatus(response.status, url.host);
  }
  const answer = parseJson((await readBytes(response, MAX_TOKEN_BYTES)).toString("utf8"));
  const token = isRecord(answer) ? (answer.access_token ?? answer.token) : undefined;
  if (typeof token !== "string" || !/^[\x21-\x7e]+$/.test(token))
    throw new RegistryFailure("failed", `${url.origin} gave no token`);
  return token;
}
