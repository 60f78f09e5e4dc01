/** The certificates that remote servers may have besides the usual ones: of the settings, and of Node's own variable. */
import { readCaCertificate } from "@toolhive/core";

/** @returns PEM; nothing when none is set. @throws {ThvError} `INVALID_ARGUMENT`. */
export async function readTrusted(path: string | undefined, env: NodeJS.ProcessEnv): Promise<string | undefined> {
  // Node reads its variable only where no certificate is set for a request.
  const paths = [path, path ? env.NODE_EXTRA_CA_CERTS : undefined].filter((each) => each !== undefined && each !== "");
  const all = await Promise.all(paths.map(async (each) => (await readCaCertificate(each ?? "")).pem));
  return all.length === 0 ? undefined : all.join("\n");
}
