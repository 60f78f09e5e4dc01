/** The process's streams in memory: what a command wrote, and to which stream. */
import { EventEmitter } from "node:events";
import { PassThrough } from "node:stream";
import { Terminal, type TerminalOptions } from "../terminal/terminal.ts";

interface FakeTerminalOptions {
  /** Whether a person watches. Default no: the output is piped. */
  readonly isTty?: boolean;
  readonly columns?: number;
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** What comes in from a pipe, and that it ends. Default: it stays open. */
  readonly input?: string;
  /** What a person types, each once its question is on the screen. */
  readonly answers?: readonly (readonly [question: string, typed: string])[];
}

export class FakeTerminal {
  stdout = "";
  stderr = "";
  readonly options: TerminalOptions;

  constructor({ isTty = false, columns, env = {}, input, answers = [] }: FakeTerminalOptions = {}) {
    const stream = (take: (text: string) => void) => {
      const write = (text: string) => {
        take(text);
        return true;
      };
      return Object.assign(new EventEmitter(), { write, isTTY: isTty, columns });
    };
    const stdin = Object.assign(new PassThrough(), { isTTY: isTty, setRawMode: () => undefined });
    if (input !== undefined) stdin.end(input);
    const open = [...answers];
    const stderr = stream((text) => {
      this.stderr += text;
      const [next] = open;
      if (!next || !this.stderr.includes(next[0])) return;
      open.shift();
      // The question is drawn first; then it listens.
      setImmediate(() => stdin.write(`${next[1]}\r`));
    });
    this.options = {
      stdin: stdin as unknown as NodeJS.ReadStream,
      stdout: stream((text) => {
        this.stdout += text;
      }),
      stderr: stderr as unknown as NodeJS.WriteStream,
      env,
    };
  }

  get terminal(): Terminal {
    return new Terminal(this.options);
  }
}
