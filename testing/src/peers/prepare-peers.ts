/**
 * Other people's SDKs, as servers and as clients of tests. They are fetched the first time that a file of a run asks for them;
 * without them the tests that need them are skipped, so nothing here fails a run.
 */
import { GO_PEERS } from "./go.ts";
import { JAVA_PEERS } from "./java.ts";
import { PYTHON_PEERS } from "./python.ts";
import { RUST_PEERS } from "./rust.ts";
import type { PeerToolchain } from "./toolchain.ts";
import { TYPESCRIPT_PEERS } from "./typescript.ts";

/** Set to `no`, it spares a machine the packages of the SDKs. */
const SWITCH = "TOOLHIVE_TEST_PEERS";

const TOOLCHAINS = {
  typescript: TYPESCRIPT_PEERS,
  python: PYTHON_PEERS,
  go: GO_PEERS,
  rust: RUST_PEERS,
  java: JAVA_PEERS,
} as const satisfies Readonly<Record<string, PeerToolchain>>;

export type PeerLanguage = keyof typeof TOOLCHAINS;

/** Why no peer of a language can be started here, or `undefined`. For titles of skipped tests. */
export async function findPeerObstacle(language: PeerLanguage): Promise<string | undefined> {
  return process.env[SWITCH] === "no" ? `${SWITCH} is no` : await TOOLCHAINS[language].findObstacle();
}

/** Fetches what is missing and can be had. Never rejects: the tests say in their titles what was missing. */
export async function preparePeers(
  onProgress: (message: string) => unknown = (message) => process.stderr.write(`peers: ${message}\n`),
): Promise<void> {
  if (process.env[SWITCH] === "no") return;
  for (const toolchain of Object.values(TOOLCHAINS)) {
    try {
      await toolchain.prepare(onProgress);
    } catch (error) {
      onProgress(error instanceof Error ? error.message : String(error));
    }
  }
}

export async function findPeerCommand(language: PeerLanguage, sdk: string): Promise<readonly string[]> {
  return await TOOLCHAINS[language].findCommand(sdk);
}

export async function readPeerVersion(language: PeerLanguage, sdk: string): Promise<string> {
  return await TOOLCHAINS[language].readVersion(sdk);
}
