/**
 * The HTTP proxy of a server: CONNECT (RFC 9110 9.3.6) and requests in absolute form (RFC 9112 3.2.2). Requests that were
 * redirected here have the origin form; their Host header names the destination. Every request is checked, also on a kept
 * connection.
 */
import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { Denied, joinConnections, type OutgoingOptions, openConnection } from "./outgoing.ts";

/** Headers between two neighbours only (RFC 9110 7.6.1). */
const HOP_BY_HOP = new Set([
  ...["connection", "keep-alive", "proxy-authenticate", "proxy-authorization", "proxy-connection", "te"],
  ...["trailer", "transfer-encoding", "upgrade"],
]);

interface Target {
  readonly host: string;
  readonly port: number;
  /** In origin form. */
  readonly path: string;
}

export class EgressProxy {
  readonly server: Server;
  readonly #options: OutgoingOptions;
  /** Where a redirected connection was meant to go. */
  readonly #intendedPorts = new WeakMap<Socket, number>();

  constructor(options: OutgoingOptions) {
    this.#options = options;
    this.server = createServer((incoming, answer) => void this.#forward(incoming, answer));
    this.server.on("connect", (incoming: IncomingMessage, socket: Socket, head: Buffer) => {
      void this.#tunnel(incoming, socket, head);
    });
    this.server.on("clientError", (_error, socket) => socket.destroy());
  }

  /** Takes over a paused connection that was redirected on its way to this port. @param bytes Read from it already. */
  adopt(socket: Socket, port: number, bytes: Buffer): void {
    this.#intendedPorts.set(socket, port);
    socket.unshift(bytes);
    this.server.emit("connection", socket);
    // After the server has set up its parser, which would otherwise miss what was put back.
    process.nextTick(() => socket.resume());
  }

  async #tunnel(incoming: IncomingMessage, socket: Socket, head: Buffer): Promise<void> {
    socket.on("error", () => socket.destroy());
    const target = parseAuthority(incoming.url ?? "", 443);
    if (!target) {
      socket.end("HTTP/1.1 400 Bad Request\r\n\r\n");
      return;
    }
    try {
      const upstream = await openConnection(target.host, target.port, this.#options);
      if (socket.destroyed) {
        upstream.destroy();
        return;
      }
      socket.write("HTTP/1.1 200 Connection established\r\n\r\n");
      if (head.length > 0) upstream.write(head);
      joinConnections(socket, upstream);
    } catch (error) {
      const { status, text } = formatRefusalBody(error);
      socket.end(
        `HTTP/1.1 ${status}\r\nContent-Type: text/plain\r\nContent-Length: ${Buffer.byteLength(text)}\r\nConnection: close\r\n\r\n${text}`,
      );
    }
  }

  async #forward(incoming: IncomingMessage, answer: ServerResponse): Promise<void> {
    const target = parseTarget(incoming, this.#intendedPorts.get(incoming.socket) ?? 80);
    if (!target) {
      answer.writeHead(400, { "Content-Type": "text/plain" }).end("This is no request for a proxy.\n");
      return;
    }
    try {
      const connection = await openConnection(target.host, target.port, this.#options);
      const outgoing = request({
        createConnection: () => connection,
        method: incoming.method,
        path: target.path,
        headers: { ...removeHopByHop(incoming.rawHeaders), host: formatHostHeader(target) },
        setHost: false,
      });
      outgoing.on("response", (upstream) => {
        answer.writeHead(upstream.statusCode ?? 502, removeHopByHop(upstream.rawHeaders));
        upstream.pipe(answer);
        upstream.on("error", () => answer.destroy());
      });
      outgoing.on("error", () => (answer.headersSent ? answer.destroy() : answer.writeHead(502).end()));
      answer.on("close", () => outgoing.destroy());
      incoming.pipe(outgoing);
    } catch (error) {
      const { status, text } = formatRefusalBody(error);
      answer.writeHead(Number.parseInt(status, 10), { "Content-Type": "text/plain", Connection: "close" }).end(text);
    }
  }
}

function formatRefusalBody(error: unknown): { status: string; text: string } {
  const text = `ToolHive network isolation: ${error instanceof Error ? error.message : String(error)}\n`;
  return { status: error instanceof Denied ? "403 Forbidden" : "502 Bad Gateway", text };
}

function parseTarget({ url = "", headers }: IncomingMessage, defaultPort: number): Target | undefined {
  if (url.startsWith("/")) {
    const authority = parseAuthority(headers.host ?? "", defaultPort);
    return authority && { ...authority, path: url };
  }
  const absolute = /^http:\/\/([^/?#]+)([^#]*)/i.exec(url);
  const authority = parseAuthority((absolute?.[1] ?? "").replace(/^.*@/, ""), 80);
  const path = absolute?.[2] ?? "";
  return authority && { ...authority, path: path.startsWith("/") ? path : `/${path}` };
}

/** `host` or `host:port`; IPv6 is closed altogether. */
function parseAuthority(text: string, defaultPort: number): { host: string; port: number } | undefined {
  const [, host = "", port] = /^([A-Za-z0-9._-]{1,253})(?::(\d{1,5}))?$/.exec(text) ?? [];
  const number = port === undefined ? defaultPort : Number(port);
  return host !== "" && number >= 1 && number <= 65_535 ? { host, port: number } : undefined;
}

function formatHostHeader({ host, port }: Target): string {
  return port === 80 ? host : `${host}:${port}`;
}

function removeHopByHop(raw: readonly string[]): Record<string, string | string[]> {
  // Names such as "constructor" are no members of an object here.
  const headers = new Map<string, string | string[]>();
  for (let index = 0; index + 1 < raw.length; index += 2) {
    const name = (raw[index] ?? "").toLowerCase();
    const value = raw[index + 1] ?? "";
    if (HOP_BY_HOP.has(name)) continue;
    const before = headers.get(name);
    headers.set(name, before === undefined ? value : [before, value].flat());
  }
  return Object.fromEntries(headers);
}
