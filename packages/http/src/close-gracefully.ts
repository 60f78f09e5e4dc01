/** The end of an HTTP server: nothing new is accepted, what runs may end within a bound. */
import type { Server } from "node:http";

/** Milliseconds between checks for connections that became idle: one does a moment after the answer it carried. */
const SWEEP_MS = 50;

/**
 * Stops accepting, lets running requests end, then cuts the remaining ones.
 *
 * @param graceMs Milliseconds that running requests get.
 * @param finish Called once nothing new is accepted, to send the last answers.
 */
export async function closeGracefully(server: Server, graceMs: number, finish?: () => void): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  finish?.();
  server.closeIdleConnections();
  const sweep = setInterval(() => server.closeIdleConnections(), SWEEP_MS);
  const cut = setTimeout(() => server.closeAllConnections(), graceMs);
  await closed;
  clearInterval(sweep);
  clearTimeout(cut);
}
