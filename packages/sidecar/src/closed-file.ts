/**
 * The list of closed networks while the sidecar runs. On an engine the supervisor replaces it by running the sidecar's program
 * once more in the same container; the two share a folder in memory, which no other container sees. In a pod it is a ConfigMap.
 */
import { readFileSync } from "node:fs";
import { CLOSED_LINE, parseClosed } from "@toolhive/core/sidecar-rules";
import { createSharedFile } from "./shared-file.ts";

const parse = (text: string) => parseClosed(JSON.parse(text));

export const closedNetworksFile = createSharedFile<string[]>({
  path: "/tmp/closed-networks.json",
  parse,
  writtenLine: CLOSED_LINE,
});

/** @throws {Error} When the file is missing, or holds anything but a list of networks. */
export function readClosedFile(path: string): string[] {
  return parse(readFileSync(path, "utf8"));
}
