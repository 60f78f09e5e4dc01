/**
 * Recognizes values that look secret, by their name or their content. In doubt a value counts as secret. A placeholder is none:
 * only the client whose settings hold it knows what takes its place.
 */

/** Names of secret values, wherever they occur: `GITHUB_TOKEN`, `apiKey`, `Authorization`. */
const SECRET_NAME =
  /(?:api|access|private|secret|signing|encryption)[-_]?key|token|secret|passw|pwd|credential|auth|cookie|bearer|(?:^|[-_])(?:key|pat|pass|dsn)(?:$|[-_])|connection[-_]?string|database[-_]?ur[il]/i;
/** Beginnings of keys of well-known services. */
const KEY =
  /^(?:gh[a-z]_|github_pat_|glpat-|sk-|pk-|rk_|sk_|xox[a-z]-|AKIA|AIza|eyJ|hf_|npm_|pypi-|Bearer |Basic |Token )/i;
/** Headers with a token among other text, such as in JSON. */
const HEADER = /\bBearer\s+\S|"authorization"/i;
/** Characters of a run of letters and digits together, which no word, path or address is. */
const RANDOM_LENGTH = 20;

export function isSecretLike(name: string, value: string): boolean {
  return value !== "" && (SECRET_NAME.test(name) || isSecretValue(value));
}

export function isSecretValue(value: string): boolean {
  return (
    KEY.test(value) ||
    HEADER.test(value) ||
    value.toUpperCase().includes("-----BEGIN") ||
    hasPassword(value) ||
    hasRandomRun(value)
  );
}

/** Whether an address has a password, or a value that looks secret in its query. */
export function hasSecretAddress(address: string): boolean {
  if (!URL.canParse(address)) return false;
  const { username, password, searchParams } = new URL(address);
  return `${username}${password}` !== "" || [...searchParams].some(([key, value]) => isSecretLike(key, value));
}

/** @returns Which argument looks secret, by its name or its value: `--key`, `number 2`. */
export function findSecretArgument(args: readonly string[]): string | undefined {
  for (const [index, arg] of args.entries()) {
    const [, flag = "", joined] = /^--?([A-Za-z][\w-]*)(?:=(.*))?$/s.exec(arg) ?? [];
    const value = joined ?? args[index + 1] ?? "";
    const isNamed = flag !== "" && isSecretName(flag) && value !== "" && !value.startsWith("-");
    if (isNamed || isSecretValue(joined ?? arg)) return flag === "" ? `number ${index + 1}` : `--${flag}`;
  }
  return undefined;
}

/** Whether it holds an address with a password, such as `postgres://me:password@db`. */
function hasPassword(value: string): boolean {
  const authorities = value.split("://").slice(1);
  return authorities.some((rest) => {
    const [authority = ""] = rest.split(/[/\s]/, 1);
    return authority.slice(0, Math.max(0, authority.lastIndexOf("@"))).includes(":");
  });
}

/** What instructions write where a value of the reader's own belongs: `YOUR_API_KEY`, `<token>`, `sk-...`. */
const STAND_IN =
  /^<.*>$|^\[.*\]$|\*{3}|x{4}|\.\.\.|…|(?:^|[^a-z])(?:your|replace|insert|change)[-_ ]?(?:me|this|with)?(?:[^a-z]|$)|placeholder|[-_ ]here$|^[\w .-]{0,60}(?:access|api|auth)[ _-]?(?:token|key)$/i;

export function isStandIn(value: string): boolean {
  return value.length <= 200 && STAND_IN.test(value);
}

export function isSecretName(name: string): boolean {
  return SECRET_NAME.test(name);
}

function hasRandomRun(value: string): boolean {
  const runs = value.split(/[^A-Za-z0-9_-]/);
  return runs.some((run) => run.length >= RANDOM_LENGTH && /\d/.test(run) && /[A-Za-z]/.test(run));
}
