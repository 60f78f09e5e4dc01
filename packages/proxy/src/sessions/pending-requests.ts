/**
 * Requests on their way to the server: the table that gives every request an id of our own, so that sessions cannot
 * collide, and maps each response back to its request.
 */
import { copySpan, type Envelope } from "../messages/json-rpc.ts";
import type { Edit, Span } from "../messages/json-scanner.ts";
import { formatLine, type Line } from "../messages/outgoing-line.ts";
import type { Reply } from "./reply.ts";
import type { Session } from "./session.ts";

export interface PendingRequest {
  readonly serverSideId: number;
  /** Absent for requests that the endpoint itself makes. */
  readonly session: Session | undefined;
  /** Raw JSON of the client's id. */
  readonly clientId: Buffer;
  /** Under which the session finds it. */
  readonly key: string;
  readonly method: string;
  /** Raw JSON of the client's progress token. */
  readonly progressToken: Buffer | undefined;
  readonly reply: Reply;
  /** Whether its progress may outlive its response (a task-augmented request). */
  readonly isTask: boolean;
  readonly uri: string | undefined;
  /** As it goes to the server; dropped once sent. */
  outgoing: Line | undefined;
  deadlineAt: number;
}

/** Progress tokens kept after the response of a task; the oldest goes first. */
const MAX_TASK_TOKENS = 1024;

interface ProgressTarget {
  readonly session: Session | undefined;
  readonly progressToken: Buffer | undefined;
  readonly reply?: Reply;
}

export class PendingRequests {
  readonly #byServerSideId = new Map<number, PendingRequest>();
  readonly #taskTokens = new Map<number, ProgressTarget>();
  /** Sessions with requests in flight, the one that sent last at the end. */
  readonly #busy = new Set<Session>();
  #nextId: number;

  /** @param firstId Random in production: after a supervisor restart the server may still answer requests of the old one. */
  constructor(firstId: number) {
    this.#nextId = firstId;
  }

  get size(): number {
    return this.#byServerSideId.size;
  }

  get busySessions(): ReadonlySet<Session> {
    return this.#busy;
  }

  [Symbol.iterator](): IterableIterator<PendingRequest> {
    return this.#byServerSideId.values();
  }

  /** Registers a client's request and rewrites its id and progress token. */
  add(
    envelope: Envelope,
    options: {
      session: Session | undefined;
      reply: Reply;
      deadlineAt: number;
      /** Where its progress token is in the text of the envelope. */
      progressToken: Span | undefined;
      isTask: boolean;
      uri: string | undefined;
    },
  ): PendingRequest | undefined {
    const { text, id } = envelope;
    if (id === undefined) return undefined;
    const serverSideId = this.#nextId++;
    const ownId = Buffer.from(String(serverSideId), "latin1");
    const edits: Edit[] = [{ span: id, bytes: ownId }];
    const token = options.progressToken;
    if (token !== undefined) edits.push({ span: token, bytes: ownId });
    const clientId = copySpan(text, id);
    const request: PendingRequest = {
      serverSideId,
      session: options.session,
      clientId,
      key: readRequestKey(clientId),
      method: envelope.method,
      progressToken: token === undefined ? undefined : copySpan(text, token),
      reply: options.reply,
      isTask: options.isTask,
      uri: options.uri,
      outgoing: formatLine(text, edits),
      deadlineAt: options.deadlineAt,
    };
    this.#byServerSideId.set(serverSideId, request);
    const { session } = options;
    if (session !== undefined) {
      session.requests.set(request.key, request);
      this.#busy.delete(session);
      this.#busy.add(session);
    }
    return request;
  }

  find(serverSideId: number): PendingRequest | undefined {
    return this.#byServerSideId.get(serverSideId);
  }

  /** The request that asked for progress under this token. */
  findProgressTarget(token: number): ProgressTarget | undefined {
    return this.#byServerSideId.get(token) ?? this.#taskTokens.get(token);
  }

  /** Removes a request from the table. The remover must call `reply`. */
  remove(request: PendingRequest): void {
    this.#byServerSideId.delete(request.serverSideId);
    const { session } = request;
    if (session === undefined) return;
    session.requests.delete(request.key);
    session.touch();
    if (session.requests.size === 0) this.#busy.delete(session);
    if (request.isTask && request.progressToken !== undefined) {
      this.#taskTokens.set(request.serverSideId, { session, progressToken: request.progressToken });
      if (this.#taskTokens.size > MAX_TASK_TOKENS) {
        for (const oldest of this.#taskTokens.keys()) {
          this.#taskTokens.delete(oldest);
          break;
        }
      }
    }
  }

  /** Forgets the progress tokens of a session. */
  forgetSession(session: Session): void {
    for (const [token, target] of this.#taskTokens) if (target.session === session) this.#taskTokens.delete(token);
  }
}

/** The key under which a session finds its request: the id as the client wrote it. */
export function readRequestKey(clientId: Buffer): string {
  return clientId.toString("latin1");
}
