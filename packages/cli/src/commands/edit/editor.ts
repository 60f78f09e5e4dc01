/** The user's own editor, on a text in a file that only the user can read. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readBoundedText } from "@toolhive/core/bounded-file";
import { describeError, ThvError } from "@toolhive/core/errors";
import type { CommandContext } from "../../command-line/command.ts";

export class EditedText implements AsyncDisposable {
  readonly path: string;
  readonly #folder: string;
  readonly #context: CommandContext;
  /** Whether the file stays, because what is in it was not applied. */
  isKept = false;

  private constructor(folder: string, path: string, context: CommandContext) {
    this.#folder = folder;
    this.path = path;
    this.#context = context;
  }

  static async create(name: string, text: string, context: CommandContext): Promise<EditedText> {
    const folder = await mkdtemp(join(tmpdir(), "thv-edit-"));
    const path = join(folder, `${name}.yaml`);
    await writeFile(path, text, { mode: 0o600 });
    return new EditedText(folder, path, context);
  }

  /** @returns What was saved. @throws {ThvError} `INVALID_ARGUMENT` where the editor cannot be started or fails. */
  async open(): Promise<string> {
    const { command, source } = findEditor(this.#context.env);
    const fail = (reason: string, cause?: unknown) =>
      new ThvError("INVALID_ARGUMENT", `The editor "${command}" of ${source} ${reason}.`, {
        hint: "Set VISUAL or EDITOR to a command that waits until the file is closed, such as nano or code --wait",
        cause,
      });
    let ended: unknown[];
    try {
      ended = await once(startEditor(command, this.path), "close");
    } catch (error) {
      throw fail(`cannot be started: ${describeError(error)}`, error);
    }
    const [code, killedBy] = ended;
    if (code !== 0) throw fail(`ended with ${killedBy ? String(killedBy) : `code ${String(code)}`}`);
    return await readBoundedText(this.path);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (!this.isKept) await rm(this.#folder, { recursive: true, force: true });
  }
}

function findEditor(env: CommandContext["env"]): { readonly command: string; readonly source: string } {
  for (const variable of ["VISUAL", "EDITOR"] as const) {
    const command = env[variable]?.trim();
    if (command) return { command, source: variable };
  }
  return { command: process.platform === "win32" ? "notepad" : "vi", source: "this system" };
}

/** As git does: the command may have arguments of its own, so a shell reads it; the path is no part of what the shell reads. */
function startEditor(command: string, path: string) {
  if (process.platform === "win32") return spawn(`${command} "${path}"`, { stdio: "inherit", shell: true });
  return spawn("/bin/sh", ["-c", `${command} "$1"`, "sh", path], { stdio: "inherit" });
}
