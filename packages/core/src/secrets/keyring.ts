/**
 * The keyring of the operating system, as a port, and its adapter. Locations are those of the reference, so that a
 * password stored by it is found (api-behaviour 7.2). On Linux only the Secret Service counts: the kernel's own keyring
 * forgets at the next start, and with it every secret would be lost.
 */
import type { AsyncEntry } from "@napi-rs/keyring";
import { describeError } from "../support/errors.ts";
import { startTimeout } from "../support/timeout-signal.ts";

const SERVICE = "toolhive";
const ACCOUNT = "toolhive";
const WINDOWS_TARGET = "toolhive:toolhive";
/** What the reference's library puts before a value on macOS. */
const BASE64_PREFIX = "go-keyring-base64:";
/** Milliseconds a keyring has; it may be asking its user to unlock it. */
const TIMEOUT_MS = 30_000;

export interface Keyring {
  get(): Promise<string | undefined>;
  set(password: string): Promise<void>;
  /** @returns Whether there was one. */
  delete(): Promise<boolean>;
}

export type OpenKeyring = () => Promise<Keyring | { readonly unavailable: string }>;

/** @returns The keyring after it has answered once, or why there is none. */
export const openSystemKeyring: OpenKeyring = async () => {
  try {
    const { AsyncEntry } = await import("@napi-rs/keyring");
    const entry =
      process.platform === "win32"
        ? AsyncEntry.withTarget(WINDOWS_TARGET, SERVICE, ACCOUNT)
        : new AsyncEntry(SERVICE, ACCOUNT, { linux: { store: "secret-service" } });
    const keyring = adapt(entry);
    await keyring.get();
    return keyring;
  } catch (error) {
    return { unavailable: describeError(error).split("\n")[0] ?? "" };
  }
};

function adapt(entry: AsyncEntry): Keyring {
  const signal = () => startTimeout(TIMEOUT_MS);
  return {
    get: async () => {
      const bytes = await entry.getSecret(signal());
      return bytes ? decodePassword(Uint8Array.from(bytes)) : undefined;
    },
    set: async (password) => await entry.setSecret(Buffer.from(password, "utf8"), signal()),
    delete: async () => await entry.deleteCredential(signal()),
  };
}

/** A stored password as text: UTF-8, UTF-16 where Windows wrote it, or base64 with the reference's prefix. */
export function decodePassword(bytes: Uint8Array): string {
  const buffer = Buffer.from(bytes);
  const isUtf16 = buffer.length > 1 && buffer.length % 2 === 0 && buffer[1] === 0;
  const text = buffer.toString(isUtf16 ? "utf16le" : "utf8");
  return text.startsWith(BASE64_PREFIX) ? Buffer.from(text.slice(BASE64_PREFIX.length), "base64").toString() : text;
}
