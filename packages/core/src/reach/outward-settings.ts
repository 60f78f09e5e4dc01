/** Settings by which something of this machine leaves it, or a file of it is read or written: what whoever is asked has to see. */
import type { RunConfig } from "../workload/run-config.ts";

type Outward = Pick<
  RunConfig,
  "oidc_config" | "audit_config" | "telemetry_config" | "oauth_config" | "ca_certificate" | "base_image" | "with"
>;

/** Files of this machine that are read or written outside the container. @returns A phrase each. */
export function listUsedFiles({ oidc_config: oidc, audit_config: audit, ca_certificate }: Outward): string[] {
  const { AuthTokenFile: token, CACertPath: certificate, Issuer, JWKSURL } = oidc ?? {};
  return [
    token ? `what is in ${token} is sent to ${Issuer ?? JWKSURL}` : [],
    certificate ? `its issuer may have a certificate of ${certificate}` : [],
    audit?.log_file ? `its calls are recorded in ${audit.log_file}` : [],
    ca_certificate ? `its build trusts ${ca_certificate}` : [],
  ].flat();
}

/** Who gets something besides the server itself. @returns A phrase each. */
export function listReceivers({ telemetry_config: telemetry, oauth_config: signIn }: Outward): string[] {
  const { Endpoint, EnvironmentVariables = [], Headers = {} } = telemetry ?? {};
  const names = [...EnvironmentVariables, ...Object.keys(Headers).map((name) => `the header ${name}`)];
  const values = names.length > 0 ? `, with ${names.join(", ")}` : "";
  const places = [signIn?.issuer, signIn?.authorize_url, signIn?.token_url].filter((each) => each !== undefined);
  return [
    Endpoint ? `reports of its calls go to ${Endpoint}${values}` : [],
    places.length > 0 ? `it is signed in at ${places.join(", ")}` : [],
  ].flat();
}

/** What a package is installed on and with, besides its own name. @returns Empty for the usual. */
export function describeBuild({ base_image: base, with: others = [] }: Outward): string {
  return `${base === undefined ? "" : ` on ${base}`}${others.length === 0 ? "" : ` with ${others.join(", ")}`}`;
}
