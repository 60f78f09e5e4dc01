/**
 * Attaches to the input and output of a pod's container, through the API server, as `kubectl attach` does. The library opens
 * and authenticates the connection; the streams are ours, because they have to slow down a fast server and notice a dead network.
 */
import { Readable, Writable } from "node:stream";
import { setTimeout as delay } from "node:timers/promises";
import { WebSocketHandler } from "@kubernetes/client-node/dist/web-socket-handler.js";
import { describeError } from "@toolhive/core/errors";
import { startTimeout } from "@toolhive/core/timeout-signal";
import { type ClientOptions, WebSocket } from "ws";
import { type ClusterClient, ClusterError } from "../cluster/index.ts";

/** Channels of the protocol `v5.channel.k8s.io`: the first byte of each message. */
const STDIN = 0;
const STDOUT = 1;
const STDERR = 2;
const STATUS = 3;

/** Bytes of one message to the API server, whose proxies have buffers of this size. */
const FRAME_BYTES = 32 * 1024;
/** Bytes of output that wait for a reader before the API server is asked to wait. */
const MAX_WAITING_BYTES = 1024 * 1024;
/** Milliseconds between two signs of life, and until a connection without one is given up. */
const PING_MS = 10_000;
const OPEN_WITHIN_MS = 15_000;
/** Milliseconds in which a connection that leads nowhere shows it: the API server opens one before it asks the node. */
const PROVEN_AFTER_MS = 200;
const LOST = "the connection to the server's pod was lost";

export interface AttachTarget {
  readonly namespace: string;
  readonly pod: string;
  readonly container: string;
}

/** Bytes pass unchanged. The opener calls `close`. */
export interface Attachment {
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly stderr: Readable;
  /** Settles with the reason when it has ended: the container, the connection, or `close`. Never rejects. */
  readonly closed: Promise<string>;
  close(): void;
}

type Socket = WebSocket;

/** The library's own may be an older one, which cannot be made to wait. */
const openSocket = (address: string, protocols: string[], options: ClientOptions) =>
  new WebSocket(address, protocols, { ...options, perMessageDeflate: false });

/** @throws {ClusterError} When the API server or the node refuses it, or does not answer within 15 seconds. */
export async function attach(
  { config }: ClusterClient,
  { namespace, pod, container }: AttachTarget,
  signal: AbortSignal,
): Promise<Attachment> {
  const query = new URLSearchParams({ container, stdin: "true", stdout: "true", stderr: "true", tty: "false" });
  const path = `/api/v1/namespaces/${namespace}/pods/${pod}/attach?${query}`;
  let socket: Socket | undefined;
  let status: string | undefined;
  const read = () => {
    if (stdout.readableLength < MAX_WAITING_BYTES && stderr.readableLength < MAX_WAITING_BYTES) socket?.resume();
  };
  const stdout = new Readable({ read, highWaterMark: MAX_WAITING_BYTES });
  const stderr = new Readable({ read, highWaterMark: MAX_WAITING_BYTES });
  const receive = (channel: number, bytes: Buffer): boolean => {
    if (channel === STATUS) status = readStatus(bytes);
    const stream = channel === STDOUT ? stdout : channel === STDERR ? stderr : undefined;
    if (stream !== undefined && bytes.length > 0 && !stream.push(bytes)) socket?.pause();
    return true;
  };
  const opening = new WebSocketHandler(config, openSocket).connect(path, () => true, receive);
  socket = await untilOpened(opening, signal, `${namespace}/${pod}`);
  const open = socket;

  const stdin = new Writable({
    decodeStrings: true,
    write: (chunk: Buffer, _encoding, done) => sendFrames(open, [chunk], done),
    writev: (chunks, done) => sendFrames(open, [Buffer.concat(chunks.map(({ chunk }) => chunk as Buffer))], done),
  });
  // A failed write is the end of the connection, which `closed` reports.
  stdin.on("error", () => open.terminate());

  let isAnswered = true;
  open.on("pong", () => {
    isAnswered = true;
  });
  const pinging = setInterval(() => {
    // A connection that is made to wait reads no pong either.
    if (!isAnswered && !open.isPaused) return open.terminate();
    isAnswered = false;
    open.ping();
  }, PING_MS);
  pinging.unref();
  const closed = new Promise<string>((resolve) => {
    open.on("close", () => {
      clearInterval(pinging);
      stdout.push(null);
      stderr.push(null);
      stdin.destroy();
      resolve(status ?? LOST);
    });
    open.on("error", () => open.terminate());
  });
  const said = new Promise<undefined>((resolve) => {
    open.on("message", (data: Buffer) => data.length > 1 && data[0] !== STATUS && resolve(undefined));
  });
  const isProven = delay(PROVEN_AFTER_MS, undefined, { ref: false });
  const refusal = await Promise.race([closed, said, isProven]);
  if (refusal !== undefined) throw new ClusterError(`Attaching to ${namespace}/${pod}: ${refusal}`, 0);
  return { stdin, stdout, stderr, closed, close: () => open.terminate() };
}

async function untilOpened(opening: Promise<Socket>, signal: AbortSignal, what: string): Promise<Socket> {
  const patience = AbortSignal.any([signal, startTimeout(OPEN_WITHIN_MS)]);
  // One that opens after all would otherwise stay open.
  opening.then((socket) => patience.aborted && socket.terminate()).catch(() => undefined);
  return await new Promise<Socket>((resolve, reject) => {
    const abort = () => reject(new ClusterError(`The API server did not attach to ${what} in time.`, 0));
    patience.addEventListener("abort", abort, { once: true });
    opening
      .then(resolve, (error) => reject(new ClusterError(`Attaching to ${what}: ${describe(error)}`, 0, error)))
      .finally(() => patience.removeEventListener("abort", abort));
  });
}

/** The library rejects with an event of the socket. */
function describe(error: unknown): string {
  const message = (error as { readonly message?: unknown } | null)?.message;
  return typeof message === "string" ? message : describeError(error);
}

function sendFrames(socket: Socket, chunks: readonly Buffer[], done: (error?: Error | null) => void): void {
  const frames = chunks.flatMap((chunk) => cut(chunk, FRAME_BYTES));
  const next = (): void => {
    const frame = frames.shift();
    if (frame === undefined) {
      done();
      return;
    }
    socket.send(Buffer.concat([Buffer.of(STDIN), frame]), { binary: true }, (error) => {
      // Clients read this; the library's own text describes the states of a WebSocket.
      if (error) done(new Error(LOST, { cause: error }));
      else next();
    });
  };
  next();
}

function cut(bytes: Buffer, size: number): Buffer[] {
  const pieces: Buffer[] = [];
  for (let from = 0; from < bytes.length; from += size) pieces.push(bytes.subarray(from, from + size));
  return pieces;
}

/** @returns Why it has ended, when it ended because of an error. */
function readStatus(bytes: Buffer): string | undefined {
  try {
    const { status, message } = JSON.parse(bytes.toString("utf8", 0, 4_096));
    return status === "Failure" && typeof message === "string" ? message.slice(0, 500) : undefined;
  } catch {
    return undefined;
  }
}
