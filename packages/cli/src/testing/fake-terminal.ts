/** The process's streams in memory: what a command wrote, and to which stream. */
import { PassThrough } from "node:stream";
import { Terminal, type TerminalOptions } from "../terminal/terminal.ts";

interface FakeTerminalOptions {
  /** Whether a person watches. Default no: the output is piped. */
  readonly isTty?: boolean;
  readonly columns?: number;
  readonly env?: Readonly<Record<string, string | undefined>>;
}

export class FakeTerminal {
  stdout = "";
  stderr = "";
  readonly options: TerminalOptions;

  constructor({ isTty = false, columns, env = {} }: FakeTerminalOptions = {}) {
    const stream = (take: (text: string) => void) => {
      const write = (text: string) => {
        take(text);
        return true;
      };
      return { write, isTTY: isTty, columns };
    };
    const stderr = stream((text) => {
      this.stderr += text;
    });
    this.options = {
      stdin: Object.assign(new PassThrough(), { isTTY: isTty }) as unknown as NodeJS.ReadStream,
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
