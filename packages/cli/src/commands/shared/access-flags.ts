/** Flags that say who may use a proxy. Source: cli.md 2.3 and 2.11. */
import type { Flag } from "../../command-line/command.ts";

/** What callers may do with a workload. */
export const AUTHZ_FLAGS: readonly Flag[] = [
  {
    name: "authz-config",
    kind: "string",
    summary: "File with Cedar policies that say who may use which tools, prompts and resources; JSON or YAML",
  },
];

/** Who hears of calls. */
export const OBSERVATION_FLAGS: readonly Flag[] = [
  {
    name: "audit-config",
    kind: "string",
    summary: "JSON file that says what is written down about calls, and where",
  },
  {
    name: "enable-audit",
    kind: "bool",
    summary:
      "Write calls down on the supervisor's standard output, without their data; --audit-config takes precedence",
  },
  {
    name: "otel-endpoint",
    kind: "string",
    summary: "Receiver of traces and metrics over OTLP/HTTP, HOST:PORT or an address; the setting when absent",
  },
  { name: "otel-service-name", kind: "string", summary: "Name of the service; toolhive-mcp-proxy when absent" },
  {
    name: "otel-sampling-rate",
    kind: "float",
    summary: "Share of calls that are traced, 0 to 1; default: the setting, or 0.1",
  },
  { name: "otel-headers", kind: "stringArray", summary: "Header for the receiver, NAME=VALUE; may be repeated" },
  {
    name: "otel-insecure",
    kind: "bool",
    summary: "Plain http for an endpoint without a scheme, as for one on this machine",
  },
  {
    name: "otel-enable-prometheus-metrics-path",
    kind: "bool",
    summary: "Serve /metrics for Prometheus on the proxy's port",
  },
  {
    name: "otel-env-vars",
    kind: "stringArray",
    summary: "Variable of this machine whose value is put on traces, or several with commas; may be repeated",
  },
];

/** What `run` and `proxy` ask their clients for. */
export const OIDC_FLAGS: readonly Flag[] = [
  {
    name: "oidc-issuer",
    kind: "string",
    summary: "Ask clients for a token of this issuer, https://…; its keys are found through its discovery document",
  },
  { name: "oidc-audience", kind: "string", summary: "Audience that tokens have to be for; any when absent" },
  {
    name: "oidc-jwks-url",
    kind: "string",
    summary: "Address of the issuer's keys, instead of the one in its discovery document",
  },
  {
    name: "oidc-client-id",
    kind: "string",
    summary: "Client id at the issuer, used when it is asked about opaque tokens",
  },
  {
    name: "oidc-skip-opaque-token-validation",
    kind: "bool",
    summary: "Accept tokens that are no JWTs too; the issuer is asked about each of them",
  },
  {
    name: "thv-ca-bundle",
    kind: "string",
    summary: "PEM file with certificates to trust, besides the usual ones, when the issuer is reached",
  },
  {
    name: "jwks-auth-token-file",
    kind: "string",
    summary: "File with the bearer token that the issuer asks for when its keys are read",
  },
  { name: "jwks-allow-private-ip", kind: "bool", summary: "Allow an issuer on this machine or in a private network" },
];
