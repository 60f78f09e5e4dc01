/** The servers that `npm start` runs: each is started and waited for, and the end of one ends the command, unless it was replaced. */
import { request } from "node:http";
import { setTimeout as delay } from "node:timers/promises";
import { CommandFailure } from "./errors.mjs";
import { formatDuration } from "./terminal.mjs";

/** Milliseconds a server has to answer after it was started. */
const START_TIMEOUT_MS = 60_000;
/** The same for one that compiles the pages before it answers. */
export const COMPILE_TIMEOUT_MS = 600_000;
const POLL_MS = 50;

/** @typedef {{ status: number, body: string }} Answer */
/** @typedef {import("./children.mjs").Child} Child */

/**
 * @param {string} url
 * @returns {Promise<Answer | undefined>} `undefined` without an answer.
 */
export async function ask(url) {
  return await new Promise((resolve) => {
    const outgoing = request(url, { agent: false, timeout: 5_000 }, (response) => {
      let body = "";
      response.setEncoding("utf8").on("data", (text) => {
        body += text;
      });
      response.once("end", () => resolve({ status: response.statusCode ?? 0, body }));
      response.once("error", () => resolve(undefined));
    });
    outgoing.once("timeout", () => outgoing.destroy());
    outgoing.once("error", () => resolve(undefined));
    outgoing.end();
  });
}

/**
 * @param {Child} child
 * @param {string} url
 * @param {number} timeoutMs
 * @returns {Promise<Answer>}
 */
async function untilAnswering(child, url, timeoutMs) {
  let hasEnded = false;
  const onEnd = () => {
    hasEnded = true;
  };
  child.ended.then(onEnd, onEnd);
  const deadline = performance.now() + timeoutMs;
  while (performance.now() < deadline) {
    const answer = await ask(url);
    if (answer !== undefined) return answer;
    if (hasEnded) throw await describeDeath(child);
    await delay(POLL_MS);
  }
  throw new CommandFailure(
    `${child.name} did not answer at ${url} within ${formatDuration(timeoutMs)}:\n${child.excerpt}`,
  );
}

/** @param {Child} child */
async function describeDeath(child) {
  const { code, signal } = await child.ended;
  const output = child.excerpt === "" ? "" : `\n${child.excerpt}`;
  return new CommandFailure(`${child.name} ended with ${signal ?? `code ${code}`} before it answered.${output}`);
}

export class Servers {
  /** Those that are being stopped. @type {Set<Child>} */
  #stopped = new Set();
  /** @type {(error: unknown) => void} */
  #fail = () => {};

  constructor() {
    /** Settles, with an error, when a server ends without having been stopped. @type {Promise<never>} */
    this.firstDeath = new Promise((_, reject) => {
      this.#fail = reject;
    });
    this.firstDeath.catch(() => {}); // who starts servers waits for it
  }

  /**
   * Waits until a server answers; from then on its end is a failure of the command.
   *
   * @param {Child} child
   * @param {string} url
   * @param {number} [timeoutMs] Default: a minute.
   * @returns {Promise<Answer>}
   */
  async add(child, url, timeoutMs = START_TIMEOUT_MS) {
    const answer = await untilAnswering(child, url, timeoutMs);
    child.ended.then(({ code, signal }) => {
      if (this.#stopped.has(child)) return;
      const ending = signal ?? `code ${code}`;
      this.#fail(new CommandFailure(`${child.name} ended with ${ending}, so the other server is ended too.`));
    }, this.#fail);
    return answer;
  }

  /** Ends a server that another one replaces. @param {Child} child */
  async stop(child) {
    this.#stopped.add(child);
    await child.stop();
  }
}
