/** A server that runs elsewhere: reached over the network, signed in to, and watched. Nothing of it waits for an engine. */
import type { McpEndpoint } from "../../ports/mcp-endpoint.ts";
import type { RemoteAuthorization } from "../../ports/remote-authorization.ts";
import { readForwardedHeaders } from "../../remote/forwarded-headers.ts";
import { NoSignIn } from "../../remote/no-sign-in.ts";
import { formatRemoteAddress, parseRemoteAddress } from "../../remote/remote-address.ts";
import { listRemoteSecrets } from "../../remote/remote-schema.ts";
import type { StampedLine } from "../../server-log/log-line.ts";
import { describeError, hasCode, ThvError } from "../../support/errors.ts";
import type { RunConfig } from "../../workload/run-config.ts";
import { RemoteWatch } from "../remote/remote-watch.ts";
import type { PlaceLogs, PlaceParts, ServerPlace } from "./server-place.ts";

/** What is connected while it is up. */
interface Connection {
  readonly watch: RemoteWatch;
  readonly stopListening: () => void;
}

export class RemotePlace implements ServerPlace {
  readonly needsEngine = false;
  readonly logs: PlaceLogs;
  readonly #parts: PlaceParts;
  #connection: Connection | undefined;
  /** Lives as long as the workload, so that people can sign in while it is stopped. */
  #authorization: Promise<RemoteAuthorization> | undefined;
  /** Ends those who follow the log, once no line follows. */
  readonly #over = new AbortController();

  constructor(parts: PlaceParts) {
    this.#parts = parts;
    const { proxyLogs } = parts.context;
    this.logs = {
      read: async (selection) => proxyLogs?.read(this.#name, selection) ?? [],
      follow: async (selection, signal) =>
        proxyLogs?.follow(this.#name, selection, AbortSignal.any([signal, this.#over.signal])) ?? noLines(),
    };
  }

  async prepare(next: RunConfig): Promise<void> {
    const { resolveSecrets, readCertificates, signIns } = this.#parts.context;
    parseRemoteAddress(next.remote_url ?? "", next);
    await Promise.all([
      readForwardedHeaders(next, resolveSecrets),
      readCertificates?.(),
      // The client's own secret is needed by the next sign-in only.
      resolveSecrets(listRemoteSecrets(next).filter(({ target }) => target !== "client_secret")),
    ]);
    const { keptIn } = (await this.#openAuthorization()).describe();
    if (keptIn === "secrets") await signIns?.assertReadable(this.#name);
  }

  /** Resolves when it is known whether the server does its work. */
  async bringUp(note: string, signal: AbortSignal): Promise<void> {
    const { state, endpoint, context } = this.#parts;
    try {
      this.#disconnect("the server is being restarted");
      const opened = await endpoint.ensure();
      signal.throwIfAborted();
      await this.#connect(opened, note, signal);
    } catch (error) {
      if (signal.aborted) return;
      await this.stop();
      context.log.warn({ workload: this.#name, reason: describeError(error) }, "workload failed");
      state.fail(error, "", signal);
    }
  }

  async restart(): Promise<void> {
    await this.#parts.operations.run("starting", (signal) => this.bringUp("", signal));
  }

  async restore(): Promise<void> {
    const isToConnect = this.#parts.config.current.desired_state === "running" && this.#connection === undefined;
    if (isToConnect) await this.restart();
    else await this.#openAuthorization().catch(() => undefined);
  }

  async stop(): Promise<void> {
    this.#disconnect("the server is being stopped");
    await this.#parts.endpoint.close();
  }

  async remove(forget: () => Promise<void>): Promise<void> {
    await this.stop();
    await this.#closeAuthorization();
    await this.#parts.context.signIns?.forget(this.#name);
    await forget();
    this.#over.abort();
  }

  async retire(closeEndpoint: () => Promise<void>): Promise<void> {
    this.#disconnect("the server is being changed");
    await closeEndpoint();
    await this.#closeAuthorization();
  }

  async release(): Promise<void> {
    await this.stop();
    await this.#closeAuthorization();
    this.#over.abort();
  }

  get #name(): string {
    return this.#parts.config.current.name;
  }

  /** Settles with the first result of the watch. @throws {ThvError} Of the secret store, of sign-in's settings. */
  async #connect(endpoint: McpEndpoint, note: string, signal: AbortSignal): Promise<void> {
    const { state, pins, context } = this.#parts;
    const config = this.#parts.config.current;
    // Somebody may have edited the file.
    const url = parseRemoteAddress(config.remote_url ?? "", config);
    const [headers, ca] = await Promise.all([
      readForwardedHeaders(config, context.resolveSecrets),
      context.readCertificates?.(),
    ]);
    const authorization = await this.#openAuthorization();
    await pins.load({ image: undefined, isNew: true });
    let notes = note;
    const watch = new RemoteWatch({
      probe: (deadline) => endpoint.probe(deadline),
      onResult: (problem) => {
        this.#onResult(problem, notes);
        if (problem === undefined) notes = "";
      },
    });
    const stopListening = authorization.onChange(() => watch.notice(state.error ?? grantProblem(authorization)));
    this.#connection = { watch, stopListening };
    endpoint.connect({
      host: url.hostname.replace(/^\[|\]$/g, ""),
      port: Number(url.port) || (url.protocol === "https:" ? 443 : 80),
      remote: { url, authorization, headers, ca, onOutcome: (problem) => watch.notice(problem) },
    });
    context.log.info({ workload: this.#name, server: formatRemoteAddress(url) }, "connected to remote server");
    this.#parts.state.markStart();
    const cancel = () => watch[Symbol.dispose]();
    signal.addEventListener("abort", cancel, { once: true });
    await watch.start();
    // It may have other tools than before: clients that stayed list them again, and pins see the list.
    this.#parts.endpoint.applyPins();
    signal.removeEventListener("abort", cancel);
  }

  #onResult(problem: ThvError | undefined, note: string): void {
    const { state, context } = this.#parts;
    if (state.status !== "starting" && !state.isUp) return;
    if (problem === undefined) {
      if (state.status !== "running") state.set("running", note);
      return;
    }
    const status = hasCode(problem, "UNAUTHENTICATED") ? "unauthenticated" : "unhealthy";
    const isNews = state.status !== status || state.error?.message !== problem.message;
    if (!isNews) return;
    const { code, message: reason } = problem;
    context.log.warn({ workload: this.#name, code, reason }, "remote server does not do its work");
    state.report(status, problem);
  }

  #disconnect(reason: string): void {
    const connection = this.#connection;
    this.#connection = undefined;
    connection?.watch[Symbol.dispose]();
    connection?.stopListening();
    this.#parts.endpoint.disconnect(reason);
  }

  #openAuthorization(): Promise<RemoteAuthorization> {
    const { signIns } = this.#parts.context;
    const { name, oauth_config: signIn, remote_url = "" } = this.#parts.config.current;
    const request = { name, url: new URL(remote_url), signIn };
    this.#authorization ??= (signIns?.open(request) ?? Promise.resolve(new NoSignIn(name))).catch((error: unknown) => {
      this.#authorization = undefined;
      throw error;
    });
    return this.#authorization;
  }

  async #closeAuthorization(): Promise<void> {
    const authorization = await this.#authorization?.catch(() => undefined);
    this.#authorization = undefined;
    await authorization?.[Symbol.asyncDispose]();
  }
}

function grantProblem(authorization: RemoteAuthorization): ThvError | undefined {
  const { error } = authorization.describe();
  return error && new ThvError(error.code, error.message, { hint: error.hint });
}

async function* noLines(): AsyncGenerator<StampedLine> {
  // Nothing is kept.
}
