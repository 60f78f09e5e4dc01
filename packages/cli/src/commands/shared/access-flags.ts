/** Flags that say who may use a proxy. Source: cli.md 2.3 and 2.11. */
import type { Flags } from "../../command-line/flag.ts";

/** What callers may do with a workload. */
export const AUTHZ_FLAGS = {
  "authz-config": {
    kind: "path",
    summary: "File with Cedar policies that say who may use which tools, prompts and resources; JSON or YAML",
  },
} as const satisfies Flags;

/** Who hears of calls. */
export const OBSERVATION_FLAGS = {
  "audit-config": { kind: "path", summary: "JSON file that says what is written down about calls, and where" },
  "enable-audit": {
    kind: "bool",
    summary:
      "Write calls down on the supervisor's standard output, without their data; --audit-config takes precedence",
  },
  "otel-endpoint": {
    kind: "string",
    summary: "Receiver of traces and metrics over OTLP/HTTP, HOST:PORT or an address; the setting when absent",
  },
  "otel-service-name": { kind: "string", summary: "Name of the service; toolhive-mcp-proxy when absent" },
  "otel-sampling-rate": {
    kind: "float",
    summary: "Share of calls that are traced, 0 to 1; default: the setting, or 0.1",
  },
  "otel-headers": { kind: "stringArray", summary: "Header for the receiver, NAME=VALUE; may be repeated" },
  "otel-insecure": { kind: "bool", summary: "Plain http for an endpoint without a scheme, as for one on this machine" },
  "otel-enable-prometheus-metrics-path": { kind: "bool", summary: "Serve /metrics for Prometheus on the proxy's port" },
  "otel-env-vars": {
    kind: "stringArray",
    summary: "Variable of this machine whose value is put on traces, or several with commas; may be repeated",
  },
} as const satisfies Flags;

/** What `run` and `proxy` ask their clients for. */
export const OIDC_FLAGS = {
  "oidc-issuer": {
    kind: "string",
    summary: "Ask clients for a token of this issuer, https://…; its keys are found through its discovery document",
  },
  "oidc-audience": { kind: "string", summary: "Audience that tokens have to be for; any when absent" },
  "oidc-jwks-url": {
    kind: "string",
    summary: "Address of the issuer's keys, instead of the one in its discovery document",
  },
  "oidc-client-id": { kind: "string", summary: "Client id at the issuer, used when it is asked about opaque tokens" },
  "oidc-skip-opaque-token-validation": {
    kind: "bool",
    summary: "Accept tokens that are no JWTs too; the issuer is asked about each of them",
  },
  "thv-ca-bundle": {
    kind: "path",
    summary: "PEM file with certificates to trust, besides the usual ones, when the issuer is reached",
  },
  "jwks-auth-token-file": {
    kind: "path",
    summary: "File with the bearer token that the issuer asks for when its keys are read",
  },
  "jwks-allow-private-ip": { kind: "bool", summary: "Allow an issuer on this machine or in a private network" },
} as const satisfies Flags;
