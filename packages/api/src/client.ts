/**
 * The typed client: calls the contract's operations over a socket or a port. Loads no schema, so that a command line with a
 * single call starts quickly.
 */
import { type IncomingMessage, request } from "node:http";
import { text as collectText } from "node:stream/consumers";
import { describeError, ERRORS, type ErrorCode, readSystemCode, ThvError } from "@toolhive/core/errors";
import { parsePointer } from "@toolhive/core/located-problem";
import type { OperationAnswer, OperationInput, StreamId } from "./contract/contract.ts";
import type { ProblemBody } from "./contract/parts/operation.ts";
import { findRoute, type OperationId } from "./contract/routes.ts";

export type { OperationAnswer, OperationInput };

export type ApiAddress = { readonly socketPath: string } | { readonly host: string; readonly port: number };

/** Node works out a name for TLS otherwise, also without TLS; its expression for IPv6 takes 10 ms to compile. */
const WITHOUT_SERVER_NAME = { servername: "" };

type Partially<T> = { readonly [K in keyof T]?: T[K] | undefined };
export interface CallInput<Id extends OperationId> {
  readonly params?: OperationInput<Id>["params"];
  readonly query?: Partially<OperationInput<Id>["query"]>;
  readonly body?: OperationInput<Id>["body"];
  readonly signal?: AbortSignal | undefined;
}

export class ApiClient {
  readonly #address: ApiAddress;

  constructor(address: ApiAddress) {
    this.#address = address;
  }

  /** @throws {ThvError} with the server's code and hint; `SUPERVISOR_UNREACHABLE` when there is no answer. */
  async call<Id extends OperationId>(id: Id, input: CallInput<Id> = {}): Promise<OperationAnswer<Id>> {
    const response = await this.open(id, input);
    const text = await collectText(response).catch((error: Error) => {
      throw input.signal?.aborted ? error : unreachable(error);
    });
    const isJson = response.headers["content-type"]?.startsWith("application/json") === true;
    return (isJson && text !== "" ? JSON.parse(text) : text) as OperationAnswer<Id>;
  }

  /** Like `call`, for answers that are read as they arrive. */
  async open<Id extends OperationId>(id: Id, input: CallInput<Id> = {}): Promise<IncomingMessage> {
    const { method, path: template } = findRoute(id);
    const path = fillTemplate(template, { ...input.params }) + queryString({ ...input.query });
    const response = await this.#send(method, path, input);
    const status = response.statusCode ?? 0;
    if (status < 400) return response;
    const problem = readProblem(await collectText(response), status);
    // A supervisor without this path only answers that it does not exist.
    throw status === 404 && problem.code === "INVALID_ARGUMENT" ? tooOld(problem) : problem;
  }

  /** The lines of a stream as they arrive, until the supervisor ends it. Leaving the loop ends the request. */
  async *stream<Id extends StreamId>(id: Id, input: CallInput<Id> = {}): AsyncGenerator<OperationAnswer<Id>> {
    const response = await this.open(id, input);
    response.setEncoding("utf8");
    let rest = "";
    try {
      for await (const chunk of response) {
        const lines = `${rest}${chunk}`.split("\n");
        rest = lines.pop() ?? "";
        for (const line of lines) yield JSON.parse(line) as OperationAnswer<Id>;
      }
    } catch (error) {
      throw input.signal?.aborted ? error : unreachable(error as Error);
    } finally {
      response.destroy();
    }
  }

  async #send(
    method: string,
    path: string,
    { body, signal }: { body?: unknown; signal?: AbortSignal | undefined },
  ): Promise<IncomingMessage> {
    const text = body === undefined ? undefined : JSON.stringify(body);
    return await new Promise<IncomingMessage>((resolve, reject) => {
      const sent = request({
        ...this.#address,
        ...WITHOUT_SERVER_NAME,
        method,
        path,
        agent: false,
        headers: {
          Host: "localhost",
          Accept: "application/json, text/plain;q=0.5",
          ...(text !== undefined && { "Content-Type": "application/json", "Content-Length": Buffer.byteLength(text) }),
        },
        ...(signal && { signal }),
      });
      sent.once("response", resolve);
      sent.once("error", (error) => reject(signal?.aborted ? error : unreachable(error)));
      sent.end(text);
    });
  }
}

function fillTemplate(path: string, params: Readonly<Record<string, unknown>>): string {
  return path.replace(/\{(\w+)\}/g, (_match, name: string) => encodeURIComponent(String(params[name] ?? "")));
}

function queryString(query: Readonly<Record<string, unknown>>): string {
  const search = new URLSearchParams();
  for (const [key, value] of Object.entries(query)) if (value !== undefined) search.set(key, String(value));
  return search.size > 0 ? `?${search}` : "";
}

function readProblem(text: string, status: number): ThvError {
  try {
    const { code, detail, hint, problems = [], pointers = [] } = JSON.parse(text) as Partial<ProblemBody>;
    // A supervisor of an earlier version has no pointers.
    const located = pointers.map((pointer, index) => ({
      path: parsePointer(pointer),
      sentence: problems[index] ?? "",
    }));
    // One of another version may know codes that this one does not.
    if (typeof detail === "string")
      return new ThvError(isErrorCode(code) ? code : "INTERNAL", detail, { hint, problems: located });
  } catch {
    // Not JSON: the text itself is the message.
  }
  return new ThvError("INTERNAL", `The supervisor answered ${status}: ${text.trim().slice(0, 500)}`);
}

function isErrorCode(code: string | undefined): code is ErrorCode {
  return code !== undefined && Object.hasOwn(ERRORS, code);
}

function tooOld(cause: ThvError): ThvError {
  return new ThvError("NOT_SUPPORTED", "The supervisor that runs is of an earlier version, which cannot do this.", {
    hint: "End thv serve where it runs, and start it again.",
    cause,
  });
}

function unreachable(error: Error): ThvError {
  const reason = readSystemCode(error) ?? describeError(error);
  return new ThvError("SUPERVISOR_UNREACHABLE", `The supervisor does not answer (${reason}).`, {
    hint: "Start it: thv serve",
    cause: error,
  });
}
