/** Where audit events go: a file that only its owner can read, or standard output. One JSON text a line. */
import { constants, createWriteStream } from "node:fs";
import { open } from "node:fs/promises";
import type { Logger } from "@toolhive/core";
import { messageOf, systemCodeOf, ThvError } from "@toolhive/core/errors";

export interface AuditLog {
  write(event: Readonly<Record<string, unknown>>): void;
  /** Settles when everything is written. */
  close(): Promise<void>;
}

/** Bytes that wait to be written before events are dropped and counted: a full disk must not fill the memory too. */
const MAX_WAITING_BYTES = 4 * 1024 * 1024;
const { O_APPEND, O_CREAT, O_NOFOLLOW, O_WRONLY } = constants;

/** @param path Absolute; standard output when empty. @throws {ThvError} `INVALID_ARGUMENT` when it cannot be opened. */
export async function openAuditLog(path: string | undefined, log: Logger): Promise<AuditLog> {
  if (!path) {
    return {
      write: (event) => void process.stdout.write(`${JSON.stringify(event)}\n`),
      close: async () => undefined,
    };
  }
  const file = await openFile(path);
  const stream = createWriteStream(path, { fd: file });
  let dropped = 0;
  stream.on("error", (error) => log.error({ path, reason: messageOf(error) }, "audit events cannot be written"));
  return {
    write: (event) => {
      if (stream.writableLength > MAX_WAITING_BYTES || stream.errored !== null) {
        dropped += 1;
        if (dropped === 1) log.error({ path }, "audit events are lost");
        return;
      }
      stream.write(`${JSON.stringify(event)}\n`);
    },
    close: () =>
      new Promise((resolve) => {
        if (dropped > 0) log.error({ path, dropped }, "audit events were lost");
        stream.once("close", () => resolve());
        stream.end();
        if (stream.destroyed) resolve();
      }),
  };
}

async function openFile(path: string) {
  try {
    // Not through a link: whoever could place one would choose what we write to.
    const file = await open(path, O_APPEND | O_CREAT | O_WRONLY | (O_NOFOLLOW ?? 0), 0o600);
    await file.chmod(0o600);
    return file;
  } catch (error) {
    throw new ThvError("INVALID_ARGUMENT", `The audit log ${path} cannot be opened: ${systemCodeOf(error)}.`, {
      hint: "Its folder has to exist, and a file that is there has to be yours and no link.",
      cause: error,
    });
  }
}
