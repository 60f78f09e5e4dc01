/** The frame of a root command: Node's version, one message when it is interrupted, children ended however it ends. */
import { Children } from "./children.mjs";
import { CommandFailure, describeError } from "./errors.mjs";
import { Terminal } from "./terminal.mjs";

/** The lowest Node.js that the project runs on, as in package.json. */
const MINIMUM_NODE = [20, 19];

/** Exit codes that a shell gives for these signals. */
const SIGNALS = /** @type {const} */ ({ SIGHUP: 129, SIGINT: 130, SIGTERM: 143 });

/** Milliseconds between two checks of the parent process. */
const PARENT_CHECK_MS = 250;

/** @typedef {{ children: Children, terminal: Terminal, interrupted: AbortSignal, onEnd(cleanUp: () => unknown): void }} Context */

/**
 * @param {string} version For example `20.19.0`.
 * @returns {boolean}
 */
export function isSupportedNode(version) {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  const [minimumMajor = 0, minimumMinor = 0] = MINIMUM_NODE;
  return major > minimumMajor || (major === minimumMajor && minor >= minimumMinor);
}

/**
 * Runs `main` and ends the process with its exit code. A signal ends every child first; so does a failure.
 *
 * @param {(context: Context) => Promise<number>} main
 */
export async function runCommand(main) {
  const terminal = new Terminal();
  const children = new Children();
  const interrupt = new AbortController();
  /** @type {(() => unknown)[]} */
  const cleanUps = [];
  /** @type {number | undefined} */
  let signalCode;
  const interruption = new Promise((_, reject) => {
    const end = (/** @type {keyof typeof SIGNALS} */ signal) => {
      if (signalCode !== undefined) return; // the second Ctrl-C of an impatient hand
      signalCode = SIGNALS[signal];
      if (terminal.isLive) terminal.output.write("\r\u001B[K");
      terminal.line(`${signal === "SIGINT" ? "Interrupted" : signal}: ending what was started.`);
      terminal.mute();
      interrupt.abort();
      reject(new CommandFailure("interrupted", { exitCode: signalCode }));
    };
    for (const signal of /** @type {(keyof typeof SIGNALS)[]} */ (Object.keys(SIGNALS)))
      process.on(signal, () => end(signal));
    if (process.env.npm_lifecycle_event !== undefined) watchParent(() => end("SIGTERM"));
  });

  let exitCode = 0;
  try {
    if (!isSupportedNode(process.versions.node)) {
      throw new CommandFailure(
        `This is Node.js ${process.versions.node}; ${MINIMUM_NODE.join(".")} or newer is needed.`,
        {
          hint: "Install a newer one from https://nodejs.org, or with nvm: nvm install",
        },
      );
    }
    const running = main({
      children,
      terminal,
      interrupted: interrupt.signal,
      onEnd: (cleanUp) => cleanUps.push(cleanUp),
    });
    running.catch(() => {}); // after an interruption its failure is a consequence, not news
    exitCode = /** @type {number} */ (await Promise.race([running, interruption]));
  } catch (error) {
    exitCode = error instanceof CommandFailure ? error.exitCode : 1;
    if (signalCode === undefined) {
      report(error, terminal);
      terminal.mute(); // the steps beside it end because of it
    }
  } finally {
    await children.stopAll();
    for (const cleanUp of cleanUps.reverse()) await cleanUp();
  }
  process.exit(signalCode ?? exitCode);
}

/**
 * npm passes SIGTERM on to the shell between it and this process, and the shell does not forward it: this process only sees that
 * the parent has exited.
 *
 * @param {() => void} onGone
 */
function watchParent(onGone) {
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid !== parent) onGone();
  }, PARENT_CHECK_MS);
  timer.unref();
}

/**
 * @param {unknown} error
 * @param {Terminal} terminal
 */
function report(error, terminal) {
  terminal.line(`${terminal.style("red", "Error:")} ${describeError(error)}`);
  if (error instanceof CommandFailure && error.hint) terminal.line(`Hint: ${error.hint}`);
}
