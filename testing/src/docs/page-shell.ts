/** One bash that runs the blocks of a page one after the other, as a reader's terminal would. */
import { type ChildProcess, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Milliseconds a block may take. `kubectl wait --timeout=120s` in it fails before, and says what it waited for. */
const BLOCK_TIMEOUT_MS = 240_000;

export interface PageShellOptions {
  readonly cwd: string;
  /** The whole environment. */
  readonly env: Readonly<Record<string, string>>;
}

export interface BlockResult {
  /** stdout and stderr in the order they were written. */
  readonly output: string;
  /** Of the first command that failed; 0 when none did. */
  readonly exitCode: number;
}

/**
 * Prints both streams to one, and remembers the first failure: a block of three commands whose second fails has failed,
 * though a shell would say otherwise. The marker shows where a block's output ends.
 */
const PROLOGUE = `exec 2>&1\ntrap 'thv_failed=\${thv_failed:-$?}' ERR\n`;

export class PageShell implements AsyncDisposable {
  readonly #shell: ChildProcess;
  readonly #folder: string;
  readonly #marker = `block-${randomBytes(8).toString("hex")}-ended`;
  #output = "";
  #goingOn = 0;
  #onOutput = () => {};

  private constructor(shell: ChildProcess, folder: string) {
    this.#shell = shell;
    this.#folder = folder;
    shell.stdout?.setEncoding("utf8").on("data", (text: string) => {
      this.#output += text;
      this.#onOutput();
    });
    shell.once("close", () => this.#onOutput());
    shell.stdin?.write(PROLOGUE);
  }

  static async start({ cwd, env }: PageShellOptions): Promise<PageShell> {
    const folder = await mkdtemp(join(tmpdir(), "thv-blocks-"));
    const shell = spawn("bash", ["--noprofile", "--norc"], {
      cwd,
      env: { ...env },
      stdio: ["pipe", "pipe", "inherit"],
      detached: true,
    });
    await new Promise<void>((resolve, reject) => {
      shell.once("spawn", resolve);
      shell.once("error", reject);
    });
    return new PageShell(shell, folder);
  }

  /** @throws {Error} When the block ends the shell or does not end in time. */
  async run(block: string, { timeoutMs = BLOCK_TIMEOUT_MS }: { timeoutMs?: number } = {}): Promise<BlockResult> {
    const file = join(this.#folder, "block.sh");
    await writeFile(file, `${block}\n`);
    this.#output = "";
    // Empty stdin: a command that reads it would otherwise eat the blocks that follow.
    this.#shell.stdin?.write(
      `thv_failed=\n. ${file} < /dev/null\nprintf '\\n${this.#marker} %d\\n' "\${thv_failed:-0}"\n`,
    );
    const end = new RegExp(`\\n${this.#marker} (\\d+)\\n`);
    const match = await this.#untilOutput(end, timeoutMs);
    return { output: this.#output.slice(0, match.index), exitCode: Number(match[1]) };
  }

  /** For a command that goes on: it runs in the background, until the shell ends. @throws {Error} When it does not print the text in time. */
  async runUntil(block: string, text: string): Promise<BlockResult> {
    const [file, log] = [
      join(this.#folder, `going-on-${this.#goingOn}.sh`),
      join(this.#folder, `${this.#goingOn}.log`),
    ];
    this.#goingOn += 1;
    await writeFile(file, `${block}\n`);
    await writeFile(join(this.#folder, "text"), text);
    const isPrinted = `grep --fixed-strings --quiet --file ${join(this.#folder, "text")} ${log}`;
    const wait = `until ${isPrinted}; do kill -0 $! 2>/dev/null || { cat ${log}; false; return 1; }; sleep 0.1; done; cat ${log}`;
    return await this.run(`bash ${file} < /dev/null > ${log} 2>&1 &\n${wait}`);
  }

  async #untilOutput(pattern: RegExp, timeoutMs: number): Promise<RegExpExecArray> {
    return await new Promise((resolve, reject) => {
      const timer = setTimeout(
        () =>
          settle(() => reject(new Error(`The block did not end within ${timeoutMs} ms. It printed:\n${this.#output}`))),
        timeoutMs,
      );
      const settle = (finish: () => void) => {
        clearTimeout(timer);
        this.#onOutput = () => {};
        finish();
      };
      this.#onOutput = () => {
        const match = pattern.exec(this.#output);
        if (match !== null) settle(() => resolve(match));
        else if (this.#shell.exitCode !== null || this.#shell.signalCode !== null) {
          settle(() => reject(new Error(`The block ended the shell. It printed:\n${this.#output}`)));
        }
      };
      this.#onOutput();
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#shell.exitCode === null && this.#shell.signalCode === null && this.#shell.pid !== undefined) {
      const ended = new Promise((resolve) => this.#shell.once("exit", resolve));
      process.kill(-this.#shell.pid, "SIGKILL"); // a block that hangs would keep the shell from reading `exit`
      await ended;
    }
    await rm(this.#folder, { recursive: true, force: true });
  }
}
