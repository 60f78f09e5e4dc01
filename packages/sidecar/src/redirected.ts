/**
 * Connections that a server opened as if nothing stood between it and the outside. The packet rules brought them here; the
 * kernel's table of sockets still shows where they were meant to go, because the server's end is in the same namespace.
 */
import { readFile } from "node:fs/promises";
import { createServer, type Server, type Socket } from "node:net";
import { startTimeout } from "@toolhive/core/timeout-signal";
import type { EgressProxy } from "./egress-proxy.ts";
import { readFirstBytes } from "./first-bytes.ts";
import { Denied, joinConnections, type OutgoingOptions, openConnection } from "./outgoing.ts";

/** Milliseconds in which a connection has to name its destination. */
const FIRST_BYTES_TIMEOUT_MS = 10_000;
/** The same while rules are learned: one whose other side speaks first is let out by its address after that. */
const LEARNING_PATIENCE_MS = 500;

interface RedirectedOptions extends OutgoingOptions {
  readonly proxy: EgressProxy;
}

interface Destination {
  readonly address: string;
  readonly port: number;
}

export function createRedirectedServer(options: RedirectedOptions): Server {
  return createServer({ noDelay: true, pauseOnConnect: true }, (socket) => {
    socket.on("error", () => socket.destroy());
    handle(socket, options).catch(() => socket.resetAndDestroy());
  });
}

async function handle(socket: Socket, options: RedirectedOptions): Promise<void> {
  const meant = findDestination(await readFile("/proc/self/net/tcp", "utf8"), socket);
  if (!meant) throw new Denied("nobody knows where this connection was to go");
  const { policy, denials } = options;
  // Where the address itself is allowed, any protocol is, also one in which the other side speaks first.
  const isOpen = policy.allows(meant.address, meant.port) && policy.allowsAddress(meant.address);
  if (isOpen && !policy.learns) {
    joinConnections(await openConnection(meant.address, meant.port, options), socket);
    return;
  }
  const { bytes, first } = await receiveFirstBytes(socket, isOpen ? LEARNING_PATIENCE_MS : undefined);
  if (first.kind === "http") {
    options.proxy.adopt(socket, meant.port, bytes);
    return;
  }
  if (first.kind === "tls") {
    const upstream = await openConnection(first.name, meant.port, options);
    upstream.write(bytes);
    joinConnections(upstream, socket);
    return;
  }
  if (isOpen) {
    const upstream = await openConnection(meant.address, meant.port, options);
    if (bytes.length > 0) upstream.write(bytes);
    joinConnections(upstream, socket);
    return;
  }
  denials.add(meant.address, meant.port, "neither HTTP nor TLS with a server name");
  throw new Denied("not allowed");
}

/** @param patienceMs After which a silent connection has no first bytes. Default: it is ended after ten seconds. */
async function receiveFirstBytes(
  socket: Socket,
  patienceMs?: number,
): Promise<{ bytes: Buffer; first: ReturnType<typeof readFirstBytes> }> {
  let bytes = Buffer.alloc(0);
  const silence = patienceMs === undefined ? undefined : startTimeout(patienceMs);
  socket.setTimeout(FIRST_BYTES_TIMEOUT_MS, () => socket.destroy());
  try {
    for (;;) {
      const chunk = await receiveChunk(socket, silence);
      bytes = Buffer.concat([bytes, chunk]);
      const first = readFirstBytes(bytes);
      if (first.kind !== "incomplete" || chunk.length === 0) return { bytes, first };
    }
  } finally {
    socket.setTimeout(0);
  }
}

/** Empty at the end, and when the signal fires. Leaves the socket paused. */
function receiveChunk(socket: Socket, signal?: AbortSignal): Promise<Buffer> {
  return new Promise((resolve) => {
    const settle = (chunk: Buffer) => {
      socket.pause();
      socket.off("data", settle).off("end", end).off("close", end);
      signal?.removeEventListener("abort", end);
      resolve(chunk);
    };
    const end = () => settle(Buffer.alloc(0));
    if (signal?.aborted) return end();
    signal?.addEventListener("abort", end, { once: true });
    socket.on("data", settle).on("end", end).on("close", end);
    socket.resume();
  });
}

/** A line of `/proc/net/tcp` is `sl local_address rem_address …`, each address in the processor's byte order. */
export function findDestination(
  table: string,
  { remoteAddress, remotePort }: Pick<Socket, "remoteAddress" | "remotePort">,
): Destination | undefined {
  if (remoteAddress === undefined || remotePort === undefined) return undefined;
  const wanted = `${formatHex(remoteAddress)}:${remotePort.toString(16).toUpperCase().padStart(4, "0")}`;
  for (const line of table.split("\n").slice(1)) {
    const [, local, remote = ""] = line.trim().split(/\s+/);
    if (local !== wanted) continue;
    const [address = "", port = ""] = remote.split(":");
    return { address: parseProcAddress(address), port: Number.parseInt(port, 16) };
  }
  return undefined;
}

function formatHex(address: string): string {
  return address
    .replace("::ffff:", "")
    .split(".")
    .reverse()
    .map((part) => Number(part).toString(16).padStart(2, "0"))
    .join("")
    .toUpperCase();
}

function parseProcAddress(hex: string): string {
  return (hex.match(/../g) ?? [])
    .reverse()
    .map((byte) => Number.parseInt(byte, 16))
    .join(".");
}
