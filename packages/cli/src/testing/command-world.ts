/** A home whose supervisor is in this process, over a simulated machine; commands run in it from arguments to exit code. */
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import type { IncomingMessage, ServerResponse } from "node:http";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { ServedWorld } from "@toolhive/api/testing";
import { main } from "../main.ts";
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

  /** @param control Answers requests about the supervisor itself. Default: nobody does. */
  static async start(
    control: (request: IncomingMessage, response: ServerResponse) => boolean = () => false,
  ): Promise<CommandWorld> {
    const home = await mkdtemp(join(tmpdir(), "thv-world-"));
    const env = {
      HOME: home,
      XDG_STATE_HOME: join(home, "s"),
      XDG_DATA_HOME: join(home, "d"),
      XDG_CONFIG_HOME: join(home, "c"),
    };
    const served = await ServedWorld.start();
    const world = new CommandWorld(home, env, served);
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
