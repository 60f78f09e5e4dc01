/** Reads `WWW-Authenticate` (RFC 9110, 11.6.1): several schemes in one text, each with a token or with parameters. */

export interface SchemeChallenge {
  /** In lower case. */
  readonly scheme: string;
  /** Names in lower case; one may be there twice. */
  readonly parameters: readonly (readonly [name: string, value: string])[];
}

const SEPARATORS = /[\s,]*/y;
const TOKEN = /[^\s,="]+/y;
/** Blanks around `=` are no good form, but have to be understood. */
const EQUALS = /\s*=\s*/y;
const QUOTED = /"((?:[^"\\]|\\.)*)"?/sy;
/** More than a token may hold, because addresses are written without quotes. */
const BARE = /[^\s,]*/y;

/** Never fails: text that belongs to no scheme is omitted. */
export function parseSchemes(header: string): readonly SchemeChallenge[] {
  const found: { scheme: string; parameters: [string, string][] }[] = [];
  let at = 0;
  const take = (pattern: RegExp): RegExpExecArray | undefined => {
    pattern.lastIndex = at;
    const match = pattern.exec(header);
    if (match) at += match[0].length;
    return match ?? undefined;
  };
  while (at < header.length) {
    take(SEPARATORS);
    const name = take(TOKEN)?.[0].toLowerCase();
    if (name === undefined) at += 1;
    else if (take(EQUALS)) {
      const value = take(QUOTED)?.[1]?.replace(/\\(.)/gs, "$1") ?? take(BARE)?.[0] ?? "";
      found.at(-1)?.parameters.push([name, value]);
    }
    // The token that may follow a scheme counts as one more scheme, or as a parameter when it ends with `=`: neither is used.
    else found.push({ scheme: name, parameters: [] });
  }
  return found;
}
