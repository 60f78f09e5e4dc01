/** Addresses from outside that a person may open in a browser. */

const MAX_ADDRESS = 8_192;
/** Programs do not agree where a host ends in an address with one of these. */
const AMBIGUOUS = /[\s\\\p{Cc}]/u;

/** @returns Whether it begins with https:// or http://, and nothing before its host could pass for the host. */
export function isWebAddress(address: unknown): address is string {
  if (typeof address !== "string" || address.length > MAX_ADDRESS || AMBIGUOUS.test(address)) return false;
  if (!/^https?:\/\//i.test(address) || !URL.canParse(address)) return false;
  const { username, password } = new URL(address);
  return username === "" && password === "";
}
