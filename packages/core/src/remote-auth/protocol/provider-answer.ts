/**
 * Answers of authorization servers in practice. Before a schema reads one, this omits members without a value, converts or omits
 * optional members in another form, and gives an error with a status of success one of failure.
 */
import { isRecord, parseJson } from "@toolhive/http/values";

/** Seconds, which some providers write as text. */
const NUMBERS = ["expires_in", "interval"];
/** Optional members of a token answer. */
const OPTIONAL_TEXTS = ["refresh_token", "scope", "id_token"];

export interface ProviderAnswer {
  readonly status: number;
  readonly body: Uint8Array;
}

/** @returns The same answer when it is no object in JSON and no form. */
export function tidyAnswer({ status, body }: ProviderAnswer, contentType: string | null): ProviderAnswer {
  const members = readMembers(Buffer.from(body).toString("utf8"), contentType ?? "");
  if (!members) return { status, body };
  const tidy = Object.fromEntries(Object.entries(members).filter(([, value]) => value !== null && value !== ""));
  for (const member of NUMBERS) {
    if (tidy[member] === undefined) continue;
    const seconds = Number(tidy[member]);
    if (Number.isFinite(seconds)) tidy[member] = seconds;
    else delete tidy[member];
  }
  if (tidy.access_token !== undefined) tidyTokens(tidy);
  // What was registered is known already; many servers do not repeat it.
  else if (tidy.client_id !== undefined && !Array.isArray(tidy.redirect_uris)) tidy.redirect_uris = [];
  const isError = tidy.access_token === undefined && typeof tidy.error === "string";
  return { status: isError && status >= 200 && status < 300 ? 400 : status, body: Buffer.from(JSON.stringify(tidy)) };
}

function tidyTokens(tokens: Record<string, unknown>): void {
  tokens.token_type ??= "Bearer";
  if (Array.isArray(tokens.scope)) tokens.scope = tokens.scope.join(" ");
  for (const member of OPTIONAL_TEXTS) if (typeof tokens[member] !== "string") delete tokens[member];
}

function readMembers(text: string, contentType: string): Readonly<Record<string, unknown>> | undefined {
  if (contentType.toLowerCase().startsWith("application/x-www-form-urlencoded")) {
    return Object.fromEntries(new URLSearchParams(text));
  }
  // A page or nothing: the caller reports what it expected.
  const value = parseJson(text);
  return isRecord(value) ? { ...value } : undefined;
}

/** What is wrong with an answer that a schema or the parser of JSON refused, in place of their text. */
export function describeUnusableAnswer(error: unknown): string | undefined {
  if (error instanceof SyntaxError) return "its answer is not JSON";
  const [issue] = error instanceof Error && "issues" in error && Array.isArray(error.issues) ? error.issues : [];
  if (typeof issue !== "object" || issue === null) return undefined;
  const { path, message = "" } = issue as { readonly path?: unknown; readonly message?: unknown };
  const member = Array.isArray(path) ? path.join(".") : "";
  const received = /received (\w+)/.exec(String(message))?.[1];
  if (member === "") return "its answer is not an object with members";
  if (received === "undefined") return `its answer has no "${member}"`;
  return received === undefined
    ? `its answer has a "${member}" that cannot be used`
    : `"${member}" of its answer cannot be used, because it is of the type ${received}`;
}

/** Seconds that a token lasts by its own `exp`, when it is a JWT with that claim; `undefined` otherwise. */
export function readLifeOfJwt(token: string, obtainedAt: Date): number | undefined {
  const [, payload, signature] = token.split(".");
  if (payload === undefined || signature === undefined) return undefined;
  const claims = readMembers(Buffer.from(payload, "base64url").toString("utf8"), "");
  const [exp, iat] = [claims?.exp, claims?.iat];
  if (typeof exp !== "number") return undefined;
  // By the clock of the provider where it says both; this machine may have another time.
  const lasts = exp - (typeof iat === "number" ? iat : obtainedAt.getTime() / 1000);
  return Number.isFinite(lasts) && lasts > 0 ? lasts : undefined;
}
