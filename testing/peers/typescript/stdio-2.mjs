/** A server on stdio on a 2.x of the SDK. It loads no web framework: many are started in a run. */
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { createServer } from "./offers-2.mjs";

export async function serveOnStdio() {
  serveStdio(({ era }) => createServer({ era, notifies: true }));
  process.stdin.on("end", () => process.exit(0));
}
