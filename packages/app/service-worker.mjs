/**
 * Writes the service worker of the application. An installed application starts with it while nobody serves it, so that it can
 * say so; it holds the shell only, never an answer of the API.
 */
import { createHash } from "node:crypto";

const INDEX = "/index.html";

/**
 * @param {ReadonlyMap<string, Buffer>} files Of the application, by path.
 * @returns {string} A script that changes when any of them does.
 */
export function writeServiceWorker(files) {
  const shell = [...files.keys()].filter((path) => path === INDEX || path.startsWith("/assets/"));
  const digest = createHash("sha256");
  for (const path of shell) digest.update(path).update(files.get(path) ?? "");
  const version = digest.digest("base64url").slice(0, 16);
  return `(${run})(self, ${JSON.stringify({ version, shell, index: INDEX })});\n`;
}

/**
 * Runs in the browser, alone: it sees nothing of this file.
 *
 * @param {any} worker
 * @param {{ version: string, shell: string[], index: string }} build
 */
function run(worker, { version, shell, index }) {
  const PREFIX = "toolhive-shell-";
  const NAME = PREFIX + version;
  const { caches, fetch } = worker;

  // Those of older versions stay until the last page of theirs is closed: they may still ask for a part of it.
  worker.addEventListener("install", (/** @type {any} */ event) => {
    event.waitUntil(
      caches
        .open(NAME)
        .then((/** @type {any} */ cache) =>
          cache.addAll(
            shell.map((path) => new worker.Request(path, { cache: path === index ? "no-cache" : "default" })),
          ),
        ),
    );
  });
  worker.addEventListener("activate", (/** @type {any} */ event) => {
    event.waitUntil(removeCaches((name) => name !== NAME));
  });
  worker.addEventListener("fetch", (/** @type {any} */ event) => {
    const { request } = event;
    const { origin, pathname } = new URL(request.url);
    if (request.method !== "GET" || origin !== worker.location.origin) return;
    if (/^\/(api|health)(\/|$)/.test(pathname)) return;
    // Nothing is in a frame, so that the server refuses those.
    if (request.mode === "navigate" && request.destination === "document") event.respondWith(openPage(event));
    else if (shell.includes(pathname))
      event.respondWith(match(pathname).then((/** @type {any} */ found) => found ?? fetch(request)));
  });

  /** What is served now goes first. Without an answer, the shell says that nobody answers. */
  async function openPage(/** @type {any} */ event) {
    try {
      const answer = await fetch(event.request);
      event.waitUntil(leaveWhenGone());
      return answer;
    } catch (error) {
      const found = await match(index);
      if (found === undefined) throw error;
      return found;
    }
  }

  async function match(/** @type {string} */ path) {
    return await (await caches.open(NAME)).match(path);
  }

  /** Another program may have the address one day: then nothing of this application is left in its way. */
  async function leaveWhenGone() {
    const answer = await fetch(worker.location.href, { cache: "no-store" }).catch(() => undefined);
    if (answer === undefined) return;
    const isOurs = answer.ok && (await answer.text()).includes(PREFIX);
    if (isOurs) return;
    await worker.registration.unregister();
    await removeCaches(() => true);
  }

  async function removeCaches(/** @type {(name: string) => boolean} */ isOld) {
    const names = (await caches.keys()).filter((/** @type {string} */ name) => name.startsWith(PREFIX) && isOld(name));
    await Promise.all(names.map((/** @type {string} */ name) => caches.delete(name)));
  }
}
