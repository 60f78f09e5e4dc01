/** Shows a long text in the program that the user has for it. */
import { spawn } from "node:child_process";
import { access, constants } from "node:fs/promises";
import { delimiter, join } from "node:path";

export interface PagerOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly signal: AbortSignal;
  /** Lines of the terminal; a text that fits needs no pager. */
  readonly rows: number | undefined;
}

/** Leaves when the text fits, keeps colors, leaves the text on the screen. */
const LESS_OPTIONS = "FRX";
/** What a shell answers for a program that is not there. */
const NOT_FOUND = 127;

/**
 * @param text As the terminal gets it.
 * @returns Whether it was shown; `false` where there is no pager, or it could not be started.
 */
export async function showPaged(text: string, { env, signal, rows }: PagerOptions): Promise<boolean> {
  if (rows !== undefined && text.split("\n").length < rows) return false;
  const command = await choosePager(env);
  if (command === undefined) return false;
  return await new Promise((resolve) => {
    const child = spawn(command, {
      shell: true,
      stdio: ["pipe", "inherit", "inherit"],
      env: { LESS: LESS_OPTIONS, ...env },
    });
    const end = () => child.kill();
    signal.addEventListener("abort", end, { once: true });
    child.once("error", () => resolve(false));
    child.once("close", (code) => {
      signal.removeEventListener("abort", end);
      resolve(code !== NOT_FOUND);
    });
    // A user who has read enough closes the pager, and then nothing more is written.
    child.stdin.on("error", () => undefined);
    child.stdin.end(text);
  });
}

/** `PAGER`, which may be a command with options; else `less`, where there is one. */
async function choosePager(env: PagerOptions["env"]): Promise<string | undefined> {
  const { PAGER } = env;
  if (PAGER !== undefined) return PAGER.trim() === "" || PAGER.trim() === "cat" ? undefined : PAGER;
  return process.platform !== "win32" && (await isInPath("less", env.PATH ?? "")) ? "less" : undefined;
}

async function isInPath(program: string, path: string): Promise<boolean> {
  for (const folder of path.split(delimiter).filter((each) => each !== "")) {
    const isThere = await access(join(folder, program), constants.X_OK).then(
      () => true,
      () => false,
    );
    if (isThere) return true;
  }
  return false;
}
