/** A shell on a pseudo-terminal, as a person uses it: keys go in, what the screen gets is collected. */
import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { waitFor } from "@toolhive/testing";

/** @returns The first of the programs that is not installed. */
export function missingProgram(...programs: readonly string[]): string | undefined {
  return programs.find(
    (program) =>
      !(process.env.PATH ?? "").split(delimiter).some((folder) => {
        try {
          accessSync(join(folder, program), constants.X_OK);
          return true;
        } catch {
          return false;
        }
      }),
  );
}

export class InteractiveShell implements AsyncDisposable {
  readonly #child: ChildProcessWithoutNullStreams;
  #screen = "";

  /** @param command For `sh`; runs on a terminal of 100 columns that `script` makes. */
  constructor(command: string, { cwd, env }: { cwd: string; env: Readonly<Record<string, string>> }) {
    const args = ["--quiet", "--flush", "--command", `stty cols 100 rows 50; exec ${command}`, "/dev/null"];
    this.#child = spawn("script", args, { cwd, env, stdio: "pipe" });
    this.#child.stdout.setEncoding("utf8").on("data", (text: string) => {
      this.#screen += text;
    });
  }

  /** What was drawn since the last keys, without colours and cursor moves. */
  get screen(): string {
    return stripVTControlCharacters(this.#screen).replaceAll("\r", "");
  }

  press(keys: string): void {
    this.#child.stdin.write(keys);
  }

  /** Types, and waits until the screen shows what it has to. */
  async type(keys: string, expected: string | RegExp): Promise<string> {
    this.#screen = "";
    this.#child.stdin.write(keys);
    const shows = () => (typeof expected === "string" ? this.screen.includes(expected) : expected.test(this.screen));
    try {
      await waitFor(shows, { what: `the screen to show ${expected}` });
    } catch (error) {
      throw new Error(`after ${JSON.stringify(keys)} the screen shows ${JSON.stringify(this.screen)}`, {
        cause: error,
      });
    }
    return this.screen;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const gone = once(this.#child, "close");
    this.#child.kill("SIGKILL");
    await gone;
  }
}
