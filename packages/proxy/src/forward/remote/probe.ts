/** The requests of a check, in one session: `initialize`, then a list. The check answers what the server asks of it meanwhile. */
import type { ThvError } from "@toolhive/core/errors";
import { toOneLine } from "@toolhive/core/one-line";
import { isRecord, parseJson } from "@toolhive/http/values";
import { type ClientSession, RefusedMessage, SessionLost, Unanswered } from "@toolhive/mcp-client";
import { saysAlreadyInitialized } from "../../messages/error-code.ts";
import { RPC_ERRORS } from "../../messages/json-rpc.ts";
import { META } from "../../messages/meta-keys.ts";
import { PING } from "../../messages/methods.ts";
import { LATEST_SESSION_REVISION, MODERN_REVISION } from "../../messages/protocol-revisions.ts";

const CLIENT = { name: "toolhive", version: "1" };
const INITIALIZED = { jsonrpc: "2.0", method: "notifications/initialized" };
/** In the order of the requests for their lists. */
const KINDS = ["tools", "resources", "prompts"];
/** Far from the ids of a client that gets the session while a request of the check waits in it. */
const FIRST_ID = 1_000_000_001;

type Members = Readonly<Record<string, unknown>>;

interface Means {
  readonly problem: (reason: string, hint: string) => ThvError;
  /** Ends the request under way. */
  readonly signal: () => AbortSignal;
}

/** The server has answered a request of the session with the status 400, which is what some answer in place of 404. */
export class RefusedInSession extends Error {
  readonly problem: ThvError;

  constructor(problem: ThvError) {
    super(problem.message);
    this.problem = problem;
  }
}

export class RemoteProbe {
  readonly #means: Means;
  #session: ClientSession | undefined;
  /** Messages of the server before there was a session to answer in. */
  #early: Buffer[] = [];
  #lastId = FIRST_ID - 1;
  /** As the server declares them; `undefined` when it knows no `initialize`. */
  #capabilities: Members | undefined;
  /** Another client has the only session of the server. */
  #isInitializedElsewhere = false;
  /** Of `initialize`, while the session belongs to the check. */
  #result: Members | undefined;

  constructor(means: Means) {
    this.#means = means;
  }

  begin(session: ClientSession): void {
    this.#session = session;
    for (const text of this.#early.splice(0)) this.receive(text);
  }

  /** Answers requests of the server, and ignores its notifications. */
  receive(text: Buffer): void {
    const { id, method } = readMessage(text) ?? {};
    if (typeof method !== "string" || id === undefined) return;
    if (this.#session === undefined) {
      this.#early.push(Buffer.from(text));
      return;
    }
    const unknown = {
      code: RPC_ERRORS.METHOD_NOT_FOUND,
      message: "This client only checks whether the server answers.",
    };
    const answer = method === PING ? { result: {} } : { error: unknown };
    const body = [encode({ jsonrpc: "2.0", id, ...answer })];
    this.#session.post({ body, onMessage: () => undefined }).done.catch(() => undefined);
  }

  /** @returns Whether a list was asked for, too, because the server knows no `initialize`. */
  async initialize(): Promise<boolean> {
    const session = this.#openSession();
    const params = { protocolVersion: LATEST_SESSION_REVISION, capabilities: {}, clientInfo: CLIENT };
    const reply = await this.#ask({ method: "initialize", params });
    if (session.answersInPlace && isRecord(reply.error)) {
      this.#isInitializedElsewhere = saysAlreadyInitialized(String(reply.error.message));
      if (!this.#isInitializedElsewhere) await this.#askModern(reply.error);
      return true;
    }
    if (!session.answersInPlace) this.#expectResult(reply, "initialize");
    this.#isInitializedElsewhere = false;
    this.#result = isRecord(reply.result) ? reply.result : undefined;
    const { protocolVersion, capabilities } = this.#result ?? {};
    this.#capabilities = isRecord(capabilities) ? capabilities : {};
    session.establish(typeof protocolVersion === "string" ? protocolVersion : undefined);
    await this.#notify(INITIALIZED);
    return false;
  }

  /**
   * Leaves the session to a client. From now on, the check sends `initialize` only, which the server refuses as long as it runs.
   *
   * @returns What the server answered to `initialize`; `undefined` when the check has no session.
   */
  handOver(): Members | undefined {
    const result = this.#result;
    this.#result = undefined;
    if (result !== undefined) this.#isInitializedElsewhere = true;
    return result;
  }

  /** @throws {ThvError | RefusedInSession | SessionLost} And failures of the connection. */
  async askList(): Promise<void> {
    if (this.#isInitializedElsewhere) {
      await this.initialize();
      return;
    }
    if (this.#capabilities === undefined) {
      await this.#askModern();
      return;
    }
    const [kind] = listKinds(this.#capabilities);
    this.#expectResult(await this.#ask({ method: kind === undefined ? PING : `${kind}/list` }), "a list");
  }

  /** A server of 2026-07-28 and later knows no `initialize`. @param refusal Of `initialize`. */
  async #askModern(refusal?: Members): Promise<void> {
    const found = await this.#askWithoutSession("server/discover");
    const { capabilities } = isRecord(found.result) ? found.result : {};
    const kinds = isRecord(capabilities) ? listKinds(capabilities) : KINDS;
    let reply = found;
    for (const kind of kinds) {
      reply = await this.#askWithoutSession(`${kind}/list`);
      if (isRecord(reply.result)) return;
    }
    if (!isRecord(reply.result)) {
      const error = refusal ?? (isRecord(reply.error) ? reply.error : {});
      throw this.#complain(refusal === undefined ? "a list" : "initialize", error);
    }
  }

  #askWithoutSession(method: string): Promise<Members> {
    const headers = { "mcp-protocol-version": MODERN_REVISION, "mcp-method": method };
    const _meta = { [META.revision]: MODERN_REVISION, [META.clientInfo]: CLIENT, [META.capabilities]: {} };
    return this.#ask({ method, params: { _meta } }, headers);
  }

  /** An error of the protocol in the answer is of no interest: the next request shows what it means. */
  async #notify(message: Members): Promise<void> {
    const post = this.#openSession().post({ body: [encode(message)], onMessage: () => undefined });
    await post.done.catch((error: unknown) => {
      if (readRefusal(error) === undefined) throw error;
    });
  }

  async #ask(request: { readonly method: string; readonly params?: Members }, headers?: Record<string, string>) {
    this.#lastId += 1;
    const id = this.#lastId;
    let isJsonRpc = true;
    const isAnswer = (text: Buffer): boolean => {
      const reply = readMessage(text);
      isJsonRpc &&= reply !== undefined;
      // A server that can read nothing of the request answers without an id.
      return (
        (reply?.id !== undefined && String(reply.id) === String(id)) ||
        (reply !== undefined && (reply.id ?? reply.method ?? null) === null)
      );
    };
    const isInitialize = request.method === "initialize";
    const body = [encode({ jsonrpc: "2.0", id, ...request })];
    try {
      const signal = this.#means.signal();
      return readMessage(await this.#openSession().request({ body, isInitialize, headers, isAnswer, signal })) ?? {};
    } catch (error) {
      if (error instanceof SessionLost) throw error;
      const refusal = readRefusal(error);
      const reply = refusal && readMessage(refusal);
      const isOfSession = !isInitialize && headers === undefined;
      if (isOfSession && error instanceof RefusedMessage && error.status === 400)
        throw new RefusedInSession(
          isRecord(reply?.error)
            ? this.#complain("a list", reply.error)
            : this.#means.problem("refuses POST with status 400", "Look at the server's own log."),
        );
      if (reply !== undefined) return reply;
      const isOther = refusal !== undefined || (error instanceof Unanswered && !isJsonRpc);
      if (!isOther) throw error;
      throw this.#means.problem("answers with something else than JSON-RPC", "Check its address.");
    }
  }

  #expectResult(reply: Members, what: string): void {
    if (isRecord(reply.error)) throw this.#complain(what, reply.error);
    if (!isRecord(reply.result))
      throw this.#means.problem(`answers ${what} with something else than JSON-RPC`, "Check its address.");
  }

  #complain(what: string, error: Members): ThvError {
    const text = toOneLine(String(error.message ?? "")).slice(0, 200);
    return this.#means.problem(
      `answers ${what} with the error ${String(error.code).slice(0, 20)}: ${text}`,
      error.code === RPC_ERRORS.UNSUPPORTED_REVISION
        ? "It speaks other revisions of the protocol: look at what its provider says."
        : "It may need a sign-in or a header with a key: look at what its provider says.",
    );
  }

  #openSession(): ClientSession {
    if (this.#session === undefined) throw new Error("There is no session yet.");
    return this.#session;
  }
}

function listKinds(capabilities: Members): readonly string[] {
  return KINDS.filter((kind) => capabilities[kind] !== undefined);
}

function encode(message: Members): Buffer {
  return Buffer.from(JSON.stringify(message));
}

/** The body of an answer with a status other than success. */
function readRefusal(error: unknown): Buffer | undefined {
  return error instanceof RefusedMessage || error instanceof SessionLost ? error.body : undefined;
}

function readMessage(text: Buffer): Members | undefined {
  const value = parseJson(text.toString("utf8"));
  return isRecord(value) ? value : undefined;
}
