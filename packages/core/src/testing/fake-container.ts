/** A container of the fake engine: its state, its process, its log and whoever is attached to it. */

import { PassThrough } from "node:stream";
import { Listeners } from "@toolhive/http/listeners";
import type {
  Container,
  ContainerEvent,
  ContainerSpec,
  ContainerState,
  ContainerStdio,
  LogLine,
  LogOptions,
  LogPosition,
} from "../ports/container-engine.ts";
import { ALLOW_COMMAND, ALLOWED_LINE, CLOSED_LINE } from "../sidecar-rules/sidecar-rules.ts";
import type { FakeServer } from "./fake-server.ts";

interface FakeContainerOptions {
  readonly id: string;
  readonly spec: ContainerSpec;
  readonly server: FakeServer;
  /** Whether stdin outlives its attachment. */
  readonly keepsStdin: boolean;
  readonly onEvent: (event: ContainerEvent) => void;
}

interface Attachment {
  readonly stdin: PassThrough;
  readonly stdout: PassThrough;
  readonly stderr: PassThrough;
  readonly end: () => void;
}

export class FakeContainer {
  readonly id: string;
  readonly spec: ContainerSpec;
  readonly log: LogLine[] = [];
  /** Starts so far. */
  starts = 0;
  /** Whether a sidecar that runs takes other rules. */
  takesRules = true;
  readonly #options: FakeContainerOptions;
  readonly #attachments = new Set<Attachment>();
  readonly #onLog = new Listeners();
  #state: ContainerState = "created";
  #exitCode: number | undefined;
  #startedAt: Date | undefined;
  #stdin: PassThrough | undefined;
  readonly #createdAt = new Date();

  constructor(options: FakeContainerOptions) {
    this.#options = options;
    this.id = options.id;
    this.spec = options.spec;
  }

  get name(): string {
    return this.spec.name;
  }

  get isRunning(): boolean {
    return this.#state === "running";
  }

  get attachmentCount(): number {
    return this.#attachments.size;
  }

  /** Readers that follow the log. */
  get followerCount(): number {
    return this.#onLog.size;
  }

  describe(): Container {
    return {
      id: this.id,
      name: this.name,
      image: this.spec.image,
      imageId: `id of ${this.spec.image}`,
      state: this.#state,
      labels: this.spec.labels,
      createdAt: this.#createdAt,
      ...(this.#startedAt && { startedAt: this.#startedAt }),
      ...(this.#exitCode !== undefined && { exitCode: this.#exitCode }),
    };
  }

  /** What commands were run in it beside its server. They write what a sidecar answers. */
  readonly commands: (readonly string[])[] = [];

  runCommand(command: readonly string[]): string[] {
    this.commands.push(command);
    if (command.includes(ALLOW_COMMAND)) return this.takesRules ? [ALLOWED_LINE] : [];
    return [CLOSED_LINE];
  }

  start(): void {
    if (this.isRunning) return;
    this.#state = "running";
    this.starts += 1;
    this.#startedAt = new Date();
    const stdin = new PassThrough();
    this.#stdin = stdin;
    this.#emit("start");
    const run = this.starts;
    const isCurrent = () => run === this.starts && this.isRunning;
    this.#options.server({
      stdin,
      args: this.spec.args,
      writeOut: (line) => isCurrent() && this.#write("stdout", line),
      writeErr: (line) => isCurrent() && this.#write("stderr", line),
      exit: (code) => isCurrent() && this.exit(code),
    });
  }

  /** The process ends, by itself or by a signal. */
  exit(code: number): void {
    if (!this.isRunning) return;
    this.#state = "exited";
    this.#exitCode = code;
    this.#stdin?.destroy();
    this.#stdin = undefined;
    for (const attachment of [...this.#attachments]) attachment.end();
    this.#notifyLog();
    this.#emit("die", code);
  }

  /** The process ends, and neither its attachments nor an event report it. */
  exitUnnoticed(code: number): void {
    this.#state = "exited";
    this.#exitCode = code;
    this.#stdin?.destroy();
    this.#stdin = undefined;
  }

  /** The process closes its stdout and stderr, and runs on. */
  closeOutput(): void {
    for (const { stdout, stderr } of this.#attachments) {
      stdout.end();
      stderr.end();
    }
  }

  /** @param onEnd Ends the attachment from the other side: the engine went away, or its holder was killed. */
  attach(onEnd: (end: () => void) => () => void): ContainerStdio {
    const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()];
    let settle: () => void = () => undefined;
    const closed = new Promise<void>((resolve) => {
      settle = resolve;
    });
    const end = () => {
      if (!this.#attachments.delete(attachment)) return;
      forget();
      stdout.end();
      stderr.end();
      stdin.destroy();
      settle();
      if (!this.#options.keepsStdin) this.#stdin?.end();
    };
    const attachment: Attachment = { stdin, stdout, stderr, end };
    const forget = onEnd(end);
    stdin.on("data", (chunk) => this.#stdin?.write(chunk));
    // A write to a lost attachment is the writer's to notice through `closed`.
    stdin.on("error", () => undefined);
    this.#attachments.add(attachment);
    const close = async () => end();
    return { stdin, stdout, stderr, closed, close, [Symbol.asyncDispose]: close };
  }

  /** The newest lines of the log, oldest first. */
  readLog({ tail, since, isStamped = false }: LogOptions): LogLine[] {
    const from = since?.getTime() ?? Number.NEGATIVE_INFINITY;
    const lines = this.log.filter(({ at }) => at === undefined || at >= from);
    return lines.slice(Math.max(0, lines.length - tail)).map((line) => (isStamped ? line : withoutMoment(line)));
  }

  /** The same, and those that come until the container ends or the signal fires. A log is never rotated here. */
  async *followLog(options: LogOptions & { readonly position?: LogPosition }): AsyncGenerator<LogLine> {
    const { isStamped = false, signal, position = { count: 0 } } = options;
    let next = position.count > 0 ? position.count : this.log.length;
    if (position.count === 0) yield* this.readLog(options);
    position.count = next;
    for (;;) {
      while (next < this.log.length) {
        const line = this.log[next];
        next += 1;
        position.count = next;
        if (line) yield isStamped ? line : withoutMoment(line);
      }
      if (!this.isRunning || signal?.aborted) return;
      await new Promise<void>((resolve) => {
        const wake = () => {
          leave();
          resolve();
        };
        const leave = this.#onLog.add(wake);
        signal?.addEventListener("abort", wake, { once: true });
      });
    }
  }

  #write(stream: LogLine["stream"], text: string): void {
    this.log.push({ stream, text, at: Date.now() });
    for (const attachment of this.#attachments) {
      if (!attachment[stream].writableEnded) attachment[stream].write(`${text}\n`);
    }
    this.#notifyLog();
  }

  #notifyLog(): void {
    this.#onLog.notify();
  }

  #emit(action: ContainerEvent["action"], exitCode?: number): void {
    this.#options.onEvent({
      action,
      containerId: this.id,
      containerName: this.name,
      ...(exitCode !== undefined && { exitCode }),
    });
  }
}

function withoutMoment({ at: _at, ...line }: LogLine): LogLine {
  return line;
}
