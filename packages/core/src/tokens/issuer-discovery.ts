/**
 * Asks the issuer where its keys are and where it answers questions about tokens (OpenID Connect Discovery 1.0 §4, RFC 8414 §2).
 */
import { ThvError } from "../support/errors.ts";
import { askIssuer, createIssuerUnavailableError, type IssuerReach, parseIssuerUrl } from "./issuer-http.ts";

export interface IssuerPlaces {
  readonly keySet: string;
  /** Where opaque tokens are looked up (RFC 7662); not every issuer has it. */
  readonly introspection: string | undefined;
}

/** @throws {ThvError} `ISSUER_UNAVAILABLE`, or `INVALID_ARGUMENT` when the issuer calls itself by another name. */
export async function discoverIssuer(issuer: string, reach?: IssuerReach): Promise<IssuerPlaces> {
  const { protocol } = parseIssuerUrl(issuer, "The issuer");
  const url = `${issuer.replace(/\/$/, "")}/.well-known/openid-configuration`;
  const { issuer: actual, jwks_uri: keySet, introspection_endpoint: introspection } = await askIssuer({ url, reach });
  if (actual !== issuer) {
    // Its tokens will carry the other name, and every one of them would be refused.
    throw new ThvError("INVALID_ARGUMENT", `The issuer "${issuer}" identifies itself as ${JSON.stringify(actual)}.`, {
      hint: "Give the name exactly as the issuer writes it; a trailing slash matters.",
    });
  }
  if (typeof keySet !== "string") throw createIssuerUnavailableError(url, "its metadata has no jwks_uri");
  const checked = (member: string, address: string): string => {
    const parsed = parseIssuerUrl(address, `The issuer's ${member}`);
    if (protocol === "https:" && parsed.protocol !== "https:") {
      throw createIssuerUnavailableError(url, `its ${member} is not https`);
    }
    return address;
  };
  return {
    keySet: checked("jwks_uri", keySet),
    introspection: typeof introspection === "string" ? checked("introspection_endpoint", introspection) : undefined,
  };
}
