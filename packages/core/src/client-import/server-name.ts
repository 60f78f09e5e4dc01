/** Clients take any text for a server's name; a workload's name has fewer characters. */

/** A text with the characters that names may have; empty when there are none. */
export function formatPlainName(text: string): string {
  return text.replace(/[^A-Za-z0-9._-]+/g, "-").replace(/^[^A-Za-z0-9]+/, "");
}

/** What a name may be made of, without hyphens at the end. */
export function formatServerName(given: string): string {
  let name = formatPlainName(given);
  while (name.endsWith("-")) name = name.slice(0, -1);
  return name;
}

/** The name under which a secret of a server's variable or header is stored. */
export function formatSecretName(server: string, target: string): string {
  return `${server}-${target}`
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-|-$/g, "");
}
