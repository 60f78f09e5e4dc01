/** Who may call a server and what is recorded of it, in the words of a run configuration and of an MCPServer. */
import type { CreateRequest } from "@toolhive/core";
import { ThvError } from "@toolhive/core/errors";
import type { MCPServerSpec } from "../contract/index.ts";
import type { ManifestNote } from "./manifest-note.ts";

type AccessSpec = Pick<MCPServerSpec, "oidcConfig" | "authzConfig" | "audit" | "telemetry">;
type Part<Name extends keyof AccessSpec> = NonNullable<AccessSpec[Name]>;
type AccessRequest = Pick<
  CreateRequest,
  "oidc" | "authz_config" | "audit_config" | "telemetry" | "jwks_allow_private_ip"
>;

/** @throws {ThvError} `NOT_SUPPORTED` when an object could not limit callers as the request does. */
export function writeAccess(request: CreateRequest, notes: string[]): AccessSpec {
  const { oidc, authz_config, telemetry } = request;
  const audit_config = request.audit_config ?? (request.enable_audit ? "{}" : undefined);
  return {
    ...(oidc && { oidcConfig: writeOidc(request, oidc, notes) }),
    ...(authz_config && { authzConfig: writePolicies(authz_config) }),
    ...(audit_config && { audit: writeAudit(audit_config, notes) }),
    ...(telemetry && { telemetry: writeTelemetry(telemetry, notes) }),
  };
}

function writeOidc(
  { jwks_allow_private_ip, thv_ca_bundle, jwks_auth_token_file }: CreateRequest,
  { issuer, audience, jwks_url, client_id, allow_opaque_tokens, scopes = [] }: NonNullable<CreateRequest["oidc"]>,
  notes: string[],
): Part<"oidcConfig"> {
  if (!issuer) {
    throw new ThvError("NOT_SUPPORTED", "The server checks tokens without an issuer, and an MCPServer needs one.", {
      hint: "Run it again with --oidc-issuer, then export it.",
    });
  }
  if (allow_opaque_tokens) notes.push("Tokens that are no JWTs are not accepted on a cluster.");
  if (scopes.length > 0) notes.push("The scopes that the server's metadata names are left out.");
  if (thv_ca_bundle || jwks_auth_token_file) {
    notes.push("The files with the issuer's certificate and token are on this machine: mount them into the proxy.");
  }
  return {
    type: "inline",
    inline: {
      issuer,
      ...(audience && { audience }),
      ...(jwks_url && { jwksUrl: jwks_url }),
      ...(client_id && { clientId: client_id }),
      ...(jwks_allow_private_ip !== undefined && { jwksAllowPrivateIP: jwks_allow_private_ip }),
    },
  };
}

function writePolicies(text: string): Part<"authzConfig"> {
  const { cedar } = JSON.parse(text);
  const { policies, entities_json } = cedar;
  return { type: "inline", inline: { policies, ...(entities_json !== undefined && { entitiesJson: entities_json }) } };
}

function writeAudit(text: string, notes: string[]): Part<"audit"> {
  const lost = Object.keys(JSON.parse(text));
  if (lost.length > 0)
    notes.push(`The audit log is on, and goes to the proxy's log. Left out: ${lost.sort().join(", ")}.`);
  return { enabled: true };
}

/** Digits behind the point, so that the text stays within the 8 characters of the form. */
const RATE_DIGITS = 6;

function writeTelemetry(
  {
    endpoint,
    service_name,
    sampling_rate,
    prometheus_path,
    env_vars = [],
    ...others
  }: NonNullable<CreateRequest["telemetry"]>,
  notes: string[],
): Part<"telemetry"> {
  const lost = Object.entries(others).flatMap(([name, value]) => (value === undefined ? [] : [name]));
  if (lost.length > 0) notes.push(`Left out of telemetry: ${lost.sort().join(", ")}.`);
  if (env_vars.length > 0) notes.push("Variables of this machine are not put on traces of a cluster.");
  return {
    ...(endpoint && { endpoint }),
    ...(service_name && { serviceName: service_name }),
    ...(sampling_rate !== undefined && { samplingRate: String(Number(sampling_rate.toFixed(RATE_DIGITS))) }),
    ...(prometheus_path !== undefined && { prometheus: prometheus_path }),
  };
}

/**
 * @param findData The data of a ConfigMap beside the MCPServer.
 * @param notes Get a sentence when the object says more than a run configuration can.
 * @throws {ThvError} `NOT_SUPPORTED` for what is only on a cluster.
 */
export function readAccess(
  { oidcConfig, authzConfig, audit, telemetry }: MCPServerSpec,
  findData: (name: string) => Readonly<Record<string, string>>,
  notes: ManifestNote[],
): AccessRequest {
  return {
    ...(oidcConfig && readOidc(oidcConfig, findData, notes)),
    ...(authzConfig && { authz_config: readPolicies(authzConfig, findData) }),
    ...(audit?.enabled && { audit_config: "{}" }),
    ...(telemetry && { telemetry: readTelemetry(telemetry) }),
  };
}

function readOidc(
  { type = "kubernetes", configMap, inline, caBundle }: Part<"oidcConfig">,
  findData: (name: string) => Readonly<Record<string, string>>,
  notes: ManifestNote[],
): AccessRequest {
  if (type === "kubernetes") {
    throw new ThvError("NOT_SUPPORTED", "The server accepts tokens of the cluster's service accounts only.", {
      hint: "Take oidcConfig out of a copy of the manifest, or name an issuer that this machine reaches.",
    });
  }
  const found: Readonly<Record<string, unknown>> = (type === "inline" ? inline : findData(configMap?.name ?? "")) ?? {};
  const text = (name: string) => (typeof found[name] === "string" && found[name] !== "" ? found[name] : undefined);
  const [issuer, audience, jwksUrl, clientId] = ["issuer", "audience", "jwksUrl", "clientId"].map(text);
  if (issuer === undefined) throw new ThvError("INVALID_ARGUMENT", "spec.oidcConfig names no issuer.");
  const files = ["thvCABundlePath", "jwksAuthTokenPath"].filter((name) => text(name) !== undefined);
  const lost = [...files, ...(caBundle === undefined ? [] : ["caBundle"])];
  if (lost.length > 0)
    notes.push({
      words: "Left out of oidcConfig, because they are files on the cluster",
      lost,
      reason: "it is a file on the cluster",
    });
  const isPrivate = found.jwksAllowPrivateIP;
  return {
    oidc: {
      issuer,
      ...(audience && { audience }),
      ...(jwksUrl && { jwks_url: jwksUrl }),
      ...(clientId && { client_id: clientId }),
    },
    ...(isPrivate !== undefined && { jwks_allow_private_ip: isPrivate === true || isPrivate === "true" }),
  };
}

function readPolicies(
  { type = "configMap", configMap, inline }: Part<"authzConfig">,
  findData: (name: string) => Readonly<Record<string, string>>,
): string {
  if (type === "configMap") {
    const key = configMap?.key ?? "authz.json";
    const data = findData(configMap?.name ?? "");
    const text = Object.hasOwn(data, key) ? data[key] : undefined;
    // Anything else would be read as the name of a file of this machine.
    if (text?.trimStart().startsWith("{")) return text;
    if (text !== undefined) {
      throw new ThvError("INVALID_ARGUMENT", `The ConfigMap ${configMap?.name} has no JSON with policies in ${key}.`);
    }
    throw new ThvError("INVALID_ARGUMENT", `The ConfigMap ${configMap?.name} has no key ${key} with policies.`);
  }
  return JSON.stringify({
    version: "1.0",
    type: "cedarv1",
    cedar: { policies: inline?.policies ?? [], entities_json: inline?.entitiesJson ?? "[]" },
  });
}

function readTelemetry({
  endpoint,
  serviceName,
  samplingRate,
  prometheus,
}: Part<"telemetry">): NonNullable<CreateRequest["telemetry"]> {
  return {
    ...(endpoint && { endpoint }),
    ...(serviceName && { service_name: serviceName }),
    ...(samplingRate && { sampling_rate: Number(samplingRate) }),
    ...(prometheus !== undefined && { prometheus_path: prometheus }),
  };
}
