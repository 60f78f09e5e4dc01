/** Starts the built site's own server on a port of the system's choice, for what measures it. */
import { spawn } from "node:child_process";
import path from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

const serverFile = path.join(path.dirname(fileURLToPath(import.meta.url)), "../dist/server.mjs");

/** Where the system keeps its Chromium, unless `CHROMIUM_PATH` says otherwise. */
export const CHROMIUM_PATH = process.env.CHROMIUM_PATH ?? "/usr/bin/chromium";

/** @returns {Promise<{ origin: string, close: () => void }>} The origin has no slash at its end. */
export async function startSite() {
  const server = spawn(process.execPath, [serverFile], {
    env: { ...process.env, PORT: "0", HOST: "127.0.0.1", ACCESS_LOG: "off", SEARCH_EVENTS_FILE: "off" },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const origin = await new Promise((resolve, reject) => {
    createInterface({ input: server.stdout }).on("line", (line) => {
      const address = /http:\S+/.exec(line)?.[0];
      if (address) resolve(address);
    });
    server.once("exit", (code) => reject(new Error(`The site's server ended with exit code ${code}.`)));
  });
  return { origin, close: () => server.kill("SIGTERM") };
}
