/**
 * What the sidecar lets out while it runs. The supervisor replaces it by running the sidecar's program once more in the same
 * container; see `closed-file.ts`.
 */
import { ALLOWED_LINE, type OutgoingRules, parseOutgoingRules } from "@toolhive/core/sidecar-rules";
import { createSharedFile } from "./shared-file.ts";

export const rulesFile = createSharedFile<OutgoingRules>({
  path: "/tmp/outgoing-rules.json",
  parse: parseOutgoingRules,
  writtenLine: ALLOWED_LINE,
});
