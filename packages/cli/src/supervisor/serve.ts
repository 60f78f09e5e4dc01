/** `thv serve`: puts everything together and runs until it receives a request or a signal to end. */
import { randomUUID } from "node:crypto";
import { rm } from "node:fs/promises";
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
  openCatalogue,
  openFailedOutputs,
  PackageImages,
  PinFiles,
  ProxyLogs,
  RemoteSignIns,
  RunConfigStore,
  readSystemCode,
  SecretManager,
  ThvError,
  type TokenVerifier,
  UsageBook,
  UsageFiles,
  WorkloadSupervisor,
} from "@toolhive/core";
import { readBoundedText } from "@toolhive/core/bounded-file";
import { resolveHome } from "@toolhive/core/directories";
import { waitForAbort } from "@toolhive/core/until-aborted";
import { discoverEngine, PodmanService } from "@toolhive/engine";
import { OpenRelays, openEndpoint, openGroupEndpoint } from "@toolhive/proxy";
import { findEntries } from "@toolhive/proxy/find-entries";
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
import {
  type AddressOptions,
  checkAddressFlags,
  listenForPrograms,
  listenOnSocket,
  openTokens,
  readPageOrigins,
  type TokenOptions,
} from "./public-address.ts";
import { openSidecars } from "./sidecars.ts";
import { reportStartFailure } from "./start-failure.ts";
import {
  followSocket,
  readRecord,
  type SupervisorFiles,
  type SupervisorRecord,
  supervisorFiles,
} from "./supervisor-files.ts";
import { readTrusted } from "./trusted-certificates.ts";

/** Milliseconds a supervisor in the background has to hand over. */
const HANDOVER_TIMEOUT_MS = 15_000;

/** The flags of `thv serve`. */
export interface ServeOptions extends AddressOptions, TokenOptions {
  /** Whether only the private socket is served, until there is no more work. */
  readonly background: boolean;
  /** Whether the OpenAPI document is also served as a page. */
  readonly openapi: boolean;
}

/** Its modules are large, and most supervisors call nothing. */
const openMcp: OpenMcp = async (url, options) => await (await import("../mcp/open-mcp.ts")).openMcp(url, options);

type Ending = "interrupted" | "handover" | "idle" | "orphaned";

type WorkloadSupervisorOptions = ConstructorParameters<typeof WorkloadSupervisor>[0];
type OpenForWorkload = WorkloadSupervisorOptions["openEndpoint"];
type OpenForGroup = ConstructorParameters<typeof GroupManager>[0]["openEndpoint"];

/** What the supervisor is given by those above it. */
export interface SupervisorParts {
  /** Finds problems of the machine. */
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
    await reportStartFailure(error);
    throw error;
  }
}

interface Prepared extends SupervisorParts {
  readonly files: SupervisorFiles;
  readonly lock: ProcessLock;
  readonly isBackground: boolean;
  /** Checks the callers of the API; `undefined` when anyone may call. */
  readonly tokens: TokenVerifier | undefined;
}

async function run(prepared: Prepared, options: ServeOptions, context: CommandContext): Promise<void> {
  const { files, lock, isBackground, tokens } = prepared;
  const services = await createServices(prepared, options, context);
  const { workloads, groups, usage, log } = services;
  await usage.start();
  await workloads.load();
  await groups.load();
  const traffic = { lastRequestAt: Date.now() };
  const ending = new AbortController();
  const end = (reason: Ending) => ending.abort(reason);
  let record = await describeProcess(prepared, context);
  const supervisor = {
    describe: () => ({ ...record, engine: describeEngineRecord(workloads) }),
    handOver: () => end("handover"),
    examine: async () => await prepared.examine(context),
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
  const api = createApi({ ...services, supervisor, app: served, appFiles, traffic }, options.openapi);
  context.signal.addEventListener("abort", () => end("interrupted"), { once: true });
  try {
    const address = isBackground ? undefined : await listenForPrograms(api, options, tokens);
    record = { ...record, ...(address && { api: address }) };
    const openAddress = tokens === undefined && address?.startsWith("http:") ? address : undefined;
    app = new OwnApp({ files: appFiles, sessions, openAddress, api });
    await app.reopen();
    // Before the socket answers: a command that was answered finds the record.
    await atomicWrite(files.record, `${JSON.stringify(record, null, 2)}\n`);
    await listenOnSocket(api, files.socket);
    log.info({ ...record }, "supervisor started");
    await groups.start();
    await Promise.race([workloads.start(), waitForAbort(ending.signal)]);
    if (address) context.terminal.info(`The ${BRAND.product} API answers at ${address}. Press Ctrl-C to stop.`);
    const isBusy = () => !isBackground || !workloads.isIdle || api.openRequests > 0;
    endWhenIdle({ isBusy, lastRequestAt: () => traffic.lastRequestAt, lock, end, signal: ending.signal });
    await waitForAbort(ending.signal);
    const reason = ending.signal.reason as Ending;
    await groups.close();
    await shutDown(workloads, reason, context);
    await usage.close();
    if (reason === "orphaned") throw orphaned(files.lock);
  } finally {
    sessions.close();
    await api.close();
    await services.podman.stop();
    await rm(files.record, { force: true });
  }
}

type Services = Awaited<ReturnType<typeof createServices>>;

/** Creates what the API's handlers work with. Nothing of it does anything before it is loaded and started. */
async function createServices(prepared: Prepared, options: ServeOptions, context: CommandContext) {
  const basis = createBasis(prepared, options, context);
  const { directories, config, readCertificates, log } = basis;
  const secrets = new SecretManager({
    settings: createSecretSettings(config),
    dataDirectory: directories.data,
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
    stateDirectory: directories.state,
    send: createRoutedFetch(readCertificates),
    log,
  });
  const listWorkloads = () => workloads.list();
  const groups: GroupManager = new GroupManager({
    store: new GroupStore(directories.state),
    openEndpoint: basis.endpoints.openForGroup,
    listWorkloads,
    findWorkload: (name) => workloads.find(name),
    onChange: () => void clients.follow(listWorkloads),
    log,
  });
  const clients = new ClientManager({
    selectFor: (of, all) => groups.selectFor(of, all),
    settings: createClientSettings(config),
    places: { home: resolveHome(context.env), platform: process.platform },
    program: describeOwnCommand(),
    stateDirectory: directories.state,
    log,
  });
  const onChange: WorkloadParts["onChange"] = (change) => {
    groups.followOne(change);
    void clients.follow(listWorkloads);
    if (change.workload === undefined) basis.proxyLogs.retain(listWorkloads().map(({ name }) => name));
  };
  const instanceId = await ensureInstanceId(prepared.files.instanceId);
  const workloads: WorkloadSupervisor = createWorkloads({ ...basis, secrets, signIns, onChange, instanceId }, context);
  return { ...basis, secrets, signIns, groups, clients, workloads };
}

/** Creates what needs nothing else: settings, logs, the registry and the way to the engine. */
function createBasis({ files, isBackground }: Prepared, options: ServeOptions, context: CommandContext) {
  const { directories, podmanSocket: socketPath } = files;
  const proxyLogs = new ProxyLogs();
  const wholeLog = createLog({ isBackground, terminal: context.terminal });
  const log = proxyLogs.wrap(wholeLog);
  const config = new ConfigFile(directories.config, { onWarning: (warning) => log.warn({}, warning) });
  const catalogue = openCatalogue(config, { log, stateDirectory: directories.state });
  const podman = new PodmanService({ env: context.env, platform: process.platform, socketPath });
  const caCertificatePath = async () => (await config.load()).ca_certificate_path;
  const readCertificates = async () => await readTrusted(await caCertificatePath(), context.env);
  const packages = new PackageImages({ caCertificatePath, env: context.env });
  const shared = { allowedOrigins: readPageOrigins(options.allowedOrigin), version: versionInfo() };
  const relays = new OpenRelays();
  const isWanted = async () => (await config.load()).record_usage !== false;
  const setWanted = async (isOn: boolean) => void (await config.update((old) => ({ ...old, record_usage: isOn })));
  const store = new UsageFiles(directories.state);
  const usage = new UsageBook({ store, isWanted, setWanted, log, now: () => Date.now() });
  const ofGroup = { findRelay: relays.find.bind(relays), onCalled: usage.recordClient.bind(usage), log };
  const endpoints = {
    openForWorkload: (({ name, ...of }) => {
      const own = { name, relays, usage: usage.forServer(name), log: proxyLogs.wrap(wholeLog, name) };
      return openEndpoint({ ...of, ...shared, ...own });
    }) satisfies OpenForWorkload,
    openForGroup: ((of) => openGroupEndpoint({ ...of, ...shared, ...ofGroup })) satisfies OpenForGroup,
  };
  const imageAccess = { env: context.env, send: createRoutedFetch(readCertificates) };
  const basis = { directories, proxyLogs, log, config, podman, readCertificates, packages, usage, endpoints };
  return { ...basis, ...catalogue, imageAccess };
}

interface WorkloadParts
  extends ReturnType<typeof createBasis>,
    Required<Pick<WorkloadSupervisorOptions, "signIns" | "onChange" | "instanceId">> {
  readonly secrets: SecretManager;
}

function createWorkloads(parts: WorkloadParts, context: CommandContext): WorkloadSupervisor {
  const { directories, config, podman, secrets, signIns, onChange, instanceId } = parts;
  const { env } = context;
  return new WorkloadSupervisor({
    discoverEngine: async (signal) =>
      await discoverEngine({
        env,
        home: resolveHome(env),
        configured: await readConfiguredEngine(env),
        startEngine: (stop) => podman.start(stop),
        signal,
      }),
    openEndpoint: parts.endpoints.openForWorkload,
    describePortOwner,
    openLogFile: createLogFileOpener(directories.data),
    failedOutputs: openFailedOutputs(directories.data),
    runConfigs: new RunConfigStore(directories.state),
    toolPins: new PinFiles(directories.state),
    usage: parts.usage,
    resolveSecrets: (references) => secrets.resolve(references),
    signIns,
    telemetryDefaults: async () => (await config.load()).otel,
    readCertificates: parts.readCertificates,
    proxyLogs: parts.proxyLogs,
    sleepDefault: async () => (await config.load()).sleep_after_seconds,
    onChange,
    registry: parts.registry,
    packages: parts.packages,
    sidecars: openSidecars(context),
    trustRoots: { trustedRootPath: env.TOOLHIVE_SIGSTORE_TRUSTED_ROOT, cacheDirectory: directories.state },
    instanceId,
    log: parts.log,
  });
}

interface ApiParts extends Services {
  readonly supervisor: SupervisorProcess;
  readonly app: ServedApp;
  readonly appFiles: Awaited<ReturnType<typeof findAppFiles>>;
  /** When somebody asked last, in milliseconds since 1970. */
  readonly traffic: { lastRequestAt: number };
}

function createApi({ appFiles, traffic, log, ...parts }: ApiParts, hasDocumentPage: boolean): ApiServer {
  const { version } = versionInfo();
  return new ApiServer({
    handlers: createHandlers({ ...parts, openMcp, findEntries, version }),
    app: appFiles,
    documentPage: hasDocumentPage ? documentPage(openApiDocument(version)) : undefined,
    onBug: (error, operation) => log.error({ operation, err: error }, "unexpected error"),
    onRequest: (entry) => {
      traffic.lastRequestAt = Date.now();
      // What thv itself asks over its private socket is no news.
      log[entry.from === undefined ? "debug" : "info"]({ ...entry }, "request");
    },
  });
}

/** @returns What other commands read of this process; its address is added when it listens. */
async function describeProcess({ files, isBackground }: Prepared, { env }: CommandContext): Promise<SupervisorRecord> {
  return {
    pid: process.pid,
    version: versionInfo().version,
    socket: files.socket,
    startedAt: new Date().toISOString(),
    mode: isBackground ? "background" : "foreground",
    program: await resolveProgram(),
    variables: supervisorVariables(env),
  };
}

function orphaned(lock: string): ThvError {
  return new ThvError(
    "FILE_FAILED",
    `The supervisor ended, because its lock ${lock} was removed or belongs to another process.`,
    {
      hint: `It stopped its servers. Start them again: ${BRAND.command} list --all`,
    },
  );
}

async function shutDown(workloads: WorkloadSupervisor, reason: Ending, { terminal }: CommandContext): Promise<void> {
  const up = workloads.list().filter(({ status }) => status === "running" || status === "starting").length;
  if (reason === "interrupted" && up > 0) {
    terminal.info(`Stopping ${up} server${up === 1 ? "" : "s"}; the next start brings them back.`);
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
  const client = new ApiClient(followSocket(files));
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

function describeEngineRecord({ engine }: WorkloadSupervisor): NonNullable<SupervisorRecord["engine"]> | null {
  if (engine === undefined) return null;
  const { kind, version, address, missingLimits } = engine;
  return { kind, version, address, ...(missingLimits && { missingLimits: [...missingLimits] }) };
}

async function ensureInstanceId(path: string): Promise<string> {
  try {
    const id = (await readBoundedText(path)).trim();
    if (/^[0-9a-f-]{36}$/.test(id)) return id;
    throw new ThvError("STATE_CORRUPT", `${path} does not hold an id.`, {
      hint: "Remove the file. Then remove the containers of earlier servers by hand.",
    });
  } catch (error) {
    if (readSystemCode(error) !== "ENOENT") throw error;
    const id = randomUUID();
    await atomicWrite(path, `${id}\n`);
    return id;
  }
}
