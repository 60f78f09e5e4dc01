/**
 * HTTP over an engine's socket, pipe or port: whole JSON answers, streamed answers, and the upgrade that attach uses.
 * Translates connection failures once: `ENGINE_UNREACHABLE`, `ENGINE_PERMISSION`. Other statuses are `EngineStatusError`.
 */
import { type ClientRequest, type IncomingMessage, request } from "node:http";
import type { Duplex } from "node:stream";
import { pipeline } from "node:stream/promises";
import { messageOf, systemCodeOf, ThvError } from "@toolhive/core";
import { type EngineAddress, formatAddress } from "./engine-address.ts";

/** The engine answered with a status that the call did not expect. */
export class EngineStatusError extends Error {
  readonly status: number;
  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

export interface EngineCall {
  readonly method?: "GET" | "POST" | "DELETE" | undefined;
  /** Path below the API version, for example `/containers/json`. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string | number | boolean>> | undefined;
  readonly body?: unknown;
  /** A tar archive instead of a JSON body, sent as it comes. */
  readonly archive?: AsyncIterable<Uint8Array> | undefined;
  readonly signal?: AbortSignal | undefined;
}

export class EngineHttp {
  readonly address: EngineAddress;
  /** Path prefix such as `/v1.41`; empty until the version was negotiated. */
  versionPrefix = "";

  constructor(address: EngineAddress) {
    this.address = address;
  }

  /** Sends a call and reads the whole answer as JSON; `undefined` for an empty body. */
  async json(call: EngineCall): Promise<unknown> {
    const response = await this.stream(call);
    const text = await readText(response);
    return text === "" ? undefined : parseJson(text, call);
  }

  /** Sends a call whose answer does not matter beyond its status. */
  async send(call: EngineCall): Promise<void> {
    (await this.stream(call)).resume();
  }

  /** Sends a call and hands over the answer's body. Statuses from 400 reject, with the engine's own message. */
  async stream(call: EngineCall): Promise<IncomingMessage> {
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      const sent = this.#request(call);
      sent.once("response", resolve);
      sent.once("error", (error) => reject(this.#translate(error, call)));
      if (call.archive) pipeline(call.archive, sent).catch((error) => reject(this.#translate(error, call)));
      else sent.end(call.body === undefined ? undefined : JSON.stringify(call.body));
    });
    const status = response.statusCode ?? 0;
    if (status < 400) return response;
    throw new EngineStatusError(status, messageInBody(await readText(response)) || `status ${status}`);
  }

  /** Sends a call that turns the connection into a raw byte stream. */
  async upgrade(call: EngineCall): Promise<Duplex> {
    return await new Promise<Duplex>((resolve, reject) => {
      const sent = this.#request(call, { Connection: "Upgrade", Upgrade: "tcp" });
      sent.once("upgrade", (_response, socket, head) => {
        if (head.length > 0) socket.unshift(head);
        resolve(socket);
      });
      sent.once("response", (response) => {
        readText(response).then(
          (text) => reject(new EngineStatusError(response.statusCode ?? 0, messageInBody(text))),
          reject,
        );
      });
      sent.once("error", (error) => reject(this.#translate(error, call)));
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
    const target =
      this.address.kind === "socket"
        ? { socketPath: this.address.path }
        : { host: this.address.host, port: this.address.port };
    return request({
      ...target,
      method: call.method ?? "GET",
      path,
      headers,
      agent: false,
      ...(call.signal && { signal: call.signal }),
    });
  }

  #translate(error: Error, call: EngineCall): Error {
    if (call.signal?.aborted) return error;
    const where = formatAddress(this.address);
    switch (systemCodeOf(error)) {
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
        return new ThvError("ENGINE_FAILED", `The container engine at ${where} broke off: ${messageOf(error)}`, {
          cause: error,
        });
    }
  }
}

async function readText(response: IncomingMessage): Promise<string> {
  response.setEncoding("utf8");
  let text = "";
  for await (const chunk of response) text += chunk;
  return text;
}

function parseJson(text: string, call: EngineCall): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new ThvError("ENGINE_FAILED", `The container engine answered ${call.path} with something that is not JSON.`, {
      cause: error,
    });
  }
}

/** Engines put the reason into `message` (Docker) or `cause` beside it (Podman). */
function messageInBody(text: string): string {
  try {
    const body: unknown = JSON.parse(text);
    if (typeof body === "object" && body !== null && "message" in body && typeof body.message === "string") {
      return body.message;
    }
  } catch {
    // Not JSON: the text itself is the message.
  }
  return text.trim();
}
