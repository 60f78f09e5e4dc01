/**
 * The list of closed networks while the sidecar runs. On an engine the supervisor replaces it by running the sidecar's program
 * once more in the same container; the two share a folder in memory, which no other container sees. In a pod it is a ConfigMap.
 */
import { readFileSync, renameSync, watchFile, writeFileSync, writeSync } from "node:fs";
import { CLOSED_LINE, parseClosed } from "@toolhive/core/sidecar-rules";

const PATH = "/tmp/closed-networks.json";
/** Milliseconds between two looks at the file. */
const LOOK_MS = 500;

export const openClosedFile = {
  /** @throws {Error} For anything but a list of networks. */
  write(text: string, path = PATH): void {
    const networks = parseClosed(JSON.parse(text));
    writeFileSync(`${path}.new`, JSON.stringify(networks), { mode: 0o644 });
    renameSync(`${path}.new`, path);
    writeSync(process.stdout.fd, `${CLOSED_LINE}\n`);
  },

  /** @throws {Error} When the file is missing, or holds anything but a list of networks. */
  read(path: string): string[] {
    return parseClosed(JSON.parse(readFileSync(path, "utf8")));
  },

  follow(onChange: (networks: string[]) => void, path = PATH): void {
    const look = () => {
      let text: string;
      try {
        text = readFileSync(path, "utf8");
      } catch {
        // Nobody has replaced the list that it was started with.
        return;
      }
      onChange(parseClosed(JSON.parse(text)));
    };
    watchFile(path, { interval: LOOK_MS, persistent: false }, look);
  },
};
