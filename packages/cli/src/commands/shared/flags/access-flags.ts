/** Flags that say who may use a proxy. Source: cli.md 2.3 and 2.11. */
import type { Flags } from "../../../command-line/flag.ts";

/** What callers may do with a workload. */
export const AUTHZ_FLAGS = {
  "authz-config": {
    kind: "path",
    summary: "File with Cedar policies for tools, prompts and resources; JSON or YAML",
  },
} as const satisfies Flags;

/** Flags for those who observe calls. */
export const OBSERVATION_FLAGS = {
  "audit-config": { kind: "path", summary: "JSON file with audit settings: what to record about calls, and where" },
  "enable-audit": {
    kind: "bool",
    summary: "Write audit events, without data, to the supervisor's standard output; --audit-config overrides it",
  },
  "otel-endpoint": {
    kind: "string",
    summary: "OTLP/HTTP endpoint for traces and metrics, HOST:PORT or URL; by default the one in the settings",
  },
  "otel-service-name": { kind: "string", summary: "Service name in traces and metrics; toolhive-mcp-proxy by default" },
  "otel-sampling-rate": {
    kind: "float",
    summary: "Share of calls to trace, 0 to 1; by default the one in the settings, else 0.1",
  },
  "otel-headers": { kind: "stringArray", summary: "Header for the OTLP endpoint, NAME=VALUE; may be repeated" },
  "otel-insecure": { kind: "bool", summary: "Use plain HTTP for an endpoint without a scheme" },
  "otel-enable-prometheus-metrics-path": { kind: "bool", summary: "Serve /metrics for Prometheus on the proxy's port" },
  "otel-env-vars": {
    kind: "stringArray",
    summary: "Environment variables whose values are added to traces, separated by commas; may be repeated",
  },
} as const satisfies Flags;

/** What `run` and `proxy` ask their clients for. */
export const OIDC_FLAGS = {
  "oidc-issuer": {
    kind: "string",
    summary: "OIDC issuer whose tokens clients need, https://…; its keys are found through discovery",
  },
  "oidc-audience": { kind: "string", summary: "Audience that tokens must have; any by default" },
  "oidc-jwks-url": {
    kind: "string",
    summary: "URL of the issuer's keys (JWKS), instead of the one in its discovery document",
  },
  "oidc-client-id": { kind: "string", summary: "Client ID for introspection of opaque tokens at the issuer" },
  "oidc-skip-opaque-token-validation": {
    kind: "bool",
    summary: "Also accept opaque tokens; the issuer checks each of them (introspection)",
  },
  "thv-ca-bundle": {
    kind: "path",
    summary: "PEM file with additional certificates to trust for requests to the issuer",
  },
  "jwks-auth-token-file": {
    kind: "path",
    summary: "File with a bearer token for requests to the issuer's JWKS endpoint",
  },
  "jwks-allow-private-ip": { kind: "bool", summary: "Allow an issuer on this machine or in a private network" },
} as const satisfies Flags;
