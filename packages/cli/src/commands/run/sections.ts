/** The sections in which help, the manual and the reference show the flags of `thv run` and `thv edit`. */
import type { FlagSection } from "../../command-line/flag.ts";

export const RUN_SECTIONS: readonly FlagSection[] = [
  {
    title: "Server",
    flags: ["name", "image", "unset", "env", "env-from", "volume", "transport", "label", "group", "pull"],
    rare: ["base-image", "ca-cert", "image-verification", "target-host", "target-port", "user", "with"],
  },
  { title: "Address for clients", flags: ["proxy-port"], rare: ["allowed-host", "host", "proxy-mode"] },
  { title: "Secrets", flags: ["secret"] },
  {
    title: "Network and permissions",
    flags: ["isolate-network", "learn", "permission-profile", "read-only"],
  },
  { title: "Limits and sleep", flags: ["cpus", "memory", "pids-limit", "sleep-after"] },
  { title: "Tools", flags: ["find-tools", "tools"], rare: ["changed-tools", "pin-tools", "tools-override"] },
  {
    title: "Remote servers",
    flags: ["remote-auth-bearer-token-file", "remote-forward-headers", "remote-forward-headers-secret"],
    rare: [
      ...["remote-allow-http", "remote-auth", "remote-auth-authorize-url", "remote-auth-bearer-token"],
      ...["remote-auth-callback-port", "remote-auth-client-id", "remote-auth-client-secret"],
      ...["remote-auth-client-secret-file", "remote-auth-issuer", "remote-auth-resource", "remote-auth-scopes"],
      ...["remote-auth-skip-browser", "remote-auth-timeout", "remote-auth-token-url"],
    ],
  },
  {
    title: "Access",
    flags: ["authz-config", "oidc-audience", "oidc-issuer"],
    rare: [
      ...["jwks-allow-private-ip", "jwks-auth-token-file", "oidc-client-id", "oidc-jwks-url"],
      ...["oidc-skip-opaque-token-validation", "thv-ca-bundle"],
    ],
  },
  {
    title: "Audit and telemetry",
    flags: ["enable-audit", "otel-endpoint"],
    rare: [
      ...["audit-config", "otel-enable-prometheus-metrics-path", "otel-env-vars", "otel-headers", "otel-insecure"],
      ...["otel-sampling-rate", "otel-service-name"],
    ],
  },
];
