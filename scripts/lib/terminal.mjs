/** What the root commands print: one line a step with its time, colours only on a terminal. */
import { performance } from "node:perf_hooks";

/** Milliseconds after which a step that is still running says so again where lines cannot be rewritten. */
const REMINDER_MS = 15_000;
/** Milliseconds between two updates of the running line on a terminal. */
const TICK_MS = 200;

const STYLES = { bold: 1, dim: 2, red: 31, green: 32, yellow: 33, cyan: 36 };

/** @typedef {{ isTTY?: boolean, write(text: string): unknown }} Output */
/** @typedef {keyof typeof STYLES} Style */

/** @param {number} milliseconds */
export function formatDuration(milliseconds) {
  if (milliseconds < 999.5) return `${Math.round(milliseconds)} ms`;
  const seconds = milliseconds / 1000;
  if (seconds < 59.95) return `${seconds.toFixed(1)} s`;
  const whole = Math.round(seconds);
  return `${Math.floor(whole / 60)} min ${whole % 60} s`;
}

/**
 * Columns as wide as their widest cell; numbers (and cells that look like one) to the right.
 * @param {readonly (readonly string[])[]} rows
 */
export function formatTable(rows) {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => (row[column] ?? "").length)));
  return rows.map((row) =>
    row
      .map((cell, column) => (column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0)))
      .join("  ")
      .trimEnd(),
  );
}

/** @typedef {{ title: string, detail: string, begin: number }} RunningStep */

/** @param {RunningStep} step */
function describeRunning({ title, detail, begin }) {
  return `${title}${detail ? ` (${detail})` : ""} … ${formatDuration(performance.now() - begin)}`;
}

export class Terminal {
  /** Those that have not ended, in the order of their begin. @type {Set<RunningStep>} */
  #running = new Set();

  /** @param {{ output?: Output, env?: Readonly<Record<string, string | undefined>> }} [options] */
  constructor({ output = process.stdout, env = process.env } = {}) {
    this.output = output;
    /** Whether a line can be rewritten. */
    this.isLive = output.isTTY === true && env.CI !== "true" && env.TERM !== "dumb";
    this.hasColour = this.isLive && !env.NO_COLOR;
    this.isMuted = false;
  }

  /** Prints nothing from now on: the last word was said. */
  mute() {
    if (this.isLive) this.output.write("\r\u001B[K");
    this.isMuted = true;
  }

  /**
   * @param {Style} style
   * @param {string} text
   */
  style(style, text) {
    return this.hasColour ? `\u001B[${STYLES[style]}m${text}\u001B[0m` : text;
  }

  /** @param {string} text */
  #write(text) {
    if (!this.isMuted) this.output.write(text);
  }

  /** @param {string} [text] */
  line(text = "") {
    const clear = this.isLive && this.#running.size > 0 ? "\r\u001B[K" : "";
    this.#write(`${clear}${text}\n`);
  }

  /**
   * Runs a step and prints one line about it; on a terminal a line counts the seconds of all running ones meanwhile.
   *
   * @template T
   * @param {string} title For example `Install packages`.
   * @param {(progress: (detail: string) => void) => Promise<T>} run `progress` shows what the step is at.
   * @param {{ describe?: (result: T) => string | undefined, begin?: number }} [options] `describe` gives a word on the
   *   outcome. `begin`, by `performance.now()`, is of work that began earlier. Default: now.
   * @returns {Promise<T>}
   */
  async step(title, run, { describe = () => undefined, begin = performance.now() } = {}) {
    const step = { title, detail: "", begin };
    this.#running.add(step);
    const elapsed = () => formatDuration(performance.now() - begin);
    const show = () => {
      if (!this.isLive) return this.line(`  ${describeRunning(step)}`);
      const text = [...this.#running].map(describeRunning).join(" · ");
      this.#write(`\r\u001B[K${this.style("dim", `  ${text}`.slice(0, 118))}`);
    };
    const timer = setInterval(show, this.isLive ? TICK_MS : REMINDER_MS);
    const finish = (/** @type {string} */ mark, /** @type {string} */ outcome) => {
      clearInterval(timer);
      this.line(
        `${mark} ${title}${outcome ? ` ${this.style("dim", `(${outcome})`)}` : ""} ${this.style("dim", elapsed())}`,
      );
      this.#running.delete(step);
    };
    try {
      const result = await run((text) => {
        step.detail = text;
      });
      finish(this.style("green", "✓"), describe(result) ?? "");
      return result;
    } catch (error) {
      finish(this.style("red", "✗"), "");
      throw error;
    }
  }
}
