/** Servers on stdio that make the choices of the table, by the id of the row. */
import { PassThrough } from "node:stream";
import type { StdioConnection } from "@toolhive/core";
import { answerPeerMessage, type HttpChoice, listOnTwoPages, type PeerMessage, readPeerMessage } from "./http-peer.ts";

interface StdioChoice extends Pick<HttpChoice, "listTools" | "offers" | "revision"> {
  /** Whether the server ends when something else than initialize arrives first. */
  readonly exitsEarly?: boolean;
  /** Whether it reads nothing before initialize. */
  readonly ignoresEarly?: boolean;
  /** Whether the ids of requests are given back as texts. */
  readonly givesTextIds?: boolean;
  readonly onPing?: "nothing" | "error";
  /** Sends a ping before the answer to a list. */
  readonly pings?: boolean;
  /** Writes an answer. */
  readonly write?: (output: PassThrough, line: string, message: PeerMessage) => void;
}

const LOG = '{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":1}}';

const CHOICES: Readonly<Record<string, StdioChoice>> = {
  "stdio-early": { ignoresEarly: true },
  "stdio-exits-early": { exitsEarly: true },
  "stdio-no-ping": { onPing: "nothing" },
  "stdio-ping-error": { onPing: "error" },
  "stdio-asks-ping": { pings: true },
  "stdio-crlf": { write: (output, line) => void output.write(`${line}\r\n`) },
  "stdio-pieces": {
    write: (output, line) => {
      output.write(line.slice(0, 20));
      setImmediate(() => output.write(`${line.slice(20)}\n`));
    },
  },
  "stdio-together": { write: (output, line) => void output.write(`${LOG}\n${line}\n`) },
  "stdio-log-first": {
    write: (output, line, { method }) => void output.write(`${method === "initialize" ? `${LOG}\n` : ""}${line}\n`),
  },
  "stdio-version-2024-10-07": { revision: "2024-10-07" },
  "stdio-offers-prompts": { offers: ["prompts"] },
  "stdio-list-cursor-empty": { listTools: listOnTwoPages },
  "stdio-text-ids": { givesTextIds: true },
};

/** @returns A server for one client. */
export function createStdioPeer(id: string): StdioConnection | undefined {
  const choice = CHOICES[id];
  if (choice === undefined) return undefined;
  const stdin = new PassThrough();
  const stdout = new PassThrough();
  const write = choice.write ?? ((output, line) => void output.write(`${line}\n`));
  let hasBegun = false;
  let held: (() => void) | undefined;
  const receive = (message: PeerMessage): void => {
    if (message.method === "initialize") hasBegun = true;
    if (!hasBegun && choice.exitsEarly) stdout.end();
    if (!hasBegun && choice.ignoresEarly) return;
    if (message.method === undefined) {
      held?.();
      return;
    }
    if (message.id === undefined || (message.method === "ping" && choice.onPing === "nothing")) return;
    const isError = message.method === "ping" && choice.onPing === "error";
    const answer = isError ? { error: { code: -32601, message: "no ping" } } : answerPeerMessage(message, choice);
    const id = choice.givesTextIds ? String(message.id) : message.id;
    const send = () => write(stdout, JSON.stringify({ jsonrpc: "2.0", id, ...answer }), message);
    if (!choice.pings || !message.method.endsWith("/list")) {
      send();
      return;
    }
    held = send;
    stdout.write('{"jsonrpc":"2.0","id":"p","method":"ping"}\n');
  };
  let rest = "";
  stdin.setEncoding("utf8").on("data", (text: string) => {
    const lines = (rest + text).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) receive(readPeerMessage(line));
  });
  return { stdin, stdout };
}
