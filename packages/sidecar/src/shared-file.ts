import { readFileSync, renameSync, writeFileSync, writeSync } from "node:fs";

/** Milliseconds between two checks of a file. */
const LOOK_MS = 500;

interface SharedFileOptions<Content> {
  /** Where the file is unless a call names another path. */
  path: string;
  /** @throws {Error} For a text that is not such content. */
  parse: (text: string) => Content;
  /** The line that informs the supervisor that the file is written. */
  writtenLine: string;
}

/** A file by which a second process in the sidecar's container changes the settings of the first. */
export interface SharedFile<Content> {
  /** @throws {Error} For anything but the file's content; the file stays as it was. */
  write(text: string, path?: string): void;
  /** Reports the file's content now, if there is one, and again whenever it has changed. Does not keep the process alive. */
  follow(onChange: (content: Content) => void, path?: string): void;
}

export function createSharedFile<Content>(options: SharedFileOptions<Content>): SharedFile<Content> {
  const { parse, writtenLine } = options;
  return {
    write(text, path = options.path) {
      const content = parse(text);
      writeFileSync(`${path}.new`, JSON.stringify(content), { mode: 0o644 });
      renameSync(`${path}.new`, path);
      writeSync(process.stdout.fd, `${writtenLine}\n`);
    },

    follow(onChange, path = options.path) {
      let last: string | undefined;
      // The check compares the text instead of relying on `watchFile`, whose first check is later and misses a file written
      // before it.
      const look = () => {
        let text: string;
        try {
          text = readFileSync(path, "utf8");
        } catch {
          // The settings are still those with which the process was started.
          return;
        }
        if (text === last) return;
        last = text;
        onChange(parse(text));
      };
      look();
      setInterval(look, LOOK_MS).unref();
    },
  };
}
