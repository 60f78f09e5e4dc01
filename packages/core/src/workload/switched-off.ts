/** What a configuration gives up of the protection that a server has by default. */
import type { RunConfig } from "./run-config.ts";

type Members = Pick<
  RunConfig,
  "image_verification" | "pin_tools" | "changed_tools" | "limits" | "host" | "allowed_hosts" | "allow_insecure_http"
>;

/** @returns Half a sentence for each, without a full stop; empty in the usual case. */
export function listSwitchedOff(config: Members): string[] {
  const { image_verification: verification, pin_tools: pins, changed_tools: changed, limits = {}, host } = config;
  const unlimited = [
    limits.memory_bytes === 0 ? "memory" : [],
    limits.cpus === 0 ? "CPUs" : [],
    limits.pids === 0 ? "processes" : [],
  ].flat();
  return [
    verification === "disabled" ? "nobody checks where its image comes from" : [],
    pins === "off" ? "tools that change later are not held back" : [],
    changed === "allow" ? "a tool that has changed can be called before you accept it" : [],
    unlimited.length > 0 ? `it has no limit of ${unlimited.join(", ")}` : [],
    host === "localhost" || host.startsWith("127.") ? [] : `other machines can call it, at ${host}`,
    (config.allowed_hosts ?? []).length > 0 ? `clients may call it as ${config.allowed_hosts?.join(", ")}` : [],
    config.allow_insecure_http ? "its address is called without TLS" : [],
  ].flat();
}
