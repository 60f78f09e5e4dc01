/** Addresses such as `:8080`, as flags of programs in a cluster name them. */
import { ThvError } from "@toolhive/core/errors";

export interface BindAddress {
  readonly host: string;
  /** 0 chooses a free one. */
  readonly port: number;
}

/** Every address of the pod, over IPv4 and, where there is one, IPv6. */
const EVERY_HOST = "::";
const FORM = /^(?:\[([0-9a-fA-F:.]+)\]|([^:[\]\s]*)):(\d{1,5})$/;

/**
 * @param flag The source of the text, for the message.
 * @returns `undefined` for `0`, which means nothing at all.
 * @throws {ThvError} `USAGE`.
 */
export function parseBindAddress(text: string, flag: string): BindAddress | undefined {
  if (text === "0") return undefined;
  const [, address, name, digits] = FORM.exec(text) ?? [];
  const port = Number(digits ?? Number.NaN);
  if (!(port <= 65_535)) {
    throw new ThvError("USAGE", `${flag} is "${text}" but must be HOST:PORT, :PORT or 0.`, {
      hint: `For example: ${flag} :8080, or ${flag} 0 for none`,
    });
  }
  return { host: address || name || EVERY_HOST, port };
}
