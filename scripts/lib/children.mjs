/** Child processes in process groups of their own, so that ending one ends what it started; none outlives the command. */
import { spawn } from "node:child_process";
import { describeError, readSystemCode } from "./errors.mjs";

/** Milliseconds between SIGTERM and SIGKILL. */
const GRACE_MS = 20_000;
/** Lines of output that are kept for the message of a failure: the first ones often say what, the last ones where. */
const HEAD_LINES = 15;
const TAIL_LINES = 15;

/** @typedef {{ code: number, signal: string | null }} Ending */

export class Child {
  /** @type {string[]} */
  #head = [];
  /** @type {string[]} */
  #tail = [];

  /**
   * @param {string} name For messages: `the site server`.
   * @param {string} command
   * @param {readonly string[]} args
   * @param {{ cwd: string, env?: Readonly<Record<string, string | undefined>>, onLine?: (line: string, stream: "stdout" | "stderr") => void, inherit?: boolean }} options
   *   `inherit` hands the terminal to the child; otherwise its lines go to `onLine` and the newest are kept.
   */
  constructor(name, command, args, { cwd, env = process.env, onLine = () => {}, inherit = false }) {
    this.name = name;
    this.process = spawn(command, args, {
      cwd,
      env: { ...env },
      detached: true,
      stdio: inherit ? ["ignore", "inherit", "inherit"] : ["ignore", "pipe", "pipe"],
    });
    this.#readLines(this.process.stdout, (line) => onLine(line, "stdout"));
    this.#readLines(this.process.stderr, (line) => onLine(line, "stderr"));
    /** @type {Promise<Ending>} Settles once the child has exited and its output is read. */
    this.ended = new Promise((resolve, reject) => {
      this.process.once("error", (error) => reject(new Error(`${name} could not be started: ${describeError(error)}`)));
      this.process.once("close", (code, signal) => resolve({ code: code ?? 1, signal }));
    });
    this.ended.catch(() => {}); // callers that wait for it see the failure; without them it is ignored
  }

  /** The first and the newest lines the child wrote. */
  get excerpt() {
    return [...this.#head, ...this.#tail].join("\n");
  }

  /**
   * @param {import("node:stream").Readable | null} stream
   * @param {(line: string) => void} onLine
   */
  #readLines(stream, onLine) {
    let rest = "";
    const take = (/** @type {string} */ line) => {
      if (this.#head.length < HEAD_LINES) this.#head.push(line);
      else this.#tail.push(line);
      if (this.#tail.length > TAIL_LINES) this.#tail.shift();
      onLine(line);
    };
    stream?.setEncoding("utf8").on("data", (text) => {
      const lines = (rest + text).split(/\r?\n/);
      rest = lines.pop() ?? "";
      for (const line of lines) take(line);
    });
    stream?.once("end", () => {
      if (rest !== "") take(rest);
    });
  }

  /** @param {NodeJS.Signals} signal */
  #signalGroup(signal) {
    const { pid } = this.process;
    if (pid === undefined) return;
    try {
      process.kill(-pid, signal);
    } catch (error) {
      if (readSystemCode(error) !== "ESRCH") throw error; // the group is gone already
    }
  }

  /** Ends the child and everything in its group, and waits until it has exited. */
  async stop() {
    this.#signalGroup("SIGTERM");
    const timer = setTimeout(() => this.#signalGroup("SIGKILL"), GRACE_MS);
    try {
      await this.ended;
    } finally {
      clearTimeout(timer);
      this.#signalGroup("SIGKILL"); // processes of its group that the child did not end
    }
  }
}

/** The children of a command; ended together. */
export class Children {
  /** @type {Set<Child>} */
  #running = new Set();
  #isClosed = false;

  /** @param {ConstructorParameters<typeof Child>} args */
  start(...args) {
    if (this.#isClosed) throw new Error("The command is ending and starts nothing any more.");
    const child = new Child(...args);
    this.#running.add(child);
    const forget = () => this.#running.delete(child);
    child.ended.then(forget, forget);
    return child;
  }

  /**
   * Runs a program to its end.
   *
   * @param {ConstructorParameters<typeof Child>} args
   * @returns {Promise<Ending & { excerpt: string }>}
   */
  async run(...args) {
    const child = this.start(...args);
    return { ...(await child.ended), excerpt: child.excerpt };
  }

  async stopAll() {
    this.#isClosed = true;
    await Promise.all([...this.#running].map((child) => child.stop()));
  }
}
