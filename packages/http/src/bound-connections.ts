/**
 * Bounds on the connections of a server. A connection is an open file, and a process has only so many: if callers who
 * send nothing use them up, the process can read no settings, reach no engine and stop no container.
 */
import { readFileSync } from "node:fs";
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";

/** Files that the process keeps for its own work: state, logs, the engine, the servers' streams. */
const OWN_FILES = 96;
/** The limit of open files to assume where the system reports none. */
const USUAL_FILE_LIMIT = 10_240;
/** Upper bound: more connections are of no use. */
const MAX_SHARED_CONNECTIONS = 8_192;
/** Lower bound: some callers must be served, however low the limit of files is. */
const MIN_SHARED_CONNECTIONS = 8;

/** Milliseconds in which a new connection has to send something. */
const FIRST_BYTE_MS = 10_000;

export interface ConnectionBounds {
  /** Connections of this server. */
  readonly max: number;
  /** Milliseconds that an answer may lie unread before its reader is cut off. */
  readonly slowReaderMs: number;
  /** Called before such a reader is cut off. */
  readonly onSlowReader?: (unreadBytes: number) => void;
  /** Whether the connections count among those that all servers of the process share. Default: true. */
  readonly isShared?: boolean;
}

/** Options for `createServer` with which its timeouts fire within 2 s of their value. */
export const PROMPT_TIMEOUTS = { connectionsCheckingInterval: 2_000 } as const;

/** Connections of all servers of this process, by the room that its limit of open files leaves. */
const shared = new Set<Socket>();
let sharedRoom: number | undefined;

/**
 * Keeps a server within its bounds. At the bound, a new connection replaces the one that has been without a request for
 * longest; if every connection has a request, the new one is closed.
 */
export function boundConnections(server: Server, bounds: ConnectionBounds): void {
  const { max, slowReaderMs, onSlowReader, isShared = true } = bounds;
  sharedRoom ??= countAllowedConnections(readFileLimit());
  const room = sharedRoom;
  const own = new Set<Socket>();
  // Last resort, while replaced connections are still closing.
  server.maxConnections = max + 1;
  server.on("connection", (socket: Socket) => {
    if ((own.size >= max && !makeRoom(own)) || (isShared && shared.size >= room && !makeRoom(shared))) {
      socket.destroy();
      return;
    }
    own.add(socket);
    if (isShared) shared.add(socket);
    // The time limits for a request and its head count from its first byte.
    socket.setTimeout(Math.min(FIRST_BYTE_MS, slowReaderMs));
    socket.once("close", () => forget(socket));
  });
  const forget = (socket: Socket): void => {
    own.delete(socket);
    shared.delete(socket);
  };
  server.on("request", ({ socket }: IncomingMessage, response: ServerResponse) => {
    if (!running.has(socket)) socket.setTimeout(slowReaderMs);
    running.set(socket, (running.get(socket) ?? 0) + 1);
    response.once("close", () => {
      running.set(socket, (running.get(socket) ?? 1) - 1);
      // Least recently active first.
      for (const places of [own, shared]) if (places.delete(socket)) places.add(socket);
    });
  });
  server.timeout = slowReaderMs;
  server.on("timeout", (socket) => {
    if (isRunning(socket)) {
      // Waiting is normal for a request and for a stream; leaving an answer unread is not.
      if (socket.writableLength === 0) return;
      onSlowReader?.(socket.writableLength);
    }
    socket.destroy();
  });
}

/** Requests that are not answered to their end, by connection. */
const running = new WeakMap<Socket, number>();

function isRunning(socket: Socket): boolean {
  return (running.get(socket) ?? 0) > 0;
}

function makeRoom(places: Set<Socket>): boolean {
  for (const socket of places) {
    if (isRunning(socket)) continue;
    // Immediately, not on close: many connections may arrive before that.
    places.delete(socket);
    socket.destroy();
    return true;
  }
  return false;
}

/** Connections that all servers together may have: each may need another one, to the server behind it. */
export function countAllowedConnections(fileLimit: number): number {
  const room = Math.floor((fileLimit - OWN_FILES) / 2);
  return Math.max(MIN_SHARED_CONNECTIONS, Math.min(MAX_SHARED_CONNECTIONS, room));
}

/** The limit of open files of this process. */
function readFileLimit(): number {
  try {
    const limit = /^Max open files\s+(\d+)/m.exec(readFileSync("/proc/self/limits", "utf8"))?.[1];
    return limit === undefined ? USUAL_FILE_LIMIT : Number(limit);
  } catch {
    // Only Linux reports it.
    return USUAL_FILE_LIMIT;
  }
}
