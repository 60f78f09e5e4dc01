/** The proxy of one MCPServer, MCPRemoteProxy or MCPGroup, in a pod of its own. It follows its choice of tools, reads its other settings once, and writes nothing to the cluster. */
import { setTimeout as delay } from "node:timers/promises";
import { type AccessConfig, type Logger, type McpEndpoint, RemoteWatch } from "@toolhive/core";
import { startTimeout } from "@toolhive/core/timeout-signal";
import { waitForAbort } from "@toolhive/core/until-aborted";
import { closeGracefully } from "@toolhive/http";
import { type EndpointOptions, openEndpoint } from "@toolhive/proxy";
import { RUNNER_HEALTH_PORT, type RunnerConfig } from "../contract/index.ts";
import { awaitIssuer } from "./await-issuer.ts";
import { FollowedTools, readToolSelection } from "./followed-tools.ts";
import { runGroupProxy } from "./group-proxy.ts";
import { createIdleAnswerer, type RequestAnswerer } from "./idle/idle-answerer.ts";
import { IdleGate } from "./idle/idle-gate.ts";
import { type RunnerSettings, readRunnerSettings } from "./read-runner-config.ts";
import { Readiness } from "./readiness.ts";
import { openRemote, RemoteState } from "./remote-server.ts";
import { ServerAddresses } from "./server-addresses.ts";

/** Milliseconds that the cluster has to send no more clients here, and that calls have to end, after SIGTERM. */
const LEAVE_MS = 3_000;
const DRAIN_MS = 20_000;
const DRAIN_POLL_MS = 100;

export interface RunnerOptions {
  /** Path of the settings. */
  readonly file: string;
  readonly log: Logger;
  readonly version?: EndpointOptions["version"];
  /** Initializes and lists the tools as an MCP client does. */
  readonly listTools: (url: URL, signal: AbortSignal) => Promise<unknown>;
  /** Default: 8081 on all addresses, where the kubelet asks. */
  readonly health?: { readonly host: string; readonly port: number };
  /** Path of a kubeconfig. Default: the pod's own account. */
  readonly kubeconfig?: string | undefined;
  /** Path of the policies. Default: where the operator mounts them. */
  readonly authzFile?: string;
  /** Folder of a remote server's secrets. Default: where the operator mounts them. */
  readonly remoteFolder?: string;
}

/**
 * Runs until the signal fires, then lets calls end.
 *
 * @throws {ThvError} `CONFIG_INVALID`, `INVALID_ARGUMENT`, `PORT_IN_USE`, `ISSUER_UNAVAILABLE`.
 */
export async function runRunner(options: RunnerOptions, signal: AbortSignal): Promise<void> {
  const { file, log, version, listTools, authzFile } = options;
  const health = options.health ?? { host: "0.0.0.0", port: RUNNER_HEALTH_PORT };
  const settings = await readRunnerSettings(file, authzFile === undefined ? {} : { authzFile });
  const { config, access } = settings;
  if (access?.oidc_config !== undefined) await awaitIssuer(access.oidc_config, { log, signal });
  if (config.group === undefined) {
    await runServerProxy(settings, { ...options, health }, signal);
    return;
  }
  const askAsClient = (url: URL, deadline: AbortSignal) =>
    access?.oidc_config === undefined ? listTools(url, deadline) : expectRefusal(url, deadline);
  const untilOver = waitForAbort(signal);
  await runGroupProxy({ file, log, version, config, access, health, askAsClient, drain, untilOver });
}

async function runServerProxy(
  { config, access, sessionKey, idleToken }: RunnerSettings,
  options: RunnerOptions & Required<Pick<RunnerOptions, "health">>,
  signal: AbortSignal,
): Promise<void> {
  const { log, version, listTools, kubeconfig } = options;
  const { name, transport, host, port } = config;
  const elsewhere = config.remote && (await openRemote(name, config.remote, options.remoteFolder));
  await using _authorization = elsewhere?.remote.authorization;
  const addresses = new ServerAddresses(config.target?.host ?? "");
  const gate = idleToken === undefined ? undefined : new IdleGate({ name, log });
  await using endpoint = await openEndpoint({
    ...(gate && { gate }),
    name,
    host,
    port,
    allowedHosts: config.allowed_hosts,
    transport,
    isRemote: elsewhere !== undefined,
    ...(access && { access }),
    ...readToolSelection(config),
    ...(sessionKey && { replicas: buildReplicas(config, sessionKey, addresses) }),
    ...(version && { version }),
    mayWaitForIssuer: true,
    log,
  });
  const url = new URL(`http://127.0.0.1:${endpoint.port}/${transport === "sse" ? "sse" : "mcp"}`);
  const checks = buildChecks(endpoint, { url, access, listTools, isRemote: elsewhere !== undefined });
  const readiness = new Readiness(checks);
  const state = new RemoteState();
  using remoteWatch = elsewhere && watchRemote(checks, readiness, state);
  // A Service's name leads nowhere for some seconds after its first pod is ready.
  const untilServed = async (deadline: AbortSignal) => {
    if (transport !== "stdio") await untilAnswered((once) => endpoint.probe(once), deadline);
  };
  const onServers = (found: readonly string[]) => addresses.report(found);
  gate?.start({ untilServed, onServers, onSleep: () => readiness.pause(), onAwake: () => readiness.resume() });
  const answerIdle = gate && idleToken ? createIdleAnswerer(gate, idleToken) : undefined;
  const tools = new FollowedTools({ file: options.file, config, endpoint, log });
  const answerKind = elsewhere ? state.answer.bind(state) : answerIdle;
  const answerOther: RequestAnswerer = (request, response) =>
    tools.answer(request, response) || answerKind?.(request, response) === true;
  const health = await readiness.serve(options.health.host, options.health.port, answerOther);
  const over = new AbortController();
  const working: Promise<void>[] = [tools.follow(over.signal)];
  if (!remoteWatch) working.push(readiness.watch(over.signal));
  const { attach, target, namespace } = config;
  if (elsewhere) {
    endpoint.connect({
      ...elsewhere,
      remote: { ...elsewhere.remote, onOutcome: (problem) => remoteWatch?.notice(problem) },
    });
    void remoteWatch?.start();
  } else if (attach !== undefined) {
    const target = { namespace, ...attach };
    // With the client of Kubernetes, a quarter of what a proxy loads, which servers on HTTP do not need.
    const { keepAttached } = await import("./stdio-connection.ts");
    working.push(keepAttached({ target, kubeconfig, endpoint, readiness, gate, log }, over.signal));
  } else if (target !== undefined) endpoint.connect({ ...target, lookup: addresses.lookup });
  log.info({ name, transport, port: endpoint.port }, "proxy listens");
  try {
    await waitForAbort(signal);
    readiness.end();
    endpoint.leave();
    // Without the server, requests would wait here in vain: their clients do better with the next proxy.
    await drain(() => (endpoint.isReady ? endpoint.counts.pendingRequests : 0), log);
  } finally {
    gate?.close();
    over.abort();
    await Promise.all(working);
    await closeGracefully(health, 0);
  }
}

interface CheckOptions extends Pick<RunnerOptions, "listTools"> {
  readonly url: URL;
  readonly access: AccessConfig | undefined;
  readonly isRemote: boolean;
}

/** How the runner finds out whether the server answers through the proxy. */
function buildChecks(
  endpoint: McpEndpoint,
  { url, access, listTools, isRemote }: CheckOptions,
): ConstructorParameters<typeof Readiness>[0] {
  return {
    askAsClient: async (deadline) => {
      const isOpen = access?.oidc_config === undefined;
      // A client's session would be one more at a server that others use, too.
      if (isOpen && !isRemote) return await listTools(url, deadline);
      // The proxy has no token that it could show to itself.
      if (!isOpen) await expectRefusal(url, deadline);
      await endpoint.probe(deadline);
    },
    ping: (deadline) => endpoint.probe(deadline),
  };
}

/** A server elsewhere is asked less often than a pod, and at once when a call shows that something has changed. */
function watchRemote(
  { askAsClient, ping }: ConstructorParameters<typeof Readiness>[0],
  readiness: Readiness,
  state: RemoteState,
): RemoteWatch {
  return new RemoteWatch({
    probe: (deadline) => (readiness.state.isReady ? ping(deadline) : askAsClient(deadline)),
    onResult: (problem) => {
      state.set(problem);
      readiness.report(problem && [problem.message, problem.hint].filter(Boolean).join(" ").slice(0, 500));
    },
  });
}

/** A headless Service gives the addresses of the pods that are ready. */
function buildReplicas(
  { namespace, name }: RunnerConfig,
  key: Buffer,
  addresses: ServerAddresses,
): EndpointOptions["replicas"] {
  return { key, scope: `${namespace}/${name}`, resolve: async () => await addresses.list() };
}

/** Milliseconds between two checks, and for the answer to one. */
const ANSWER_POLL_MS = 100;
const ANSWER_MS = 2_000;

/** Checks until there is an answer or the signal fires. Never rejects. */
async function untilAnswered(check: (signal: AbortSignal) => Promise<unknown>, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    try {
      await check(AbortSignal.any([signal, startTimeout(ANSWER_MS)]));
      return;
    } catch {
      await delay(ANSWER_POLL_MS, undefined, { signal }).catch(() => undefined);
    }
  }
}

/** @throws {Error} Unless a caller without a token is sent for one: tokens cannot be checked yet. */
async function expectRefusal(url: URL, signal: AbortSignal): Promise<void> {
  const { status, body } = await fetch(url, { method: "POST", signal });
  await body?.cancel();
  if (status === 401) return;
  throw new Error(`callers' tokens cannot be checked yet: the answer without a token has status ${status}, not 401`);
}

/** New calls arrive until every node knows that this pod ends; those in flight are answered. */
async function drain(countPending: () => number, log: Logger): Promise<void> {
  const end = performance.now() + DRAIN_MS;
  await delay(LEAVE_MS);
  while (countPending() > 0 && performance.now() < end) await delay(DRAIN_POLL_MS);
  const pendingRequests = countPending();
  if (pendingRequests > 0) log.warn({ pendingRequests }, "calls are given up at the end of the proxy");
}
