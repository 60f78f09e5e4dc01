/**
 * A peer on the TypeScript SDK: `node main.mjs SDK serve|stdio|converse`, with the name of the SDK's package in package.json.
 * It runs where the packages of that file are installed, and ends with its input.
 */
import { createInterface } from "node:readline";

const [sdk, role] = process.argv.slice(2);
const isLater = sdk === "sdk-2";
// Some SDKs write what they notice to the console, and stdout is for answers.
console.debug = console.error;
console.info = console.error;

/** Offers every kind of server over HTTP that this SDK can be, and writes their addresses in one line. */
async function serve() {
  const { startServers } = isLater ? await import("./serve-2.mjs") : await import("./serve-1.mjs");
  console.log(JSON.stringify(await startServers(sdk)));
  process.stdin.on("end", () => process.exit(0)).resume();
}

/** Reads a target in each line, and answers with a line of what a conversation with it gave. */
async function converse() {
  const { converseWith } = isLater ? await import("./converse-2.mjs") : await import("./converse-1.mjs");
  for await (const line of createInterface({ input: process.stdin }))
    console.log(JSON.stringify(await converseWith(JSON.parse(line), sdk)));
  process.exit(0);
}

if (role === "serve") await serve();
else if (role === "converse") await converse();
else {
  const { serveOnStdio } = isLater ? await import("./stdio-2.mjs") : await import("./stdio-1.mjs");
  await serveOnStdio(sdk);
}
