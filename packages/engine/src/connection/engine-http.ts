/**
 * HTTP over an engine's socket, pipe, port or ssh connection: whole JSON answers, streamed answers, and the upgrade that attach uses.
 * Translates connection failures once: `ENGINE_UNREACHABLE`, `ENGINE_PERMISSION`. Other statuses are `EngineStatusError`.
 */
import { type ClientRequest, type IncomingMessage, type RequestOptions, request as requestPlain } from "node:http";
import { request as requestTls } from "node:https";
import { isIP } from "node:net";
import type { Duplex } from "node:stream";
import { pipeline } from "node:stream/promises";
import { describeError, readSystemCode, ThvError } from "@toolhive/core";
import { ByteParts } from "@toolhive/http/byte-parts";
import { type EngineAddress, formatAddress } from "./engine-address.ts";
import { SshAgent } from "./ssh-connection.ts";
import { createTlsError, readTlsOptions, type TlsOptions } from "./tls-options.ts";

/** The engine answered with a status that the call did not expect. */
export class EngineStatusError extends Error {
  readonly status: number;
  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/** Milliseconds without a byte after which an engine counts as stuck. */
export interface EngineDeadlines {
  /** Of calls that engines answer at once. */
  readonly answerMs: number;
  /** Of pulls and builds, which may send nothing for a long time. */
  readonly workMs: number;
}

/** An engine under load starts a container within seconds; a pull of a slow image registry says something every minute. */
export const DEFAULT_DEADLINES: EngineDeadlines = { answerMs: 60_000, workMs: 15 * 60_000 };

export interface EngineCall {
  readonly method?: "GET" | "POST" | "DELETE" | undefined;
  /** Path below the API version, for example `/containers/json`. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string | number | boolean>> | undefined;
  readonly body?: unknown;
  /** A tar archive instead of a JSON body, sent as it is produced. */
  readonly archive?: AsyncIterable<Uint8Array> | undefined;
  /** Which deadline holds. `none`: for what may be silent as long as it likes. Default `answer`. */
  readonly patience?: keyof typeof PATIENCE | undefined;
  /** Milliseconds on top, that the call itself asks the engine to take. */
  readonly extraMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

interface EngineHttpOptions {
  readonly deadlines?: EngineDeadlines | undefined;
  readonly tls?: TlsOptions;
  readonly ssh?: SshAgent;
}

const PATIENCE = { answer: "answerMs", work: "workMs", none: undefined } as const;

export class EngineHttp {
  readonly address: EngineAddress;
  readonly #deadlines: EngineDeadlines;
  readonly #tls: TlsOptions | undefined;
  readonly #ssh: SshAgent | undefined;
  /** Path prefix such as `/v1.41`; empty until the version was negotiated. */
  versionPrefix = "";

  constructor(address: EngineAddress, { deadlines = DEFAULT_DEADLINES, tls, ssh }: EngineHttpOptions = {}) {
    this.address = address;
    this.#deadlines = deadlines;
    this.#tls = tls;
    this.#ssh = ssh;
  }

  /** Reads the TLS files of an address that has some. @throws {ThvError} `INVALID_ARGUMENT`. */
  static async open(address: EngineAddress, deadlines?: EngineDeadlines): Promise<EngineHttp> {
    return new EngineHttp(address, {
      deadlines,
      ...(address.kind === "tcp" && address.tls && { tls: await readTlsOptions(address.tls) }),
      ...(address.kind === "ssh" && { ssh: new SshAgent(address) }),
    });
  }

  /** Sends a call and reads the whole answer as JSON; `undefined` for an empty body. */
  async fetchJson(call: EngineCall): Promise<unknown> {
    const response = await this.stream(call);
    const text = await readAnswerText(response);
    return text === "" ? undefined : parseAnswer(text, call);
  }

  /** Sends a call whose answer does not matter beyond its status. */
  async send(call: EngineCall): Promise<void> {
    (await this.stream(call)).resume();
  }

  /** Sends a call and hands over the answer's body. Statuses from 400 reject, with the engine's own message. */
  async stream(call: EngineCall): Promise<IncomingMessage> {
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      const sent = this.#request(call);
      const release = this.#hold(sent, call);
      sent.once("response", (response) => {
        release();
        this.#holdBody(response, call);
        resolve(response);
      });
      const fail = async (error: Error) => reject(await this.#translate(error, call));
      sent.once("error", fail);
      if (call.archive) pipeline(call.archive, sent).catch(fail);
      else sent.end(call.body === undefined ? undefined : JSON.stringify(call.body));
    });
    const status = response.statusCode ?? 0;
    if (status < 400) return response;
    throw new EngineStatusError(status, readMessage(await readAnswerText(response)) || `status ${status}`);
  }

  /** Sends a call that turns the connection into a raw byte stream. */
  async upgrade(call: EngineCall): Promise<Duplex> {
    return await new Promise<Duplex>((resolve, reject) => {
      const sent = this.#request(call, { Connection: "Upgrade", Upgrade: "tcp" });
      const release = this.#hold(sent, call);
      sent.once("upgrade", (_response, socket, head) => {
        release();
        if (head.length > 0) socket.unshift(head);
        resolve(socket);
      });
      sent.once("response", (response) => {
        release();
        this.#holdBody(response, call);
        readAnswerText(response).then(
          (text) => reject(new EngineStatusError(response.statusCode ?? 0, readMessage(text))),
          reject,
        );
      });
      sent.once("error", async (error) => reject(await this.#translate(error, call)));
      sent.end();
    });
  }

  #request(call: EngineCall, extraHeaders: Record<string, string> = {}): ClientRequest {
    const query = new URLSearchParams();
    for (const [key, value] of Object.entries(call.query ?? {})) query.set(key, String(value));
    const path = `${this.versionPrefix}${call.path}${query.size > 0 ? `?${query}` : ""}`;
    const headers: Record<string, string | number> = { Host: "localhost", ...extraHeaders };
    if (call.archive) headers["Content-Type"] = "application/x-tar";
    if (call.body !== undefined) {
      headers["Content-Type"] = "application/json";
      headers["Content-Length"] = Buffer.byteLength(JSON.stringify(call.body));
    }
    const request = this.#tls ? requestTls : requestPlain;
    return request({
      ...this.#target(),
      method: call.method ?? "GET",
      path,
      headers,
      ...(call.signal && { signal: call.signal }),
    });
  }

  /** A connection for each call; over ssh, where one costs two processes and a handshake, they are used again. */
  #target(): RequestOptions & Partial<TlsOptions> & { servername?: string } {
    if (this.address.kind === "socket") return { socketPath: this.address.path, agent: false };
    if (this.address.kind === "ssh") return { agent: this.#ssh };
    const { host, port } = this.address;
    // Node.js would compare the certificate with the Host header. An address has no server name (RFC 6066).
    return { host, port, agent: false, ...(this.#tls && { ...this.#tls, servername: isIP(host) === 0 ? host : "" }) };
  }

  /** Breaks a call off that gets no answer. @returns Lets go of it. */
  #hold(sent: ClientRequest, call: EngineCall): () => void {
    const ms = this.#computeDeadline(call);
    if (ms === undefined) return () => undefined;
    const timer = setTimeout(() => sent.destroy(this.#createStuckError(ms)), ms);
    const release = () => clearTimeout(timer);
    sent.once("close", release);
    return release;
  }

  /** Breaks an answer off that stops in the middle. */
  #holdBody(response: IncomingMessage, call: EngineCall): void {
    const ms = this.#computeDeadline(call);
    if (ms !== undefined) response.setTimeout(ms, () => response.destroy(this.#createStuckError(ms)));
  }

  #computeDeadline({ patience = "answer", extraMs = 0 }: EngineCall): number | undefined {
    const name = PATIENCE[patience];
    return name && this.#deadlines[name] + extraMs;
  }

  #createStuckError(ms: number): ThvError {
    const where = formatAddress(this.address);
    return new ThvError(
      "ENGINE_UNREACHABLE",
      `The container engine at ${where} has not answered within ${ms / 1000} s.`,
      {
        hint: "It is stuck or overloaded. Restart it, for example: sudo systemctl restart docker. Servers come back.",
      },
    );
  }

  async #translate(error: Error, call: EngineCall): Promise<Error> {
    if (error instanceof ThvError) return error;
    if (call.signal?.aborted) return error;
    if (this.#ssh) return await this.#ssh.explainFailure();
    const where = formatAddress(this.address);
    const code = readSystemCode(error);
    const tlsError = this.#tls && createTlsError(code, where, error);
    if (tlsError) return tlsError;
    switch (code) {
      case "EACCES":
      case "EPERM":
        return new ThvError("ENGINE_PERMISSION", `No permission to use the container engine at ${where}.`, {
          hint: "Add yourself to its group (sudo usermod -aG docker $USER, then sign in again), or use a rootless engine.",
          cause: error,
        });
      case "ENOENT":
      case "ECONNREFUSED":
      case "ECONNRESET":
      case "EPIPE":
      case "ENOTFOUND":
      case "EHOSTUNREACH":
      case "ETIMEDOUT":
        return new ThvError("ENGINE_UNREACHABLE", `The container engine at ${where} does not answer.`, {
          hint: "Start Docker, Podman or Rancher Desktop, then try again.",
          cause: error,
        });
      default:
        return new ThvError("ENGINE_FAILED", `The container engine at ${where} broke off: ${describeError(error)}`, {
          cause: error,
        });
    }
  }
}

/** Bytes of a whole answer. The list of a thousand containers has about 2 MiB. */
const MAX_ANSWER_BYTES = 64 * 1024 * 1024;

/** @throws {ThvError} `ENGINE_FAILED` for an answer without an end; the connection is closed. */
async function readAnswerText(response: IncomingMessage): Promise<string> {
  const parts = new ByteParts();
  for await (const chunk of response as AsyncIterable<Buffer>) {
    parts.add(chunk);
    if (parts.length <= MAX_ANSWER_BYTES) continue;
    response.destroy();
    throw new ThvError("ENGINE_FAILED", `The container engine's answer is larger than ${MAX_ANSWER_BYTES} bytes.`, {
      hint: "Restart the engine, and check that nothing else listens at its address.",
    });
  }
  return parts.take().toString("utf8");
}

function parseAnswer(text: string, call: EngineCall): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new ThvError("ENGINE_FAILED", `The container engine answered ${call.path} with something that is not JSON.`, {
      cause: error,
    });
  }
}

/** Characters of an engine's own words. */
const MAX_MESSAGE_LENGTH = 4_096;

/** Engines put the reason into `message` (Docker) or `cause` beside it (Podman). */
function readMessage(text: string): string {
  try {
    const body: unknown = JSON.parse(text);
    if (typeof body === "object" && body !== null && "message" in body && typeof body.message === "string") {
      return body.message.slice(0, MAX_MESSAGE_LENGTH);
    }
  } catch {
    // Not JSON: the text itself is the message.
  }
  return text.slice(0, MAX_MESSAGE_LENGTH).trim();
}
