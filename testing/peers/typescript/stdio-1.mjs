/** A server on stdio on a 1.x of the SDK. It loads no web framework: many are started in a run. */
import { createOffers } from "./offers-1.mjs";

export async function serveOnStdio(sdk) {
  const { StdioServerTransport } = await import(`${sdk}/server/stdio.js`);
  const create = await createOffers(sdk, { notifies: true });
  await create().connect(new StdioServerTransport());
  process.stdin.on("end", () => process.exit(0));
}
