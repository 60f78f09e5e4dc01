/** `thv` in this process: its own home, its supervisor over a simulated machine, its streams in memory. */
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { ServedWorld } from "@toolhive/api/testing";
import { main } from "../main.ts";
import { type SupervisorFiles, supervisorFiles } from "../supervisor/supervisor-files.ts";
import { FakeTerminal } from "./fake-terminal.ts";

export interface ThvResult {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

interface ThvOptions {
  readonly signal?: AbortSignal | undefined;
  readonly isTty?: boolean | undefined;
  readonly columns?: number | undefined;
  /** Variables on top of the home's. */
  readonly env?: Readonly<Record<string, string>> | undefined;
  /** What a person types, each once its question is on the screen. */
  readonly answers?: readonly (readonly [question: string, typed: string])[];
}

/** Disposing of it presses Ctrl-C and waits for the end. */
interface ForegroundThv extends AsyncDisposable {
  /** What it has written so far. */
  readonly output: { readonly stdout: string; readonly stderr: string };
  /** The exit code. */
  readonly done: Promise<number>;
}

export class ServedThv implements AsyncDisposable {
  readonly home: string;
  readonly env: Readonly<Record<string, string>>;
  readonly served: ServedWorld;

  private constructor(home: string, env: Readonly<Record<string, string>>, served: ServedWorld) {
    this.home = home;
    this.env = env;
    this.served = served;
  }

  static async start(): Promise<ServedThv> {
    const home = await mkdtemp(join(tmpdir(), "thv-main-"));
    const env = {
      HOME: home,
      XDG_STATE_HOME: join(home, "s"),
      XDG_DATA_HOME: join(home, "d"),
      XDG_CONFIG_HOME: join(home, "c"),
      // Whoever asks for the documentation writes it there.
      TOOLHIVE_DOCS_PACK: join(home, "docs.pack"),
    };
    const served = await ServedWorld.start();
    const thv = new ServedThv(home, env, served);
    await mkdir(dirname(thv.files.socket), { recursive: true });
    await served.server.listenOnSocket(thv.files.socket);
    return thv;
  }

  get files(): SupervisorFiles {
    return supervisorFiles(this.env);
  }

  /** Runs a command from its arguments to its exit code. */
  async call(
    argv: readonly string[],
    { signal = new AbortController().signal, isTty = false, columns, env = {}, answers = [] }: ThvOptions = {},
  ): Promise<ThvResult> {
    const fake = new FakeTerminal({
      isTty,
      answers,
      env: { ...this.env, ...env },
      ...(columns !== undefined && { columns }),
    });
    const code = await main({ ...fake.options, argv, signal });
    return { code, stdout: fake.stdout, stderr: fake.stderr };
  }

  /** Begins a command that stays in the foreground. */
  begin(argv: readonly string[], { env = {} }: Pick<ThvOptions, "env"> = {}): ForegroundThv {
    const fake = new FakeTerminal({ env: { ...this.env, ...env } });
    const interrupt = new AbortController();
    const done = main({ ...fake.options, argv, signal: interrupt.signal });
    return {
      output: fake,
      done,
      async [Symbol.asyncDispose]() {
        interrupt.abort();
        await done;
      },
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.served[Symbol.asyncDispose]();
    await rm(this.home, { recursive: true, force: true });
  }
}
