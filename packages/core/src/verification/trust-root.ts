/** The authorities that signatures are checked with: a file of one's own, or Sigstore's, over TUF and kept on disk. */
import { join } from "node:path";
import type { TrustedRoot } from "@sigstore/protobuf-specs";
import { readBoundedText } from "../files/bounded-file.ts";
import { describeError } from "../support/errors.ts";

/** The public good instance of Sigstore. */
const DEFAULT_HOST = "tuf-repo-cdn.sigstore.dev";
/** Milliseconds for one file of a trust root. */
const FETCH_TIMEOUT_MS = 5_000;

export interface TrustRootOptions {
  /** A `trusted_root.json` to trust instead of what an entry names. Default: none. */
  readonly trustedRootPath?: string | undefined;
  /** Where roots that were fetched are kept. */
  readonly cacheDirectory: string;
}

/**
 * A cached root that has not expired is used as it is, without the network.
 *
 * @param host Of a TUF repository, as registry entries name it. Default: Sigstore's own.
 * @throws With a message that says which root is not available.
 */
export async function loadTrustRoot(
  host: string | undefined,
  { trustedRootPath, cacheDirectory }: TrustRootOptions,
): Promise<TrustedRoot> {
  const source = trustedRootPath || host || DEFAULT_HOST;
  try {
    if (trustedRootPath) {
      const { TrustedRoot } = await import("@sigstore/protobuf-specs");
      return TrustedRoot.fromJSON(JSON.parse(await readBoundedText(trustedRootPath)));
    }
    const { getTrustedRoot } = await import("@sigstore/tuf");
    return await getTrustedRoot({
      mirrorURL: `https://${source}`,
      cachePath: join(cacheDirectory, "sigstore"),
      timeout: FETCH_TIMEOUT_MS,
      retry: { retries: 1 },
      forceCache: true,
    });
  } catch (error) {
    throw new Error(`the trust root ${source} is not available: ${describeError(error)}`, { cause: error });
  }
}
