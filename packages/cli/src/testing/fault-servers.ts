/** Servers of the echo image for tests of faults: on stdio, on streamable HTTP, and isolated behind a sidecar. */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { runThv, type TestEngine, type ThrowawayHome } from "@toolhive/testing";

export const ECHO_IMAGE = "toolhive-test/echo:test";
const SIDECAR_BASE = { TOOLHIVE_SIDECAR_BASE_IMAGE: "docker.io/toolhive-test/sidecar-base:test" };
const PROFILE = { network: { outbound: { allow_host: ["allowed.test"] } } };

/** The kind is the workload's name. */
export type ServerKind = "stdio" | "streamable-http" | "isolated";

/** @param args For the server. @returns Its address. @throws {Error} When it does not start. */
export async function startServer(
  kind: ServerKind,
  { engine, home, args = [] }: { engine: TestEngine; home: ThrowawayHome; args?: readonly string[] },
): Promise<string> {
  const profile = join(home.workDirectory, "profile.json");
  await writeFile(profile, JSON.stringify(PROFILE));
  const flags = {
    stdio: [],
    "streamable-http": ["--transport", "streamable-http", "--target-port", "3001"],
    isolated: ["--permission-profile", profile, "--isolate-network"],
  }[kind];
  const command = ["run", "--name", kind, ...flags, ECHO_IMAGE, "--", ...args];
  const { code, stdout, stderr } = await runThv(command, { home, engine, env: SIDECAR_BASE });
  if (code !== 0) throw new Error(`thv ${command.join(" ")}: ${stderr}`);
  return stdout.trim().split(" ").at(-1) ?? "";
}
