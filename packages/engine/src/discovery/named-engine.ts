/** The engine that the user named: by our variables, by the settings, by `DOCKER_HOST` or by `CONTAINER_HOST`. */
import { join } from "node:path";
import { parseEngineAddress, type TlsFiles } from "../connection/engine-address.ts";
import type { DiscoveryInput, EngineCandidate } from "./candidate.ts";

/** @throws {ThvError} `INVALID_ARGUMENT` for a malformed address. */
export function findNamedEngine(input: DiscoveryInput): EngineCandidate | undefined {
  const { env, configured = "" } = input;
  for (const origin of ["TOOLHIVE_PODMAN_SOCKET", "TOOLHIVE_DOCKER_SOCKET"] as const) {
    const path = env[origin];
    if (path) return { address: { kind: "socket", path }, origin, explicit: true };
  }
  const tls = listTlsFiles(input);
  if (configured !== "") {
    const origin = "thv config set-engine";
    return { address: parseEngineAddress(configured, { origin, tls }), origin, explicit: true };
  }
  if (env.DOCKER_HOST) {
    const origin = "DOCKER_HOST";
    return { address: parseEngineAddress(env.DOCKER_HOST, { origin, tls }), origin, explicit: true };
  }
  if (env.CONTAINER_HOST) {
    const origin = "CONTAINER_HOST";
    const address = parseEngineAddress(env.CONTAINER_HOST, { origin, program: "podman" });
    const identity = env.CONTAINER_SSHKEY;
    return { address: address.kind === "ssh" && identity ? { ...address, identity } : address, origin, explicit: true };
  }
  return undefined;
}

/** As Docker's client reads them: `DOCKER_TLS_VERIFY` asks for TLS with a check, `DOCKER_TLS` for TLS without one. */
function listTlsFiles({ env, home }: DiscoveryInput): TlsFiles | undefined {
  if (!env.DOCKER_TLS_VERIFY && !env.DOCKER_TLS) return undefined;
  const directory = env.DOCKER_CERT_PATH || env.DOCKER_CONFIG || join(home, ".docker");
  const file = (name: string) => join(directory, name);
  return {
    ca: file("ca.pem"),
    cert: file("cert.pem"),
    key: file("key.pem"),
    skipsVerification: !env.DOCKER_TLS_VERIFY,
  };
}
