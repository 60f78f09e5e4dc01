/**
 * A machine with Windows for the tests of one file: wine with a folder of its own, in which Windows' Node.js runs the built
 * `thv` against a real engine. Programs write into files, because Node.js can open no pipe and no terminal of wine.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, open, readdir, readFile, realpath, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { mustRun, runCommand } from "../command.ts";
import {
  endProcesses,
  identify,
  listProcessIds,
  type ProcessIdentity,
  readCommandLine,
  readEnvironment,
} from "../engines/processes.ts";
import { removeContainers } from "../engines/remove-containers.ts";
import type { TestEngine } from "../engines/start-engines.ts";
import { requireThv } from "../run-thv.ts";
import { THV_BUNDLE } from "../throwaway-home.ts";
import { EngineForwarder } from "./engine-forwarder.ts";
import { WINDOWS_NODE } from "./prepare-windows.ts";

export interface WindowsResult {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** A program that runs. */
export interface WindowsProgram {
  readonly ended: Promise<WindowsResult>;
  /** What it has written so far. */
  readOutput(): Promise<Omit<WindowsResult, "code">>;
}

export interface WindowsOptions {
  /** Bytes of standard input. Default: none. */
  readonly input?: string;
  /** Variables on top of the machine's. */
  readonly env?: Readonly<Record<string, string>>;
}

export class WindowsMachine implements AsyncDisposable {
  readonly #folder: string;
  readonly #engine: Pick<TestEngine, "host" | "socket">;
  readonly #forwarder: EngineForwarder;
  #programs = 0;

  private constructor(folder: string, engine: Pick<TestEngine, "host" | "socket">, forwarder: EngineForwarder) {
    this.#folder = folder;
    this.#engine = engine;
    this.#forwarder = forwarder;
  }

  /** @throws {Error} When `thv` was not built, or wine does not start. */
  static async create(engine: Pick<TestEngine, "host" | "socket">): Promise<WindowsMachine> {
    requireThv();
    const folder = await realpath(await mkdtemp(join(process.env.TOOLHIVE_TEST_HOMES ?? "/tmp", "win-")));
    await mkdir(join(folder, "output"));
    const machine = new WindowsMachine(folder, engine, await EngineForwarder.start(engine.socket));
    try {
      await mustRun("wineboot", ["--init"], { env: machine.#env });
    } catch (error) {
      await machine[Symbol.asyncDispose]().catch(() => undefined); // what went wrong first is what to report
      throw error;
    }
    return machine;
  }

  get #env(): Record<string, string> {
    return {
      PATH: process.env.PATH ?? "",
      HOME: this.#folder,
      WINEPREFIX: join(this.#folder, "wine"),
      WINEDEBUG: "-all",
      // Neither programs that it would fetch, nor entries in menus.
      WINEDLLOVERRIDES: "mscoree,mshtml=;winemenubuilder.exe=d",
      // The wine of Debian 12 says that it is Windows 7.
      NODE_SKIP_PLATFORM_CHECK: "1",
      DOCKER_HOST: this.#forwarder.host,
    };
  }

  /** Where Linux has a path of Windows: `C:\…`. */
  locate(path: string): string {
    return join(this.#folder, "wine/drive_c", ...path.replace(/^C:/i, "").split("\\"));
  }

  /** The user's folder, as Windows names it. */
  async findHome(): Promise<string> {
    const users = await readdir(this.locate("C:\\users"));
    return `C:\\users\\${users.find((name) => name !== "Public")}`;
  }

  /** The folder of settings, data and state, as Windows names it. */
  async findState(): Promise<string> {
    return `${await this.findHome()}\\AppData\\Local\\toolhive`;
  }

  async readState(file: string): Promise<string> {
    return await readFile(this.locate(`${await this.findState()}\\${file}`), "utf8");
  }

  /** Runs `thv` to its end. Any exit code is a result. */
  async thv(args: readonly string[], options?: WindowsOptions): Promise<WindowsResult> {
    return await (await this.startThv(args, options)).ended;
  }

  async startThv(args: readonly string[], options?: WindowsOptions): Promise<WindowsProgram> {
    return await this.start([nameForWindows(WINDOWS_NODE), nameForWindows(THV_BUNDLE), ...args], options);
  }

  /** Starts Windows' Node.js. @param args For example `-e` and a program. */
  async startNode(args: readonly string[]): Promise<WindowsProgram> {
    return await this.start([nameForWindows(WINDOWS_NODE), ...args]);
  }

  /** @param command A program of Windows and its arguments. */
  async start(command: readonly string[], { input = "", env = {} }: WindowsOptions = {}): Promise<WindowsProgram> {
    const name = join(this.#folder, "output", String(++this.#programs));
    await writeFile(`${name}.in`, input);
    const files = await Promise.all([open(`${name}.in`), open(`${name}.out`, "w"), open(`${name}.err`, "w")]);
    let child: ChildProcess;
    try {
      const stdio = files.map(({ fd }) => fd);
      child = spawn("wine", command, { stdio, env: { ...this.#env, ...env }, cwd: this.#folder });
      await once(child, "spawn");
    } finally {
      for (const file of files) await file.close();
    }
    const readOutput = async () => ({
      stdout: await readFile(`${name}.out`, "utf8"),
      stderr: await readFile(`${name}.err`, "utf8"),
    });
    const ended = new Promise<number>((resolve) => child.once("exit", (code) => resolve(code ?? 255)));
    return { readOutput, ended: ended.then(async (code) => ({ code, ...(await readOutput()) })) };
  }

  /** Ends a process as the task manager does, without a word to it. @param pid As Windows counts. */
  async kill(pid: number): Promise<void> {
    const { ended } = await this.start(["taskkill", "/F", "/PID", String(pid)]);
    const { code, stdout } = await ended;
    if (code !== 0) throw new Error(`taskkill ended with ${code}: ${stdout}`);
  }

  /** Ends what the tests started, and removes what remains of `thv` in the engine and in the user's folder. */
  async reset(): Promise<void> {
    const id = await this.readState("instance-id").catch(() => undefined);
    await endProcesses(await this.#listProcesses("node.exe"), { graceMs: 0 });
    if (id !== undefined) {
      await removeContainers(this.#engine.host, (labels) => Object.values(labels).includes(id.trim()));
    }
    await rm(this.locate(await this.findState()), { recursive: true, force: true });
  }

  /** @param program Part of the command line. Default: those of wine itself, too. */
  async #listProcesses(program = ""): Promise<ProcessIdentity[]> {
    const found: ProcessIdentity[] = [];
    for (const pid of await listProcessIds()) {
      if (!(await readEnvironment(pid)).includes(`HOME=${this.#folder}`)) continue;
      if (!(await readCommandLine(pid)).includes(program)) continue;
      const identity = await identify(pid);
      if (identity !== undefined) found.push(identity);
    }
    return found;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    try {
      await this.reset();
    } finally {
      await runCommand("wineserver", ["--kill"], { env: this.#env });
      await endProcesses(await this.#listProcesses(), { graceMs: 2_000 });
      await this.#forwarder[Symbol.asyncDispose]();
      await rm(this.#folder, { recursive: true, force: true });
    }
  }
}

/** What Windows calls a path of Linux: wine has the whole machine as drive Z. */
export function nameForWindows(path: string): string {
  return `Z:${path.replaceAll("/", "\\")}`;
}
