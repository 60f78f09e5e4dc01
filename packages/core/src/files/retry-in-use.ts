/**
 * Windows refuses to replace, remove or create a file while another program has it open, for example a virus scanner that reads a
 * new file. Most close it within milliseconds.
 */
import { setTimeout as delay } from "node:timers/promises";
import { readSystemCode } from "../support/errors.ts";

/** What Windows says then; it says the same where this user has no permission. */
const IN_USE = new Set(["EPERM", "EACCES", "EBUSY"]);
/** Milliseconds before each further try: 2.6 s in all. */
const WAITS_MS = [10, 20, 40, 80, 160, 320, 640, 1_280];

interface RetryOptions {
  /** Default: this machine's. Only Windows needs further tries. */
  readonly platform?: NodeJS.Platform;
  /** Default: time passes. */
  readonly wait?: (ms: number) => Promise<unknown>;
}

/** Does the work again while a file is in use. @throws The last failure, or at once one of another kind. */
export async function retryInUse<T>(
  work: () => Promise<T>,
  { platform = process.platform, wait = delay }: RetryOptions = {},
): Promise<T> {
  if (platform !== "win32") return await work();
  for (const ms of WAITS_MS) {
    try {
      return await work();
    } catch (error) {
      if (!IN_USE.has(readSystemCode(error) ?? "")) throw error;
      await wait(ms);
    }
  }
  return await work();
}
