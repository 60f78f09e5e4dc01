/** Tools that were chosen for a server and that it does not have. */
import { showLine } from "../../terminal/shown-text.ts";

/** Names that one line repeats. */
const MAX_NAMED = 5;

export function describeMissingTools(server: string, missing: readonly string[]): string {
  const named = missing.slice(0, MAX_NAMED).map((tool) => showLine(tool));
  const rest = missing.length - named.length;
  const names = [...named, ...(rest > 0 ? [`${rest} more`] : [])].join(", ");
  return `${server}: it has no tool ${names}, which was chosen for its clients. See its tools: thv tools list ${server}`;
}
