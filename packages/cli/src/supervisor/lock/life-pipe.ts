/**
 * A named pipe of Windows that exists as long as the process that opened it. Windows soon gives the id of a process that has
 * ended to another one, and shows Node.js no start times, so that an id alone does not prove that a supervisor is alive.
 *
 * Its name is random. Any user may list the names of pipes, and open one of a name that is free: a name that can be known
 * beforehand would let another user wait there for this user's requests.
 */
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { connect, createServer } from "node:net";

export interface LifePipe {
  readonly path: string;
  close(): void;
}

/** @param path Default: a new name. */
export async function openLifePipe(path = `\\\\.\\pipe\\toolhive-${randomUUID()}`): Promise<LifePipe> {
  const server = createServer((socket) => socket.destroy());
  server.listen(path);
  await once(server, "listening");
  server.unref();
  return { path, close: () => server.close() };
}

export async function isPipeOpen(path: string): Promise<boolean> {
  return await new Promise((resolve) => {
    const socket = connect(path);
    const finish = (isOpen: boolean) => {
      socket.destroy();
      resolve(isOpen);
    };
    socket.once("connect", () => finish(true)).once("error", () => finish(false));
  });
}
