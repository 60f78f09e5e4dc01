/** A program of a peer that runs: it writes one line of JSON for what it was asked, and ends with its input. */
import { type ChildProcessByStdio, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import type { Readable, Writable } from "node:stream";
import { isRecord, parseJson } from "@toolhive/http/values";
import { findPeerCommand, type PeerLanguage } from "./prepare-peers.ts";

export interface Peer {
  readonly language: PeerLanguage;
  readonly sdk: string;
}

/** What a client connects to: an address, or a command whose process speaks stdio. */
export type PeerTarget = { readonly url: string } | { readonly command: readonly string[] };

/** What each step of a conversation gave. A step that failed is `{"error": …}`; one that does not exist is not there. */
export type Conversation = Readonly<Record<string, unknown>>;

class PeerProgram implements AsyncDisposable {
  readonly #child: ChildProcessByStdio<Writable, Readable, Readable>;
  readonly #lines: AsyncIterator<string>;
  #errors = "";
  #asked: Promise<unknown> = Promise.resolve();

  constructor([command = "", ...args]: readonly string[]) {
    this.#child = spawn(command, args, { stdio: ["pipe", "pipe", "pipe"] });
    this.#lines = createInterface({ input: this.#child.stdout })[Symbol.asyncIterator]();
    this.#child.stderr.setEncoding("utf8").on("data", (text: string) => {
      this.#errors = (this.#errors + text).slice(-4000);
    });
    // Whoever writes to a program that has ended reads why from its next line.
    this.#child.stdin.on("error", () => undefined);
  }

  /**
   * @returns The next line that is an object; SDKs may write others.
   * @throws {Error} When the program ends before.
   */
  async readObject(): Promise<Readonly<Record<string, unknown>>> {
    for (;;) {
      const { value, done } = await this.#lines.next();
      if (done) throw new Error(`${this.#child.spawnargs.join(" ")} has ended: ${this.#errors}`);
      const read = parseJson(value);
      if (isRecord(read)) return read;
    }
  }

  /** Writes a line and reads the answer to it, also when nobody waits for the answer to the one before any more. */
  async ask(value: unknown): Promise<Readonly<Record<string, unknown>>> {
    const before = this.#asked;
    const answered = before.then(async () => {
      this.#child.stdin.write(`${JSON.stringify(value)}\n`);
      return await this.readObject();
    });
    this.#asked = answered.catch(() => undefined);
    return await answered;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    this.#child.kill("SIGKILL");
    await once(this.#child, "exit");
  }
}

/** Servers of a peer over HTTP, one of each kind that it can be. */
export class PeerServers implements AsyncDisposable {
  /** Addresses by kind. */
  readonly urls: Readonly<Record<string, string>>;
  readonly #program: PeerProgram;

  private constructor(program: PeerProgram, urls: Readonly<Record<string, string>>) {
    this.#program = program;
    this.urls = urls;
  }

  static async start({ language, sdk }: Peer): Promise<PeerServers> {
    const program = new PeerProgram([...(await findPeerCommand(language, sdk)), "serve"]);
    return new PeerServers(program, (await program.readObject()) as Record<string, string>);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#program[Symbol.asyncDispose]();
  }
}

/** A client of a peer, which has one conversation after the other. */
export class PeerClient implements AsyncDisposable {
  readonly #program: PeerProgram;

  private constructor(program: PeerProgram) {
    this.#program = program;
  }

  static async start({ language, sdk }: Peer): Promise<PeerClient> {
    return new PeerClient(new PeerProgram([...(await findPeerCommand(language, sdk)), "converse"]));
  }

  /** @param kind Of this client or of the server, where the client has a choice how it connects. */
  async converse(target: PeerTarget, kind?: string): Promise<Conversation> {
    return await this.#program.ask({ ...target, kind });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#program[Symbol.asyncDispose]();
  }
}

/** The command of a peer that is a server on stdio. */
export async function findStdioCommand({ language, sdk }: Peer): Promise<readonly string[]> {
  return [...(await findPeerCommand(language, sdk)), "stdio"];
}
