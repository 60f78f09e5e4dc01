/** References to variables in the arguments and variables of a container, which Kubernetes replaces before a server starts. */

/** @returns A text that the kubelet turns into the given one. */
export function escapeReferences(text: string): string {
  return /\$[$(]/.test(text) ? text.replaceAll("$", "$$$$") : text;
}

/**
 * @param variables What is known of the container's variables. A reference to another one stays as it is, as the kubelet leaves it.
 * @returns What the kubelet makes of a text.
 */
export function expandReferences(text: string, variables: ReadonlyMap<string, string>): string {
  return text.replace(/\$\$|\$\(([^()]*)\)/g, (found, name?: string) => {
    if (name === undefined) return "$";
    return variables.get(name) ?? found;
  });
}
