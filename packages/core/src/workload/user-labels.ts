/** Labels that a user gives a workload: Kubernetes' syntax, because people select by the same labels there. */

/** Characters; each `.`-separated part of a prefix follows DNS (RFC 1123). */
const MAX_PREFIX_LENGTH = 253;
const MAX_NAME_LENGTH = 63;
const MAX_VALUE_LENGTH = 63;

const WORD = /^[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?$/;
const PREFIX = /^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)*$/;
/** Labels of our own, by which containers are found again: users may not set them. */
const RESERVED = /^toolhive/i;

/** What is wrong with a label, as a sentence that names it; `undefined` when nothing is. */
export function findLabelProblem(key: string, value: string): string | undefined {
  const label = `label "${show(key)}"`;
  if (RESERVED.test(key)) return `${label} is reserved: labels that begin with "toolhive" are set by the program`;
  const slash = key.indexOf("/");
  const prefix = slash === -1 ? undefined : key.slice(0, slash);
  const name = key.slice(slash + 1);
  if (prefix !== undefined && (prefix.length > MAX_PREFIX_LENGTH || !PREFIX.test(prefix))) {
    return `${label} has a prefix that is not a DNS name in lower case of at most ${MAX_PREFIX_LENGTH} characters`;
  }
  if (name.length > MAX_NAME_LENGTH || !WORD.test(name)) {
    return `${label} has a name that is not 1 to ${MAX_NAME_LENGTH} letters, digits, "-", "_" and ".", with a letter or digit at both ends`;
  }
  if (value.length > MAX_VALUE_LENGTH || (value !== "" && !WORD.test(value))) {
    return `${label} has the value "${show(value)}", which is not empty or up to ${MAX_VALUE_LENGTH} letters, digits, "-", "_" and ".", with a letter or digit at both ends`;
  }
  return undefined;
}

/** Those that are the user's. */
export function pickUserLabels(labels: Readonly<Record<string, string>> = {}): Record<string, string> {
  return Object.fromEntries(Object.entries(labels).filter(([key]) => !RESERVED.test(key)));
}

/** Messages are one line and not long. */
function show(text: string): string {
  return text.replace(/\p{Cc}/gu, "?").slice(0, 80);
}
