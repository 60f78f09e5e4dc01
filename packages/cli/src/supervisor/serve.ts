/** `thv serve`: puts everything together and runs until it is told to end. */
import { randomUUID } from "node:crypto";
import { mkdir, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import {
  ApiServer,
  AppSessions,
  createHandlers,
  documentPage,
  openApiDocument,
  type ServedApp,
  type SupervisorProcess,
} from "@toolhive/api";
import { ApiClient } from "@toolhive/api/client";
import type { OpenMcp } from "@toolhive/api/mcp-access";
import {
  atomicWrite,
  BRAND,
  ClientManager,
  ConfigFile,
  createClientSettings,
  createLogFileOpener,
  createRoutedFetch,
  createSecretSettings,
  GroupManager,
  GroupStore,
  PackageImages,
  PinFiles,
  ProxyLogs,
  RegistryCache,
  RegistryCatalog,
  RemoteSignIns,
  RunConfigStore,
  SecretManager,
  systemCodeOf,
  ThvError,
  TokenVerifier,
  WorkloadSupervisor,
} from "@toolhive/core";
import { readBoundedText } from "@toolhive/core/bounded-file";
import { resolveHome } from "@toolhive/core/directories";
import { discoverEngine, PodmanService } from "@toolhive/engine";
import { OpenRelays, openEndpoint, openGroupEndpoint } from "@toolhive/proxy";
import type { CommandContext } from "../command-line/command.ts";
import { versionInfo } from "../command-line/version-info.ts";
import { findInstallation, resolveProgram } from "../installation/find-installation.ts";
import { describeOwnCommand } from "../installation/own-program.ts";
import { readConfiguredEngine } from "./configured-engine.ts";
import { endWhenIdle } from "./end-when-idle.ts";
import { formatKill } from "./format-kill.ts";
import { supervisorVariables } from "./ignored-variables.ts";
import { acquireProcessLock, type ProcessLock } from "./lock/process-lock.ts";
import { createLog } from "./log.ts";
import { findAppFiles, OwnApp } from "./own-app.ts";
import { describePortOwner } from "./port-owner.ts";
import { type AddressOptions, checkAddressFlags, listenForPrograms, readPageOrigins } from "./public-address.ts";
import { openSidecars } from "./sidecars.ts";
import { tellStartFailure } from "./start-failure.ts";
import {
  addressOf,
  readRecord,
  type SupervisorFiles,
  type SupervisorRecord,
  supervisorFiles,
} from "./supervisor-files.ts";
import { readTrusted } from "./trusted-certificates.ts";

/** Milliseconds a supervisor in the background has to hand over. */
const HANDOVER_TIMEOUT_MS = 15_000;

/** The flags of `thv serve`. */
export interface ServeOptions extends AddressOptions {
  /** Whether only the private socket is served, until nothing is left to do. */
  readonly background: boolean;
  /** Whether the OpenAPI document is also served as a page. */
  readonly openapi: boolean;
  readonly oidcIssuer: string | undefined;
  readonly oidcAudience: string | undefined;
  readonly oidcJwksUrl: string | undefined;
  readonly oidcClientId: string | undefined;
  readonly oidcSkipOpaqueTokenValidation: boolean;
}

/** Its modules are large, and most supervisors call nothing. */
const openMcp: OpenMcp = async (url, options) => await (await import("../mcp/open-mcp.ts")).openMcp(url, options);

type Ending = "interrupted" | "handover" | "idle" | "orphaned";

/** What the supervisor is given by those above it. */
export interface SupervisorParts {
  /** Looks for what is wrong on the machine. */
  readonly examine: (context: CommandContext) => ReturnType<SupervisorProcess["examine"]>;
}

export async function runSupervisor(
  options: ServeOptions,
  context: CommandContext,
  parts: SupervisorParts,
): Promise<void> {
  const isBackground = options.background;
  const files = supervisorFiles(context.env);
  // First, because a mistake in them must not cost anyone the supervisor that runs.
  if (!isBackground) checkAddressFlags(options);
  const tokens = isBackground ? undefined : await openTokens(options, context);
  try {
    const lock = await takeLock(files, isBackground, context);
    try {
      await run({ files, lock, isBackground, tokens, ...parts }, options, context);
    } finally {
      await lock.release();
    }
  } catch (error) {
    await tellStartFailure(error);
    throw error;
  }
}

interface Prepared extends SupervisorParts {
  readonly files: SupervisorFiles;
  readonly lock: ProcessLock;
  readonly isBackground: boolean;
  /** Checks who calls the API; `undefined` when anyone may. */
  readonly tokens: TokenVerifier | undefined;
}

async function run(
  { files, lock, isBackground, tokens, examine }: Prepared,
  options: ServeOptions,
  context: CommandContext,
): Promise<void> {
  const { version } = versionInfo();
  const proxyLogs = new ProxyLogs();
  const wholeLog = createLog({ isBackground, terminal: context.terminal });
  const log = proxyLogs.wrap(wholeLog);
  const config = new ConfigFile(files.directories.config, { onWarning: (warning) => log.warn({}, warning) });
  const secrets = new SecretManager({
    settings: createSecretSettings(config),
    dataDirectory: files.directories.data,
    env: context.env,
    onOpened: () => {
      signIns.onSecretsOpened();
      workloads.startWaiting();
    },
    log,
  });
  const signIns: RemoteSignIns = new RemoteSignIns({
    reserved: secrets.reserved,
    readSecret: (name) => secrets.read(name),
    stateDirectory: files.directories.state,
    send: createRoutedFetch(async () => await readTrusted((await config.load()).ca_certificate_path, context.env)),
    log,
  });
  const cache = new RegistryCache(files.directories.state);
  const registry = new RegistryCatalog({
    loadConfig: () => config.load(),
    saveConfig: (settings) => config.update((current) => ({ ...current, ...settings })),
    cache,
    log,
  });
  const allowedOrigins = readPageOrigins(options.allowedOrigin);
  const relays = new OpenRelays();
  const findRelay = (url: URL) => relays.find(url);
  const groups: GroupManager = new GroupManager({
    store: new GroupStore(files.directories.state),
    openEndpoint: async (options) =>
      await openGroupEndpoint({ ...options, allowedOrigins, findRelay, log, version: versionInfo() }),
    listWorkloads: () => workloads.list(),
    onChange: () => void clients.follow(workloads.list()),
    log,
  });
  const clients = new ClientManager({
    selectFor: (of, all) => groups.selectFor(of, all),
    settings: createClientSettings(config),
    places: { home: resolveHome(context.env), platform: process.platform },
    program: describeOwnCommand(),
    stateDirectory: files.directories.state,
    log,
  });
  const podman = new PodmanService({ env: context.env, platform: process.platform, socketPath: files.podmanSocket });
  const workloads: WorkloadSupervisor = new WorkloadSupervisor({
    discoverEngine: async (signal) =>
      await discoverEngine({
        env: context.env,
        home: resolveHome(context.env),
        configured: await readConfiguredEngine(context.env),
        startEngine: (stop) => podman.start(stop),
        signal,
      }),
    openEndpoint: (options) =>
      openEndpoint({
        ...options,
        allowedOrigins,
        relays,
        log: proxyLogs.wrap(wholeLog, options.name),
        version: versionInfo(),
      }),
    describePortOwner,
    openLogFile: createLogFileOpener(files.directories.data),
    runConfigs: new RunConfigStore(files.directories.state),
    toolPins: new PinFiles(files.directories.state),
    resolveSecrets: (references) => secrets.resolve(references),
    signIns,
    telemetryDefaults: async () => (await config.load()).otel,
    readCertificates: async () => await readTrusted((await config.load()).ca_certificate_path, context.env),
    proxyLogs,
    sleepDefault: async () => (await config.load()).sleep_after_seconds,
    onChange: (all) => {
      groups.follow(all);
      void clients.follow(all);
      proxyLogs.retain(all.map(({ name }) => name));
    },
    registry,
    packages: new PackageImages({
      caCertificatePath: async () => (await config.load()).ca_certificate_path,
      env: context.env,
    }),
    sidecars: openSidecars(context),
    trustRoots: {
      trustedRootPath: context.env.TOOLHIVE_SIGSTORE_TRUSTED_ROOT,
      cacheDirectory: files.directories.state,
    },
    instanceId: await ensureInstanceId(files.instanceId),
    log,
  });
  await workloads.load();
  await groups.load();
  let lastRequestAt = Date.now();
  const ending = new AbortController();
  const end = (reason: Ending) => ending.abort(reason);
  let record: SupervisorRecord = {
    pid: process.pid,
    version,
    socket: files.socket,
    startedAt: new Date().toISOString(),
    mode: isBackground ? "background" : "foreground",
    program: await resolveProgram(),
    variables: supervisorVariables(context.env),
  };
  const supervisor = {
    describe: () => ({ ...record, engine: engineOf(workloads) }),
    handOver: () => end("handover"),
    examine: async () => await examine(context),
    channel: (await findInstallation()).channel,
  };
  const sessions = new AppSessions(files.appSessions);
  await sessions.load();
  const appFiles = await findAppFiles();
  let app: OwnApp | undefined;
  const served: ServedApp = {
    sessions,
    open: async (port) => {
      if (app === undefined) throw new ThvError("WORKLOAD_BUSY", "The supervisor is starting.");
      return await app.open(port);
    },
  };
  const api = new ApiServer({
    handlers: createHandlers({
      workloads,
      registry,
      clients,
      groups,
      secrets,
      signIns,
      proxyLogs,
      openMcp,
      supervisor,
      app: served,
      version,
    }),
    app: appFiles,
    documentPage: options.openapi ? documentPage(openApiDocument(version)) : undefined,
    onBug: (error, operation) => log.error({ operation, err: error }, "unexpected error"),
    onRequest: (entry) => {
      lastRequestAt = Date.now();
      // What thv itself asks over its private socket is no news.
      log[entry.from === undefined ? "debug" : "info"]({ ...entry }, "request");
    },
  });
  context.signal.addEventListener("abort", () => end("interrupted"), { once: true });
  try {
    const address = isBackground ? undefined : await listenForPrograms(api, options, tokens);
    record = { ...record, ...(address && { api: address }) };
    const openAddress = tokens === undefined && address?.startsWith("http:") ? address : undefined;
    app = new OwnApp({ files: appFiles, sessions, openAddress, api });
    await app.reopen();
    // Before the socket answers: a command that was answered finds the record.
    await atomicWrite(files.record, `${JSON.stringify(record, null, 2)}\n`);
    await listenOnSocket(api, files);
    log.info({ ...record }, "supervisor started");
    await groups.start();
    await Promise.race([workloads.start(), untilAborted(ending.signal)]);
    if (address) context.terminal.info(`The ${BRAND.product} API answers at ${address}. Press Ctrl-C to stop.`);
    const isBusy = () => !isBackground || !workloads.isIdle || api.openRequests > 0;
    endWhenIdle({ isBusy, lastRequestAt: () => lastRequestAt, lock, end, signal: ending.signal });
    await untilAborted(ending.signal);
    const reason = ending.signal.reason as Ending;
    await groups.close();
    await shutDown(workloads, reason, context);
    if (reason === "orphaned") throw orphaned(files.lock);
  } finally {
    sessions.close();
    await api.close();
    await podman.stop();
    await rm(files.record, { force: true });
  }
}

function orphaned(lock: string): ThvError {
  return new ThvError(
    "FILE_FAILED",
    `The supervisor ended, because its lock ${lock} was removed or belongs to another process.`,
    {
      hint: `It stopped its workloads. Start them again: ${BRAND.command} list --all`,
    },
  );
}

async function shutDown(workloads: WorkloadSupervisor, reason: Ending, { terminal }: CommandContext): Promise<void> {
  const up = workloads.list().filter(({ status }) => status === "running" || status === "starting").length;
  if (reason === "interrupted" && up > 0) {
    terminal.info(`Stopping ${up} workload${up === 1 ? "" : "s"}; the next start brings them back.`);
  }
  await workloads.close({ keepContainers: reason === "handover" });
}

/** Becomes the only supervisor of this home; one in the background makes room for one in the foreground. */
async function takeLock(files: SupervisorFiles, isBackground: boolean, context: CommandContext): Promise<ProcessLock> {
  const first = await acquireProcessLock(files.lock);
  if (first.acquired) return first.lock;
  const record = await readRecord(files.record);
  if (isBackground || record?.mode !== "background") throw alreadyRunning(first.holder.pid, record);
  context.terminal.info(`Taking over from the supervisor in the background (pid ${first.holder.pid}).`);
  const client = new ApiClient(addressOf(files));
  await client.call("handOver");
  const deadline = Date.now() + HANDOVER_TIMEOUT_MS;
  while (Date.now() < deadline) {
    const next = await acquireProcessLock(files.lock);
    if (next.acquired) return next.lock;
    await delay(50);
  }
  throw alreadyRunning(first.holder.pid, record);
}

function alreadyRunning(pid: number, record: SupervisorRecord | undefined): ThvError {
  const where = record?.api ? ` and serves the API at ${record.api}` : "";
  return new ThvError("SUPERVISOR_RUNNING", `A supervisor is already running (pid ${pid})${where}.`, {
    hint: `Use that one, or stop it first: ${formatKill(pid)}`,
  });
}

/** @returns `undefined` when no OIDC flag is given: then the API needs no token. */
async function openTokens(options: ServeOptions, { terminal }: CommandContext): Promise<TokenVerifier | undefined> {
  const issuer = options.oidcIssuer || undefined;
  const audience = options.oidcAudience || undefined;
  const jwksUrl = options.oidcJwksUrl || undefined;
  const clientId = options.oidcClientId || undefined;
  if (options.oidcSkipOpaqueTokenValidation) {
    terminal.info("--oidc-skip-opaque-token-validation has no effect: the API refuses opaque tokens.");
  }
  if ([issuer, audience, jwksUrl, clientId].every((value) => value === undefined)) return undefined;
  const tokens = await TokenVerifier.open({ issuer, audience, jwksUrl, clientId });
  if (audience === undefined) {
    terminal.info("Without --oidc-audience the API accepts the issuer's tokens for other services too.");
  }
  return tokens;
}

async function listenOnSocket(api: ApiServer, { socket }: SupervisorFiles): Promise<void> {
  if (process.platform !== "win32") {
    await mkdir(dirname(socket), { recursive: true, mode: 0o700 });
    // We hold the lock, so whatever is there was left by a supervisor that was killed.
    await rm(socket, { force: true });
  }
  await api.listenOnSocket(socket);
}

function engineOf({ engine }: WorkloadSupervisor): NonNullable<SupervisorRecord["engine"]> | null {
  if (engine === undefined) return null;
  const { kind, version, address, missingLimits } = engine;
  return { kind, version, address, ...(missingLimits && { missingLimits: [...missingLimits] }) };
}

async function ensureInstanceId(path: string): Promise<string> {
  try {
    const id = (await readBoundedText(path)).trim();
    if (/^[0-9a-f-]{36}$/.test(id)) return id;
    throw new ThvError("STATE_CORRUPT", `${path} does not hold an id.`, {
      hint: "Remove the file. Then remove the containers of earlier workloads by hand.",
    });
  } catch (error) {
    if (systemCodeOf(error) !== "ENOENT") throw error;
    const id = randomUUID();
    await atomicWrite(path, `${id}\n`);
    return id;
  }
}

async function untilAborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  await new Promise<void>((resolve) => {
    signal.addEventListener("abort", () => resolve(), { once: true });
  });
}
