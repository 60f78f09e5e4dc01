/** Finds out at the start whether tokens can be checked: a proxy that refuses every caller does not replace one that works. */
import { open } from "node:fs/promises";
import { setTimeout as delay } from "node:timers/promises";
import { type Logger, type OidcConfig, readOidcOptions, TokenVerifier } from "@toolhive/core";
import { describeError, hasCode } from "@toolhive/core/errors";
import type { StartFailure } from "../contract/index.ts";

/** Milliseconds that an issuer has to answer. The kubelet then starts the proxy again, each time later. */
const PATIENCE_MS = 10_000;
const AGAIN_MS = 500;
/** Where the kubelet reads why a container ended; it makes this file. */
const TERMINATION_FILE = "/dev/termination-log";
/** Bytes that the kubelet reads. */
const MAX_BYTES = 4_096;

interface AwaitOptions {
  readonly log: Logger;
  readonly signal: AbortSignal;
  /** Default: 10 seconds. */
  readonly patienceMs?: number | undefined;
  /** Default: `/dev/termination-log`. */
  readonly terminationFile?: string | undefined;
}

/**
 * Resolves once the issuer's keys were read, or the signal fires.
 *
 * @throws {ThvError} `INVALID_ARGUMENT` at once; `ISSUER_UNAVAILABLE` after a while. The reason is then in the termination file.
 */
export async function awaitIssuer(config: OidcConfig, options: AwaitOptions): Promise<void> {
  const { log, signal, patienceMs = PATIENCE_MS, terminationFile = TERMINATION_FILE } = options;
  const end = performance.now() + patienceMs;
  while (!signal.aborted) {
    try {
      await TokenVerifier.open(await readOidcOptions(config));
      return;
    } catch (error) {
      const isAway = hasCode(error, "ISSUER_UNAVAILABLE");
      if (!isAway || performance.now() >= end) {
        await leaveReason(isAway ? "IssuerUnavailable" : "IssuerRefused", error, terminationFile);
        throw error;
      }
      log.warn({ reason: describeError(error) }, "issuer does not answer, trying again");
    }
    await delay(AGAIN_MS, undefined, { signal }).catch(() => undefined);
  }
}

async function leaveReason(failure: StartFailure, error: unknown, path: string): Promise<void> {
  const hint = (error as { readonly hint?: unknown } | null)?.hint;
  const text = `${failure}: ${[describeError(error), hint].filter(Boolean).join(" ")}`;
  // Outside of a pod there is no such file, and no reader for it.
  const file = await open(path, "r+").catch(() => undefined);
  await file?.write(Buffer.from(text).subarray(0, MAX_BYTES));
  await file?.close();
}
