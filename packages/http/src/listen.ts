/** Listening on TCP, on a port that web clients are willing to connect to. */
import { once } from "node:events";
import type { AddressInfo, Server } from "node:net";

/**
 * Ports from 1024 on that `fetch` and browsers never connect to, because another protocol is at home there
 * (WHATWG Fetch, "bad port").
 */
const BLOCKED_PORTS: ReadonlySet<number> = new Set([
  1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10_080,
]);

/** Whether `fetch` and browsers connect to a port from 1024 on. */
export function isOpenToBrowsers(port: number): boolean {
  return !BLOCKED_PORTS.has(port);
}

export interface ListenAddress {
  /** Default: 127.0.0.1. */
  readonly host?: string;
  /** 0 chooses a free port that browsers connect to; the range depends on the system. Default: 0. */
  readonly port?: number;
}

/** @returns The port. @throws {NodeJS.ErrnoException} `EADDRINUSE`, `EACCES`, `EADDRNOTAVAIL`, `ENOTFOUND`. */
export async function listen(server: Server, { host = "127.0.0.1", port = 0 }: ListenAddress = {}): Promise<number> {
  for (;;) {
    server.listen({ host, port });
    await once(server, "listening");
    const { port: actual } = server.address() as AddressInfo;
    if (port !== 0 || isOpenToBrowsers(actual)) return actual;
    server.close();
    await once(server, "close");
  }
}
