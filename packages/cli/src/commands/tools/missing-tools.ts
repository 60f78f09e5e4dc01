/** Tools that were chosen for a server and that it does not have. */
import { nameSome } from "../../terminal/name-some.ts";

export function describeMissingTools(server: string, missing: readonly string[]): string {
  return `${server}: it has no tool ${nameSome(missing)}, which was chosen for its clients. See its tools: thv tools list ${server}`;
}
