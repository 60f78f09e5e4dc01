/** The programs that run in a fake engine's containers: MCP servers on stdio reduced to what supervision can see. */
import { createInterface } from "node:readline";
import type { PassThrough } from "node:stream";
import { READY_LINE } from "../sidecar-rules/sidecar-rules.ts";

export interface FakeProcess {
  readonly stdin: PassThrough;
  readonly args: readonly string[];
  readonly writeOut: (line: string) => void;
  readonly writeErr: (line: string) => void;
  /** Ends the process; repeating it changes nothing. */
  readonly exit: (code: number) => void;
}

export type FakeServer = (process: FakeProcess) => void;

/** Answers every request, and ends when its input does. */
export const answeringServer: FakeServer = ({ stdin, args, writeOut, writeErr, exit }) => {
  if (args[0] === "crash") {
    writeErr("crashing because it was asked to");
    exit(1);
    return;
  }
  writeErr("echo: ready");
  const lines = createInterface({ input: stdin });
  lines.on("line", (line) => {
    const { id } = JSON.parse(line) as { id?: number };
    if (id !== undefined) writeOut(JSON.stringify({ jsonrpc: "2.0", id, result: {} }));
  });
  lines.on("close", () => exit(0));
};

/** A network sidecar: says that it is ready and runs until it is stopped, whatever becomes of its input. */
export const sidecarServer: FakeServer = ({ stdin, writeOut }) => {
  stdin.resume();
  writeOut(READY_LINE);
};

/** Reads its input and never answers. */
export const silentServer: FakeServer = ({ stdin, exit }) => {
  stdin.resume();
  stdin.on("end", () => exit(0));
};

/** Ends at once, with a reason on stderr. */
export function exitingServer(code: number, lastWords = "cannot read the configuration file"): FakeServer {
  return ({ writeErr, exit }) => {
    writeErr(lastWords);
    exit(code);
  };
}
