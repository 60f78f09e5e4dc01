/**
 * Words with a part of their own in ranking: stop words, which carry no subject, words of asking, which carry little, and
 * synonyms, which carry the same one. All are general to documentation of command-line tools; an index may bring synonyms of
 * its own.
 */

const STOP_WORDS = new Set(
  (
    "a about after all also am an and any are as at be been before being but by can cannot could did do does doing for from " +
    "had has have having he her here him his how i if in into is it its itself me my no nor not of on once only or other our " +
    "out over own same shall she should so some such than that the their them then there these they this those through to " +
    "too under until us very was we were what when where which while who whom why will with would you your"
  ).split(" "),
);

/** Whether a folded word says nothing about the subject of a question. */
export function isStopWord(term: string): boolean {
  return STOP_WORDS.has(term);
}

const ASKING_WORDS = new Set(
  (
    "come find get give go happen happens have know let like look make makes making mean means need needs possible put see tell " +
    "thing things try use used uses using want wants way ways work working works"
  ).split(" "),
);

/** Whether a folded word belongs to the way of asking more than to what is asked for: `make`, `use`, `want`. */
export function isAskingWord(term: string): boolean {
  return ASKING_WORDS.has(term);
}

/** Groups of words that readers use for one another. Every member finds the others, ranked below itself. */
export const DEFAULT_SYNONYMS: readonly (readonly string[])[] = [
  ["k8s", "kubernetes", "k8"],
  ["config", "configuration", "configure", "settings"],
  ["env", "environment"],
  ["var", "variable"],
  ["repo", "repository"],
  ["dir", "directory", "folder"],
  ["cert", "certificate"],
  ["ca", "certificate"],
  ["auth", "authentication", "authenticate"],
  ["login", "signin", "authenticate"],
  ["perm", "permission"],
  ["delete", "remove", "rm"],
  ["uninstall", "remove"],
  ["begin", "start", "launch"],
  ["quit", "stop", "terminate"],
  ["display", "show", "view"],
  ["upgrade", "update"],
  ["setup", "configure"],
  ["editor", "client", "ide"],
  ["internet", "network", "outbound", "egress"],
  ["restrict", "limit", "block"],
  ["credential", "secret", "token", "key"],
  ["store", "save", "keep"],
  ["password", "passphrase"],
  ["free", "cost", "price", "licence", "license"],
  ["mount", "volume"],
  ["command", "cli"],
  ["desktop", "ui", "gui"],
  ["engine", "runtime"],
  ["error", "failure", "problem"],
  ["forgot", "forgotten", "lost"],
  ["docs", "documentation"],
  ["otel", "opentelemetry", "telemetry"],
  ["creds", "credential"],
  ["ls", "list"],
  ["change", "set", "edit", "modify"],
  ["unauthorized", "unauthenticated"],
  ["compatible", "supported"],
];
