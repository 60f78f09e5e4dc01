/**
 * What the sidecar lets out while it runs. The supervisor replaces it by running the sidecar's program once more in the same
 * container; see `closed-file.ts`.
 */
import { readFileSync, renameSync, watchFile, writeFileSync, writeSync } from "node:fs";
import { ALLOWED_LINE, type OutgoingRules, parseOutgoingRules } from "@toolhive/core/sidecar-rules";

const PATH = "/tmp/outgoing-rules.json";
/** Milliseconds between two looks at the file. */
const LOOK_MS = 500;

export const openRulesFile = {
  /** @throws {Error} For anything but rules. */
  write(text: string, path = PATH): void {
    const rules = parseOutgoingRules(text);
    writeFileSync(`${path}.new`, JSON.stringify(rules), { mode: 0o644 });
    renameSync(`${path}.new`, path);
    writeSync(process.stdout.fd, `${ALLOWED_LINE}\n`);
  },

  follow(onChange: (rules: OutgoingRules) => void, path = PATH): void {
    const look = () => {
      let text: string;
      try {
        text = readFileSync(path, "utf8");
      } catch {
        // Nobody has replaced the rules that it was started with.
        return;
      }
      onChange(parseOutgoingRules(text));
    };
    watchFile(path, { interval: LOOK_MS, persistent: false }, look);
  },
};
