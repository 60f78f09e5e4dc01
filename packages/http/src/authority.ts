/** Reads the value of a Host header, or what follows the scheme of an Origin. */

export interface Authority {
  /** In lower case, IPv6 without brackets. */
  readonly name: string;
  /** Absent for the usual port of the scheme. */
  readonly port: number | undefined;
}

/** @param text `name`, `name:port`, `[v6]` or `[v6]:port`. @returns `undefined` for anything else. */
export function parseAuthority(text: string): Authority | undefined {
  const match = /^(?:\[([0-9a-fA-F:.]+)\]|([^:\s/@]+))(?::(\d{1,5}))?$/.exec(text);
  if (match === null) return undefined;
  const name = match[1] ?? match[2] ?? "";
  return { name: name.toLowerCase(), port: match[3] === undefined ? undefined : Number(match[3]) };
}
