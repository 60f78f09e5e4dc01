/** The form for a server that runs elsewhere, and the members of a request that it means. */

import type { CreateRequest } from "../pasted/source.ts";
import type { Pair } from "./draft.ts";

/** How somebody signs in: as the server says, as a client of one's own, or with a token that is stored as a secret. */
export const SIGN_IN_WAYS = ["discovered", "client", "bearer"] as const;
export type SignInWay = (typeof SIGN_IN_WAYS)[number];

export interface RemoteDraft {
  readonly way: SignInWay;
  readonly issuer: string;
  readonly clientId: string;
  /** Name of a stored secret; empty for a public client. */
  readonly clientSecret: string;
  /** Name of a stored secret. */
  readonly bearerToken: string;
  /** Separated by spaces. */
  readonly scopes: string;
  readonly headers: readonly Pair[];
  /** Values are names of stored secrets. */
  readonly secretHeaders: readonly Pair[];
  readonly isHttpAllowed: boolean;
}

/** A header that the registry's entry asks for. */
export interface AskedHeader {
  readonly name: string;
  readonly secret?: boolean | undefined;
}

export const EMPTY_REMOTE: RemoteDraft = {
  way: "discovered",
  issuer: "",
  clientId: "",
  clientSecret: "",
  bearerToken: "",
  scopes: "",
  headers: [],
  secretHeaders: [],
  isHttpAllowed: false,
};

type SignInMembers = NonNullable<CreateRequest["oauth_config"]>;

/**
 * @param source The request that was recognised, or the one that is changed; what no field shows of it stays.
 * @param answers Values of the headers that the registry's entry asks for, by name.
 */
export function toRemoteRequest(
  source: CreateRequest,
  draft: RemoteDraft,
  asked: readonly AskedHeader[] = [],
  answers: Readonly<Record<string, string>> = {},
): CreateRequest {
  const { oauth_config: oauth = {}, header_forward: forward = {}, allow_insecure_http: _allowed, ...rest } = source;
  const signIn = toSignIn(oauth, draft);
  const answered = (isSecret: boolean) =>
    asked
      .filter(({ secret = false }) => secret === isSecret)
      .map(({ name }) => [name, answers[name] ?? ""] as const)
      .filter(([, value]) => value !== "");
  const plain = {
    ...forward.add_plaintext_headers,
    ...Object.fromEntries([...answered(false), ...trimPairs(draft.headers)]),
  };
  const secret = {
    ...forward.add_headers_from_secret,
    ...Object.fromEntries([...answered(true), ...trimPairs(draft.secretHeaders)]),
  };
  const headers = {
    ...(Object.keys(plain).length > 0 && { add_plaintext_headers: plain }),
    ...(Object.keys(secret).length > 0 && { add_headers_from_secret: secret }),
  };
  return {
    ...rest,
    ...(Object.keys(signIn).length > 0 && { oauth_config: signIn }),
    ...(Object.keys(headers).length > 0 && { header_forward: headers }),
    ...(draft.isHttpAllowed && { allow_insecure_http: true }),
  };
}

function toSignIn(before: SignInMembers, draft: RemoteDraft): SignInMembers {
  const {
    issuer: _issuer,
    client_id: _id,
    client_secret: _secret,
    bearer_token: _bearer,
    scopes: _scopes,
    ...rest
  } = before;
  const { way, issuer, clientId, clientSecret, bearerToken, scopes } = draft;
  if (way === "bearer") return { ...rest, ...(bearerToken !== "" && { bearer_token: { name: bearerToken } }) };
  const list = scopes.split(/[\s,]+/).filter(Boolean);
  return {
    ...rest,
    ...(issuer.trim() !== "" && { issuer: issuer.trim() }),
    ...(way === "client" && clientId.trim() !== "" && { client_id: clientId.trim() }),
    ...(way === "client" && clientSecret !== "" && { client_secret: { name: clientSecret } }),
    ...(list.length > 0 && { scopes: list }),
  };
}

/** @returns The form for a request that was made before. */
export function toRemoteDraft({
  oauth_config: oauth = {},
  header_forward: forward = {},
  ...request
}: CreateRequest): RemoteDraft {
  const { bearer_token: bearer, client_id: clientId = "", client_secret: secret } = oauth;
  return {
    way: bearer !== undefined ? "bearer" : clientId === "" && secret === undefined ? "discovered" : "client",
    issuer: oauth.issuer ?? "",
    clientId,
    clientSecret: secret?.name ?? "",
    bearerToken: bearer?.name ?? "",
    scopes: (oauth.scopes ?? []).join(" "),
    headers: toPairs(forward.add_plaintext_headers),
    secretHeaders: toPairs(forward.add_headers_from_secret),
    isHttpAllowed: request.allow_insecure_http === true,
  };
}

/** @returns The request with what the form says now, also where the form has become empty; everything else stays. */
export function toEditedRemote(
  { header_forward: _headers, ...request }: CreateRequest,
  draft: RemoteDraft,
): CreateRequest {
  return toRemoteRequest(request, draft);
}

/** The stored secret that `thv run` reads from its input; a sign-in has one of the two. */
export function findPipedSecret({ oauth_config: oauth }: CreateRequest): string | undefined {
  return oauth?.bearer_token?.name ?? oauth?.client_secret?.name;
}

function trimPairs(pairs: readonly Pair[]): (readonly [string, string])[] {
  return pairs
    .map(({ name, value }) => [name.trim(), value] as const)
    .filter(([name, value]) => name !== "" && value !== "");
}

function toPairs(values: Readonly<Record<string, string>> = {}): Pair[] {
  return Object.entries(values).map(([name, value], id) => ({ id, name, value }));
}
