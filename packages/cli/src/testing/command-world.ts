/** A home whose supervisor is in this process, over a simulated machine; commands run in it from arguments to exit code. */
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { ServedWorld } from "@toolhive/api/testing";
import { main } from "../main.ts";
import { createControl } from "../supervisor/control.ts";
import { controlAnswers } from "../supervisor/control-answers.ts";
import { type SupervisorFiles, supervisorFiles } from "../supervisor/supervisor-files.ts";
import { FakeTerminal } from "./fake-terminal.ts";

interface RunOptions {
  /** Ctrl-C. */
  readonly signal?: AbortSignal | undefined;
  readonly isTty?: boolean | undefined;
  readonly columns?: number | undefined;
  readonly env?: Readonly<Record<string, string>> | undefined;
  /** What a person types, each once its question is on the screen. */
  readonly answers?: readonly (readonly [question: string, typed: string])[];
}

export interface Ran {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export class CommandWorld implements AsyncDisposable {
  readonly home: string;
  readonly env: Readonly<Record<string, string>>;
  readonly served: ServedWorld;

  private constructor(home: string, env: Readonly<Record<string, string>>, served: ServedWorld) {
    this.home = home;
    this.env = env;
    this.served = served;
  }

  static async start(): Promise<CommandWorld> {
    const home = await mkdtemp(join(tmpdir(), "thv-world-"));
    const env = {
      HOME: home,
      XDG_STATE_HOME: join(home, "s"),
      XDG_DATA_HOME: join(home, "d"),
      XDG_CONFIG_HOME: join(home, "c"),
    };
    const served = await ServedWorld.start();
    const world = new CommandWorld(home, env, served);
    const { supervisor: workloads, clients, secrets } = served;
    const control = createControl(controlAnswers({ workloads, clients, secrets }));
    await mkdir(dirname(world.files.socket), { recursive: true });
    await served.server.listenOnSocket(world.files.socket, control);
    return world;
  }

  get files(): SupervisorFiles {
    return supervisorFiles(this.env);
  }

  /** Runs a command as a user would. */
  async thv(argv: readonly string[], options: RunOptions = {}): Promise<Ran> {
    const { signal = new AbortController().signal, isTty = false, columns, env = {}, answers = [] } = options;
    const fake = new FakeTerminal({
      isTty,
      answers,
      env: { ...this.env, ...env },
      ...(columns !== undefined && { columns }),
    });
    const code = await main({ ...fake.options, argv, signal });
    return { code, stdout: fake.stdout, stderr: fake.stderr };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.served[Symbol.asyncDispose]();
    await rm(this.home, { recursive: true, force: true });
  }
}
