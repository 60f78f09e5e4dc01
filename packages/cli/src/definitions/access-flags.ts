/** Flags that say who may use a proxy. Source: cli.md 2.3 and 2.11. */
import type { Flag } from "../command.ts";

/** What callers may do with a workload. */
export const AUTHZ_FLAGS: readonly Flag[] = [
  {
    name: "authz-config",
    kind: "string",
    summary: "File with Cedar policies that say who may use which tools, prompts and resources; JSON or YAML",
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
