/** Builds the options of the token verifier from the run configuration and the files it names. */
import { readCaCertificate } from "../net/ca-certificate.ts";
import { readAuthToken } from "../tokens/issuer-http.ts";
import type { OidcOptions } from "../tokens/token-verifier.ts";
import type { OidcConfig } from "./access-config.ts";

/** @throws {ThvError} `INVALID_ARGUMENT` for a file that cannot be read or is not what it should be. */
export async function readOidcOptions(config: OidcConfig): Promise<OidcOptions> {
  const { Issuer, Audience, JWKSURL, ClientID, AllowOpaqueTokens, CACertPath, AuthTokenFile, AllowPrivateIP } = config;
  const { Subject, TokenReviewURL } = config;
  if (AuthTokenFile !== undefined) await readAuthToken(AuthTokenFile);
  return {
    issuer: Issuer,
    audience: Audience,
    jwksUrl: JWKSURL,
    clientId: ClientID,
    allowOpaqueTokens: AllowOpaqueTokens,
    subject: Subject,
    tokenReviewUrl: TokenReviewURL,
    reach: {
      caCertificates: CACertPath === undefined ? undefined : (await readCaCertificate(CACertPath)).pem,
      authTokenFile: AuthTokenFile,
      isPublicOnly: AllowPrivateIP !== true,
    },
  };
}
