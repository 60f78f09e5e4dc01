/** Who may call: the settings of an MCPServer, MCPRemoteProxy or MCPGroup as members of a run configuration. */
import type { AccessConfig, OidcConfig, TelemetryConfig } from "@toolhive/core";
import { CA_FILE } from "../contract/index.ts";
import type { DesiredContext } from "./context/context.ts";

const ACCOUNT_FOLDER = "/var/run/secrets/kubernetes.io/serviceaccount";
/** The API server as every cluster names it. */
const API_SERVER = "https://kubernetes.default.svc";
const DEFAULT_AUDIENCE = "toolhive";

/** @returns Never more than was asked for; a configuration that cannot be read is one of `References.problems`. */
export function buildAccess(context: DesiredContext): AccessConfig {
  const { audit, telemetry } = context.server.spec;
  const oidc = buildOidc(context);
  return {
    ...(oidc && { oidc_config: oidc }),
    ...(audit?.enabled && { audit_config: { component: context.server.metadata.name } }),
    ...(telemetry && (telemetry.endpoint || telemetry.prometheus) && { telemetry_config: buildTelemetry(context) }),
  };
}

function buildOidc(context: DesiredContext): OidcConfig | undefined {
  const { oidcConfig } = context.server.spec;
  if (oidcConfig === undefined) return undefined;
  return { ...buildIssuer(context, oidcConfig), ...(oidcConfig.caBundle && { CACertPath: CA_FILE }) };
}

type OidcSpec = NonNullable<DesiredContext["server"]["spec"]["oidcConfig"]>;

function buildIssuer({ server, references, settings }: DesiredContext, oidcConfig: OidcSpec): OidcConfig {
  switch (oidcConfig.type) {
    case "inline":
      return readMembers(oidcConfig.inline ?? {});
    case "configMap":
      return readMembers(references.oidc ?? {});
    default: {
      const { audience = DEFAULT_AUDIENCE, issuer = API_SERVER, jwksUrl, tokenReview } = oidcConfig.kubernetes ?? {};
      const subject = nameSubject(server);
      // Tokens carry the issuer that the cluster was set up with, which is not always the usual one.
      const isUsual = issuer === API_SERVER;
      const keys = jwksUrl ?? (isUsual ? `${API_SERVER}/openid/v1/jwks` : undefined);
      return {
        Issuer: isUsual ? (settings.clusterIssuer ?? issuer) : issuer,
        Audience: audience,
        ...(keys && { JWKSURL: keys }),
        ...(subject && { Subject: subject }),
        ...(tokenReview && { TokenReviewURL: `${API_SERVER}/apis/authentication.k8s.io/v1/tokenreviews` }),
        ...(usesClusterAuth(server) && {
          CACertPath: `${ACCOUNT_FOLDER}/ca.crt`,
          AuthTokenFile: `${ACCOUNT_FOLDER}/token`,
          AllowPrivateIP: true,
        }),
      };
    }
  }
}

/** @returns The subject of the tokens that are accepted, `*` for any rest of it; `undefined`: every one. */
function nameSubject({ metadata, spec: { oidcConfig } }: DesiredContext["server"]): string | undefined {
  const { namespace, serviceAccount } = oidcConfig?.kubernetes ?? {};
  if (!namespace && !serviceAccount) return undefined;
  return `system:serviceaccount:${namespace || metadata.namespace}:${serviceAccount || "*"}`;
}

/** Whether the proxy's container needs the files of its own service account. */
export function needsAccountFiles({ server, references }: DesiredContext): boolean {
  if (usesClusterAuth(server)) return true;
  const { type, inline } = server.spec.oidcConfig ?? {};
  const members = type === "inline" ? inline : type === "configMap" ? references.oidc : undefined;
  const paths = [members?.thvCABundlePath, members?.jwksAuthTokenPath];
  return paths.some((path) => path?.startsWith(`${ACCOUNT_FOLDER}/`));
}

/** Whether the proxy asks the issuer with the token of its own service account. */
function usesClusterAuth({ spec: { oidcConfig } }: DesiredContext["server"]): boolean {
  if (oidcConfig === undefined || (oidcConfig.type ?? "kubernetes") !== "kubernetes") return false;
  return oidcConfig.kubernetes?.useClusterAuth ?? true;
}

interface OidcMembers {
  readonly issuer?: string;
  readonly audience?: string;
  readonly jwksUrl?: string;
  readonly thvCABundlePath?: string;
  readonly jwksAuthTokenPath?: string;
  /** `"true"` in a ConfigMap. */
  readonly jwksAllowPrivateIP?: boolean | string;
}

function readMembers(members: OidcMembers): OidcConfig {
  const { issuer, audience, jwksUrl, thvCABundlePath, jwksAuthTokenPath, jwksAllowPrivateIP } = members;
  return {
    ...(issuer && { Issuer: issuer }),
    ...(audience && { Audience: audience }),
    ...(jwksUrl && { JWKSURL: jwksUrl }),
    ...(thvCABundlePath && { CACertPath: thvCABundlePath }),
    ...(jwksAuthTokenPath && { AuthTokenFile: jwksAuthTokenPath }),
    ...(String(jwksAllowPrivateIP) === "true" && { AllowPrivateIP: true }),
  };
}

function buildTelemetry({ server: { metadata, spec } }: DesiredContext): TelemetryConfig {
  const { endpoint, serviceName, samplingRate, prometheus } = spec.telemetry ?? {};
  const rate = Number(samplingRate);
  return {
    ...(endpoint && { Endpoint: endpoint }),
    ServiceName: serviceName || metadata.name,
    ...(samplingRate && rate >= 0 && rate <= 1 && { SamplingRate: rate }),
    ...(prometheus && { EnablePrometheusMetricsPath: true }),
  };
}
