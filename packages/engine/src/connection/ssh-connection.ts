/**
 * A connection to an engine behind `ssh`, as Docker's own client makes it: the system's `ssh` runs `docker system
 * dial-stdio` there, which connects its input and output with the engine. Keys and known hosts are `ssh`'s business.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { Agent } from "node:http";
import type { Socket } from "node:net";
import { ThvError } from "@toolhive/core";
import { type EngineAddress, formatAddress } from "./engine-address.ts";

type SshAddress = Extract<EngineAddress, { kind: "ssh" }>;

/** Each connection is a process here and one there. */
const MAX_IDLE = 2;
const MAX_ERROR_LENGTH = 2_000;
/** Milliseconds that `ssh` has to end after its output has, so that its own words are known. */
const END_MS = 2_000;
/** `ssh` itself failed; other codes are those of the program there. */
const SSH_FAILED = 255;

export class SshAgent extends Agent {
  readonly #address: SshAddress;
  readonly #env: NodeJS.ProcessEnv;
  #last: Ending | undefined;

  constructor(address: SshAddress, env: NodeJS.ProcessEnv = process.env) {
    super({ keepAlive: true, maxFreeSockets: MAX_IDLE });
    this.#address = address;
    this.#env = env;
  }

  override createConnection(): Socket {
    const { socket, ending } = openSsh(this.#address, this.#env);
    this.#last = ending;
    return socket;
  }

  /** Why the last connection ended, as an error for people. */
  async explainFailure(): Promise<ThvError> {
    const where = formatAddress(this.#address);
    const { code, words, spawnError } = (await this.#last?.settled()) ?? {};
    if (spawnError?.code === "ENOENT" && process.platform === "win32") {
      return new ThvError(
        "ENGINE_UNREACHABLE",
        `The container engine at ${where} cannot be reached from Windows by ssh.`,
        {
          hint: "Run thv in WSL, or give the engine an address with tcp:// and TLS.",
          cause: spawnError,
        },
      );
    }
    if (spawnError?.code === "ENOENT") {
      return new ThvError("ENGINE_UNREACHABLE", `The container engine at ${where} needs ssh, which is not installed.`, {
        hint: "Install the OpenSSH client, for example: sudo apt-get install openssh-client",
        cause: spawnError,
      });
    }
    const last = words?.trim().split("\n").at(-1)?.trim() ?? "";
    const said = last === "" ? "the connection ended" : last;
    const { program, host, user } = this.#address;
    const target = user === undefined ? host : `${user}@${host}`;
    const hint =
      code === SSH_FAILED
        ? `Try it by hand; it must work without a question: ssh -o BatchMode=yes ${target} true`
        : `Check that the engine answers there: ssh ${target} ${program} version`;
    return new ThvError("ENGINE_UNREACHABLE", `The container engine at ${where} does not answer: ${said}`, { hint });
  }
}

interface Ended {
  readonly code?: number | null;
  readonly words?: string;
  readonly spawnError?: NodeJS.ErrnoException;
}

interface Ending {
  /** Resolves once `ssh` has ended, after `END_MS` at the latest. */
  settled(): Promise<Ended>;
}

function openSsh(address: SshAddress, env: NodeJS.ProcessEnv): { socket: Socket; ending: Ending } {
  // The shell joins input and output in one socket, which HTTP needs. Arguments reach ssh as they are.
  const child = spawn("sh", ["-c", 'exec "$@" <&3 >&3 3>&-', "sh", "ssh", ...listArguments(address)], {
    stdio: ["ignore", "ignore", "pipe", "pipe"],
    env,
  });
  child.unref();
  return { socket: child.stdio[3] as Socket, ending: followEnd(child) };
}

/** Shells answer 127 when there is no such program. */
const NO_PROGRAM = 127;

function followEnd(child: ChildProcess): Ending {
  let words = "";
  let spawnError: NodeJS.ErrnoException | undefined;
  child.stderr?.setEncoding("utf8").on("data", (text: string) => {
    words = (words + text).slice(-MAX_ERROR_LENGTH);
  });
  (child.stderr as Socket | null)?.unref();
  const ended = new Promise<void>((resolve) => {
    child.once("error", (error: NodeJS.ErrnoException) => {
      spawnError = error;
      resolve();
    });
    child.once("close", () => resolve());
  });
  return {
    async settled() {
      const timer = new Promise<void>((resolve) => setTimeout(resolve, END_MS).unref());
      await Promise.race([ended, timer]);
      const isMissing = child.exitCode === NO_PROGRAM && /ssh: (?:not found|No such file)/i.test(words);
      if (isMissing) spawnError = Object.assign(new Error(words.trim()), { code: "ENOENT" });
      return { code: child.exitCode, words, ...(spawnError && { spawnError }) };
    },
  };
}

function listArguments({ host, user, port, identity, path, program }: SshAddress): string[] {
  const socket =
    path === undefined
      ? []
      : program === "docker"
        ? ["--host", `unix://${path}`]
        : ["--remote", "--url", `unix://${path}`];
  return [
    // A program in the background cannot ask the user.
    ...["-o", "BatchMode=yes", "-o", "ConnectTimeout=30", "-T"],
    ...(user === undefined ? [] : ["-l", user]),
    ...(port === undefined ? [] : ["-p", String(port)]),
    ...(identity === undefined ? [] : ["-i", identity]),
    ...["--", host, program, ...socket, "system", "dial-stdio"],
  ];
}
