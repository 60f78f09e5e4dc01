/** Requests to an engine's Docker-compatible API, as tests and start-up need them. Any answer but success throws. */
import { request } from "node:http";

/** Longest wait for an answer, milliseconds. */
const TIMEOUT_MS = 30_000;

/**
 * @param host `unix:///path` or `tcp://host:port`.
 * @returns The body as text.
 */
export async function requestEngine(host: string, method: string, path: string): Promise<string> {
  const url = new URL(host);
  const target = url.protocol === "unix:" ? { socketPath: url.pathname } : { host: url.hostname, port: url.port };
  return await new Promise((resolve, reject) => {
    const outgoing = request({ ...target, method, path, agent: false, timeout: TIMEOUT_MS }, (response) => {
      let body = "";
      response.setEncoding("utf8");
      response.on("data", (chunk: string) => {
        body += chunk;
      });
      response.once("error", reject);
      response.once("end", () => {
        const status = response.statusCode ?? 0;
        if (status >= 200 && status < 400) resolve(body);
        else reject(new Error(`${method} ${path} answered ${status}: ${body.trim().slice(0, 500)}`));
      });
    });
    outgoing.once("timeout", () => outgoing.destroy(new Error(`${host} did not answer within ${TIMEOUT_MS} ms.`)));
    outgoing.once("error", reject);
    outgoing.end();
  });
}

export async function getJson<T>(host: string, path: string): Promise<T> {
  return JSON.parse(await requestEngine(host, "GET", path)) as T;
}

export interface EngineVersion {
  readonly kind: "docker" | "podman";
  readonly version: string;
}

export async function readVersion(host: string): Promise<EngineVersion> {
  const { Version, Components = [] } = await getJson<{ Version: string; Components?: { Name: string }[] }>(
    host,
    "/version",
  );
  const isPodman = Components.some(({ Name }) => Name.startsWith("Podman"));
  return { kind: isPodman ? "podman" : "docker", version: Version };
}

export interface EngineTraits {
  readonly isRootless: boolean;
  /** Whether it bounds the memory and the processes of a container. */
  readonly isBounding: boolean;
}

export async function readTraits(host: string, kind: EngineVersion["kind"]): Promise<EngineTraits> {
  if (kind === "podman") {
    // Not everything that it says in Docker's words is true of a rootless one.
    const path = "/v4.0.0/libpod/info";
    const info = await getJson<{ host: { security: { rootless: boolean }; cgroupControllers: string[] | null } }>(
      host,
      path,
    );
    const isRootless = info.host.security.rootless;
    const controllers = info.host.cgroupControllers ?? [];
    return { isRootless, isBounding: !isRootless || ["memory", "pids"].every((name) => controllers.includes(name)) };
  }
  const { SecurityOptions, MemoryLimit, PidsLimit } = await getJson<{
    SecurityOptions?: string[] | null;
    MemoryLimit?: boolean;
    PidsLimit?: boolean;
  }>(host, "/info");
  const isRootless = (SecurityOptions ?? []).some((option) => option.includes("name=rootless"));
  return { isRootless, isBounding: MemoryLimit === true && PidsLimit === true };
}
