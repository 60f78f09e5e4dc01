/**
 * One workload whose server runs elsewhere: an endpoint of this machine that is brought to its desired state and kept there.
 * No container engine takes part, so nothing of it waits for one.
 */
import { pickPinSettings, pickToolSelection, type ToolMembers } from "../access/tool-selection.ts";
import { listMissingTools } from "../access/tool-states.ts";
import type { Logger } from "../ports/log.ts";
import type {
  McpEndpoint,
  ObservedCall,
  OpenMcpEndpoint,
  PolicyQuestion,
  PolicyVerdict,
} from "../ports/mcp-endpoint.ts";
import type { RemoteAuthorization } from "../ports/remote-authorization.ts";
import { readForwardedHeaders } from "../remote/forwarded-headers.ts";
import { NoSignIn } from "../remote/no-sign-in.ts";
import { formatRemoteAddress, parseRemoteAddress } from "../remote/remote-address.ts";
import { listRemoteSecrets, type RemoteSignIn } from "../remote/remote-schema.ts";
import type { ResolveSecrets } from "../secrets/secret-reference.ts";
import type { LogSelection, StampedLine } from "../server-log/log-line.ts";
import type { ProxyLogs } from "../server-log/proxy-logs.ts";
import type { Denial } from "../sidecar-rules/denials.ts";
import type { LearnedTarget } from "../sidecar-rules/learned.ts";
import { hasCode, messageOf, ThvError } from "../support/errors.ts";
import type { PinStore } from "../tool-pins/pin-record.ts";
import type { AcceptedTool, PinReport } from "../tool-pins/pin-report.ts";
import { WorkloadPins } from "../tool-pins/workload-pins.ts";
import type { DesiredState, RunConfig } from "../workload/run-config.ts";
import type { RunConfigStore } from "../workload/run-config-store.ts";
import { describeWorkload, type Workload } from "../workload/workload.ts";
import type { BackgroundWork, RemoveOptions } from "./managed-workload.ts";
import { RemoteWatch } from "./remote/remote-watch.ts";
import { buildEndpointOptions } from "./server/workload-server.ts";
import { DesiredConfig } from "./state/desired-config.ts";
import { Operations } from "./state/operations.ts";
import { WorkloadState } from "./state/workload-state.ts";
import type { SupervisedWorkload } from "./supervised-workload.ts";

/** What a workload signs in with. */
export interface RemoteGrantRequest {
  /** Of the workload. */
  readonly name: string;
  readonly url: URL;
  readonly signIn: RemoteSignIn | undefined;
}

/** Signs in at servers for workloads. */
export interface RemoteSignInPort {
  /** For as long as there is the workload, also while it is stopped: until the result is disposed of. */
  open(request: RemoteGrantRequest): Promise<RemoteAuthorization>;
  /** Whether what was kept of a sign-in can be read now. @throws {ThvError} `SECRETS_LOCKED`, `SECRETS_FAILED`. */
  assertReadable(name: string): Promise<void>;
  /** The workload is removed, and what it signed in with is not needed any more. */
  forget(name: string): Promise<void>;
}

export interface RemoteWorkloadContext {
  readonly openEndpoint: OpenMcpEndpoint;
  readonly runConfigs: RunConfigStore;
  /** Keeps pinned definitions of tools. */
  readonly toolPins: PinStore;
  readonly resolveSecrets: ResolveSecrets;
  /** Default: nobody signs in. */
  readonly signIns?: RemoteSignInPort | undefined;
  /** Certificates to trust besides the usual ones, PEM. Default: none. @throws {ThvError} `INVALID_ARGUMENT`. */
  readonly readCertificates?: (() => Promise<string | undefined>) | undefined;
  /** What the supervisor says of each workload: the log of this one. Default: nothing is kept. */
  readonly proxyLogs?: Pick<ProxyLogs, "read" | "follow"> | undefined;
  /** Called after the status has changed. */
  readonly onChange: () => void;
  /** Called after something else has changed that callers see. */
  readonly onProgress: () => void;
  readonly log: Logger;
}

type RemoteConfig = RunConfig & { readonly remote_url: string };

/** What is connected while it is up. */
interface Connection {
  readonly watch: RemoteWatch;
  readonly stopListening: () => void;
}

export class RemoteWorkload implements SupervisedWorkload {
  readonly needsEngine = false;
  readonly builtImage = undefined;
  readonly isFiltered = false;
  readonly #context: RemoteWorkloadContext;
  readonly #config: DesiredConfig;
  readonly #state: WorkloadState;
  readonly #operations: Operations;
  readonly #pins: WorkloadPins;
  #endpoint: McpEndpoint | undefined;
  #connection: Connection | undefined;
  /** Lives as long as the workload, so that people can sign in while it is stopped. */
  #authorization: Promise<RemoteAuthorization> | undefined;
  #isGone = false;
  #isTakenOver: boolean;
  /** Ends those who follow the log, once no line follows. */
  readonly #over = new AbortController();

  /** @param endpoint Already listening on the configuration's port, for a workload that is being created. */
  constructor(config: RemoteConfig, context: RemoteWorkloadContext, endpoint?: McpEndpoint) {
    const { name, desired_state } = config;
    const { log, onProgress } = context;
    this.#context = context;
    this.#config = new DesiredConfig(config, context.runConfigs);
    this.#endpoint = endpoint;
    this.#pins = new WorkloadPins({
      name,
      store: context.toolPins,
      log,
      settings: pickPinSettings(config),
      onChange: context.onProgress,
    });
    this.#pins.apply(endpoint);
    this.#isTakenOver = !endpoint && desired_state === "running";
    this.#state = new WorkloadState({
      name,
      status: desired_state === "stopped" ? "stopped" : "starting",
      reason: "",
      onChange: () => {
        if (this.#state.status !== "starting") this.#isTakenOver = false;
        context.onChange();
      },
      onProgress,
      log,
    });
    this.#operations = new Operations(name, this.#state, log);
  }

  get name(): string {
    return this.#config.current.name;
  }

  get config(): RunConfig {
    return this.#config.current;
  }

  get desired(): DesiredState {
    return this.#config.current.desired_state;
  }

  get isUnsaved(): boolean {
    return this.#config.isUnsaved;
  }

  get isGone(): boolean {
    return this.#isGone;
  }

  get needsReconcile(): boolean {
    return !this.#operations.isWorking && !this.#isGone && this.desired === "removed";
  }

  get isUp(): boolean {
    return this.#state.isUp || this.#state.status === "starting";
  }

  /** A sign-in that is missing is no failure of the settings: somebody signs in, and it runs. */
  get failure(): ThvError | undefined {
    return this.#state.status === "unauthenticated" ? undefined : this.#state.error;
  }

  /** There is none to wait for. */
  get imageReady(): Promise<void> {
    return Promise.resolve();
  }

  get recentCalls(): readonly ObservedCall[] | undefined {
    return this.#endpoint?.recentCalls;
  }

  get listedTools(): readonly string[] | undefined {
    return this.#endpoint?.listedTools;
  }

  get logs(): SupervisedWorkload["logs"] {
    return {
      read: async (selection: LogSelection): Promise<StampedLine[]> =>
        this.#context.proxyLogs?.read(this.name, selection) ?? [],
      follow: async (selection: LogSelection, signal: AbortSignal): Promise<AsyncIterable<StampedLine>> => {
        const ended = AbortSignal.any([signal, this.#over.signal]);
        return this.#context.proxyLogs?.follow(this.name, selection, ended) ?? noLines();
      },
    };
  }

  describe(): Workload {
    return describeWorkload(this.#config.current, this.#state, {
      isTakenOver: this.#isTakenOver,
      toolDifferences: this.#pins.differenceCount,
      missingTools: listMissingTools(this.listedTools, pickToolSelection(this.#config.current)),
      toolWarnings: this.#pins.warnings,
    });
  }

  judge(question: PolicyQuestion): PolicyVerdict | undefined {
    return this.#endpoint?.judge?.(question);
  }

  async listDenials(): Promise<Denial[]> {
    return [];
  }

  /** No sidecar stands beside it, so nothing is learned. */
  async listLearned(): Promise<LearnedTarget[]> {
    return [];
  }

  /** @throws {ThvError} `INVALID_ARGUMENT`: no rules of ours are in force where it runs. */
  async changeNetwork(): Promise<boolean> {
    throw new ThvError(
      "INVALID_ARGUMENT",
      `"${this.name}" runs elsewhere, where no network rules of ours are in force.`,
    );
  }

  async changeTools(members: Pick<RunConfig, keyof ToolMembers>): Promise<void> {
    await this.#config.changeTools(members);
    this.#endpoint?.chooseTools(pickToolSelection(members));
    if (await this.#pins.turn(pickPinSettings(members))) this.#pins.apply(this.#endpoint);
  }

  async describePins(): Promise<PinReport | undefined> {
    return await this.#pins.describe();
  }

  async acceptTools(asked: readonly AcceptedTool[] | undefined): Promise<PinReport> {
    const report = await this.#pins.accept(asked);
    this.#pins.apply(this.#endpoint);
    return report;
  }

  /**
   * Reads what a connection with these settings needs, while the one of now stays.
   *
   * @throws {ThvError} What that connection would fail with.
   */
  async prepareStart(next: RunConfig): Promise<void> {
    const { resolveSecrets, readCertificates, signIns } = this.#context;
    parseRemoteAddress(next.remote_url ?? "", next);
    await Promise.all([
      readForwardedHeaders(next, resolveSecrets),
      readCertificates?.(),
      // The client's own secret is needed by the next sign-in only.
      resolveSecrets(listRemoteSecrets(next).filter(({ target }) => target !== "client_secret")),
    ]);
    const { keptIn } = (await this.#openAuthorization()).describe();
    if (keptIn === "secrets") await signIns?.assertReadable(this.name);
  }

  /** @throws {ThvError} `INVALID_ARGUMENT`. */
  async pullImage(): Promise<void> {
    throw new ThvError("INVALID_ARGUMENT", `"${this.name}" runs elsewhere and has no image to pull`, {
      hint: `Connect to it anew: thv restart ${this.name}`,
    });
  }

  /** Resolves when it is known whether the server does its work; the status holds the result. */
  async start(note = ""): Promise<void> {
    await this.#operations.run("starting", (signal) => this.#bringUp(signal, note));
  }

  async stop(): Promise<BackgroundWork> {
    const unsaved = await this.#config.keep("stopped");
    const done = this.#operations.run("stopping", async (signal) => {
      await this.#closeAll();
      const note =
        unsaved && `the next supervisor starts it again, because this could not be saved: ${unsaved.message}`;
      this.#state.set("stopped", note ?? "", signal);
    });
    return { done };
  }

  async restart({ endpoint }: { readonly endpoint?: McpEndpoint | undefined } = {}): Promise<BackgroundWork> {
    await this.#config.save("running");
    if (endpoint) {
      await this.#config.moveTo(endpoint.port);
      await this.#closeEndpoint();
      this.#endpoint = endpoint;
      this.#pins.apply(endpoint);
    }
    return { done: this.#operations.run("starting", (signal) => this.#bringUp(signal)) };
  }

  async remove(_options: RemoveOptions = {}): Promise<BackgroundWork> {
    await this.#config.keep("removed");
    const done = this.#operations.run("removing", async (signal) => {
      if (this.#isGone) return;
      await this.#closeAll();
      await this.#closeAuthorization();
      await this.#context.signIns?.forget(this.name);
      try {
        await this.#pins.delete();
        await this.#config.delete();
      } catch (error) {
        this.#state.fail(error, "cannot remove: ", signal);
        return;
      }
      this.#isGone = true;
      this.#over.abort();
    });
    return { done };
  }

  async saveSuccessor(next: RunConfig): Promise<void> {
    await this.#config.saveSuccessor(next);
  }

  retire({ keepsEndpoint }: { readonly keepsEndpoint: boolean }): {
    readonly kept: McpEndpoint | undefined;
    readonly done: Promise<void>;
  } {
    const endpoint = this.#endpoint;
    this.#endpoint = undefined;
    endpoint?.disconnect("the workload is being changed");
    const done = this.#operations.close(async () => {
      this.#disconnect("the workload is being changed");
      if (!keepsEndpoint) await endpoint?.close();
      await this.#closeAuthorization();
      this.#isGone = true;
    });
    return { kept: keepsEndpoint ? endpoint : undefined, done };
  }

  async reconcile(): Promise<void> {
    if (this.#operations.isWorking) return;
    if (this.desired === "removed") await (await this.remove()).done;
    else if (this.desired === "running" && this.#connection === undefined) await this.start();
    else await this.#openAuthorization().catch(() => undefined);
  }

  async checkHealth(): Promise<void> {
    if (!this.#config.isUnsaved) return;
    const failure = await this.#config.keep(this.desired);
    if (!failure && this.#state.status === "stopped") this.#state.set("stopped", "");
  }

  onContainerEvent(): void {
    // It has no container.
  }

  onEngineLost(): void {
    // It needs no engine.
  }

  async release(): Promise<void> {
    await this.#operations.close(async () => {
      await this.#closeAll();
      await this.#closeAuthorization();
    });
    this.#over.abort();
  }

  async #bringUp(signal: AbortSignal, note = ""): Promise<void> {
    try {
      this.#disconnect("the workload is being restarted");
      if (!this.#endpoint) {
        this.#endpoint = await this.#context.openEndpoint({
          ...buildEndpointOptions(this.#config.current),
          // Open even while the issuer is down: clients get 503, not a refused connection.
          mayWaitForIssuer: true,
        });
        this.#pins.apply(this.#endpoint);
      }
      signal.throwIfAborted();
      await this.#connect(this.#endpoint, note, signal);
    } catch (error) {
      if (signal.aborted) return;
      await this.#closeAll();
      this.#context.log.warn({ workload: this.name, reason: messageOf(error) }, "workload failed");
      this.#state.fail(error, "", signal);
    }
  }

  /** Settles with the first result of the watch. @throws {ThvError} Of the secret store, of sign-in's settings. */
  async #connect(endpoint: McpEndpoint, note: string, signal: AbortSignal): Promise<void> {
    const { name } = this.#config.current;
    const { readCertificates } = this.#context;
    // Somebody may have edited the file.
    const url = parseRemoteAddress(this.#config.current.remote_url ?? "", this.#config.current);
    const [headers, ca] = await Promise.all([
      readForwardedHeaders(this.#config.current, this.#context.resolveSecrets),
      readCertificates?.(),
    ]);
    const authorization = await this.#openAuthorization();
    await this.#pins.load({ image: undefined, isNew: true });
    let notes = note;
    const watch = new RemoteWatch({
      probe: (deadline) => endpoint.probe(deadline),
      onResult: (problem) => {
        this.#onResult(problem, notes);
        if (problem === undefined) notes = "";
      },
    });
    const stopListening = authorization.onChange(() => watch.notice(this.#state.error ?? grantProblem(authorization)));
    this.#connection = { watch, stopListening };
    endpoint.connect({
      host: url.hostname.replace(/^\[|\]$/g, ""),
      port: Number(url.port) || (url.protocol === "https:" ? 443 : 80),
      remote: { url, authorization, headers, ca, onOutcome: (problem) => watch.notice(problem) },
    });
    this.#context.log.info({ workload: name, server: formatRemoteAddress(url) }, "connected to remote server");
    const cancel = () => watch[Symbol.dispose]();
    signal.addEventListener("abort", cancel, { once: true });
    await watch.start();
    // It may have other tools than before: clients that stayed list them again, and pins see the list.
    this.#pins.apply(endpoint);
    signal.removeEventListener("abort", cancel);
  }

  #onResult(problem: ThvError | undefined, note: string): void {
    if (this.#state.status !== "starting" && !this.#state.isUp) return;
    if (problem === undefined) {
      if (this.#state.status !== "running") this.#state.set("running", note);
      return;
    }
    const status = hasCode(problem, "UNAUTHENTICATED") ? "unauthenticated" : "unhealthy";
    const isNews = this.#state.status !== status || this.#state.error?.message !== problem.message;
    if (!isNews) return;
    const { code, message: reason } = problem;
    this.#context.log.warn({ workload: this.name, code, reason }, "remote server does not do its work");
    this.#state.report(status, problem);
  }

  #disconnect(reason: string): void {
    const connection = this.#connection;
    this.#connection = undefined;
    connection?.watch[Symbol.dispose]();
    connection?.stopListening();
    this.#endpoint?.disconnect(reason);
  }

  #openAuthorization(): Promise<RemoteAuthorization> {
    const { name, oauth_config: signIn, remote_url = "" } = this.#config.current;
    const request = { name, url: new URL(remote_url), signIn };
    this.#authorization ??= (this.#context.signIns?.open(request) ?? Promise.resolve(new NoSignIn(name))).catch(
      (error: unknown) => {
        this.#authorization = undefined;
        throw error;
      },
    );
    return this.#authorization;
  }

  async #closeAuthorization(): Promise<void> {
    const authorization = await this.#authorization?.catch(() => undefined);
    this.#authorization = undefined;
    await authorization?.[Symbol.asyncDispose]();
  }

  async #closeEndpoint(): Promise<void> {
    const endpoint = this.#endpoint;
    this.#endpoint = undefined;
    await endpoint?.close();
  }

  async #closeAll(): Promise<void> {
    this.#disconnect("the workload is being stopped");
    await this.#closeEndpoint();
  }
}

function grantProblem(authorization: RemoteAuthorization): ThvError | undefined {
  const { error } = authorization.describe();
  return error && new ThvError(error.code, error.message, { hint: error.hint });
}

async function* noLines(): AsyncGenerator<StampedLine> {
  // Nothing is kept.
}
