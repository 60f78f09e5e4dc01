/** `thv proxy`: one endpoint in the foreground, in front of a server that is not ours. */
import {
  type AccessConfig,
  BearerGrant,
  type ConfigFile,
  createRoutedFetch,
  createSecretSettings,
  type Logger,
  listRemoteProblems,
  listSentences,
  NoSignIn,
  type RemoteAuthorization,
  RemoteWatch,
  readForwardedHeaders,
  SecretManager,
} from "@toolhive/core";
import { readAllowedHosts } from "@toolhive/core/allowed-hosts";
import { ThvError } from "@toolhive/core/errors";
import { guessRemoteTransport } from "@toolhive/core/target";
import { waitForAbort } from "@toolhive/core/until-aborted";
import { formatUrlHost, normalizeHost } from "@toolhive/http";
import { HttpEndpoint } from "@toolhive/proxy/http-endpoint";
import type { CommandContext, CommandHandler } from "../../command-line/command.ts";
import type { Input } from "../../command-line/input.ts";
import { versionInfo } from "../../command-line/version-info.ts";
import { readPageOrigins } from "../../supervisor/public-address.ts";
import { supervisorFiles } from "../../supervisor/supervisor-files.ts";
import { readTrusted } from "../../supervisor/trusted-certificates.ts";
import { readTextFile } from "../../terminal/input.ts";
import { readHeaderFlags } from "../shared/flags/remote-flags.ts";
import { openConfig } from "../shared/open-registry.ts";
import type { PROXY } from "./definition.ts";

type ProxyInput = Input<typeof PROXY>;

const SECRET_VARIABLE = "TOOLHIVE_REMOTE_OAUTH_CLIENT_SECRET";
/** cli.md 3.2: what a timeout of 0 or less means. */
const LONG_TIMEOUT_MS = 5 * 60_000;

export const proxy: CommandHandler<typeof PROXY> = async (input, context) => {
  const [name] = input.positionals;
  const target = parseTargetUri(input.targetUri);
  const { port = 0 } = input;
  const host = normalizeHost(input.host);
  const problems: string[] = [];
  const allowedHosts = readAllowedHosts(input.allowedHost, problems);
  const members = readHeaderFlags(input, problems);
  // A user who names a server here has always been free to reach it by http://.
  problems.push(...listSentences(listRemoteProblems(target.href, { ...members, allow_insecure_http: true })));
  if (problems.length > 0) throw new ThvError("USAGE", `${problems.join("; ")}.`, { hint: "See: thv proxy --help" });
  const access = readAccess(input);
  const { terminal } = context;
  const log = {
    error: terminalLog(context),
    warn: terminalLog(context),
    info: () => undefined,
    debug: () => undefined,
  };
  const config = openConfig(context);
  const headers = await readForwardedHeaders(members, (references) =>
    openSecrets(config, log, context).resolve(references),
  );
  const ca = await readTrusted((await config.load()).ca_certificate_path, context.env);
  await using authorization = await openRemoteAuth(
    target,
    input,
    { log, send: createRoutedFetch(async () => ca) },
    context,
  );
  context.signal.throwIfAborted();
  // With a path it is one MCP server, as of thv run URL; without one everything of a host is offered.
  const isServer = target.pathname !== "/" || target.search !== "";
  const onHealth = (isHealthy: boolean, reason: string) => {
    terminal.info(
      isHealthy ? `${name}: ${target.origin} answers.` : `${name}: ${target.origin} does not answer: ${reason}`,
    );
  };
  await using endpoint = await HttpEndpoint.open({
    name,
    host,
    port,
    allowedHosts,
    allowedOrigins: readPageOrigins(input.allowedOrigin),
    transport: isServer ? guessRemoteTransport(target.href) : "any",
    isRemote: isServer,
    ...(access && { access }),
    onHealth,
    version: versionInfo(),
    log,
  });
  let wasHealthy: boolean | undefined;
  using watch = isServer
    ? new RemoteWatch({
        probe: (signal) => endpoint.probe(signal),
        onResult: (problem) => {
          if (wasHealthy === (problem === undefined)) return;
          wasHealthy = problem === undefined;
          onHealth(wasHealthy, [problem?.message, problem?.hint].filter(Boolean).join(" "));
        },
      })
    : undefined;
  endpoint.connect({
    host: target.hostname.replace(/^\[|\]$/g, ""),
    port: portNumber(target),
    remote: {
      url: target,
      authorization,
      headers,
      ca,
      isTransparent: !isServer,
      onOutcome: (problem) => watch?.notice(problem),
    },
  });
  if (watch) void watch.start();
  terminal.print(`${name} is offered at http://${formatUrlHost(host)}:${endpoint.port}`);
  terminal.info("Press Ctrl-C to stop.");
  await waitForAbort(context.signal);
};

async function openRemoteAuth(
  target: URL,
  input: ProxyInput,
  means: { readonly log: Logger; readonly send: typeof fetch },
  context: CommandContext,
): Promise<RemoteAuthorization> {
  const [name] = input.positionals;
  const issuer = input.remoteAuthIssuer || undefined;
  const clientId = input.remoteAuthClientId || undefined;
  const isForced = input.remoteAuth || issuer !== undefined;
  const bearerToken = await readBearerToken(input, context);
  if (bearerToken !== undefined) return new BearerGrant({ name, server: target, read: async () => bearerToken });
  const clientSecret = await readClientSecret(input, context);
  if (!isForced && clientId === undefined) {
    if (clientSecret === undefined || !input.isGiven("remoteAuthClientSecretFile")) return new NoSignIn(name);
    throw new ThvError("USAGE", "A client secret is given, but no --remote-auth-client-id that it belongs to.");
  }
  const timeoutMs = input.remoteAuthTimeout;
  const request = {
    name,
    server: target,
    isForced,
    issuer,
    authorizeUrl: input.remoteAuthAuthorizeUrl || undefined,
    tokenUrl: input.remoteAuthTokenUrl || undefined,
    resource: input.remoteAuthResource || undefined,
    clientId,
    clientSecret,
    scopes: input.isGiven("remoteAuthScopes") ? input.remoteAuthScopes : undefined,
    defaultScopes: input.remoteAuthScopes,
    opensBrowser: !input.remoteAuthSkipBrowser,
    timeoutMs: timeoutMs > 0 ? timeoutMs : LONG_TIMEOUT_MS,
    callbackPort: input.remoteAuthCallbackPort,
    ...means,
  };
  return await (await import("./sign-in.ts")).signIn(request, context);
}

function openSecrets(config: ConfigFile, log: Logger, { env }: CommandContext): SecretManager {
  const { directories } = supervisorFiles(env);
  return new SecretManager({ settings: createSecretSettings(config), dataDirectory: directories.data, env, log });
}

async function readBearerToken(input: ProxyInput, { terminal }: CommandContext): Promise<string | undefined> {
  const file = input.remoteAuthBearerTokenFile;
  if (input.remoteAuthBearerToken || file === undefined) return input.remoteAuthBearerToken || undefined;
  const text = (await readTextFile(file, terminal)).trim();
  if (text === "") throw new ThvError("INVALID_ARGUMENT", `${file} is empty but must contain the token.`);
  return text;
}

/** The flag, then the file, then the variable. */
async function readClientSecret(input: ProxyInput, { env, terminal }: CommandContext): Promise<string | undefined> {
  const flag = input.remoteAuthClientSecret;
  if (flag) return flag;
  const file = input.remoteAuthClientSecretFile;
  if (file === undefined) return env[SECRET_VARIABLE] || undefined;
  const text = (await readTextFile(file, terminal)).trim();
  if (text === "") throw new ThvError("INVALID_ARGUMENT", `${file} is empty but must contain the client secret.`);
  return text;
}

/** @throws {ThvError} `USAGE`. */
function parseTargetUri(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !["http:", "https:"].includes(url.protocol)) {
    throw new ThvError("USAGE", `--target-uri is "${text}" but must begin with http:// or https://.`);
  }
  if (url.username || url.password) throw new ThvError("USAGE", "--target-uri must not hold a password.");
  return url;
}

function portNumber({ port, protocol }: URL): number {
  if (port !== "") return Number(port);
  return protocol === "https:" ? 443 : 80;
}

function readAccess(input: ProxyInput): AccessConfig | undefined {
  const members = {
    Issuer: input.oidcIssuer || undefined,
    Audience: input.oidcAudience || undefined,
    JWKSURL: input.oidcJwksUrl || undefined,
    ClientID: input.oidcClientId || undefined,
    AllowOpaqueTokens: input.oidcSkipOpaqueTokenValidation || undefined,
    CACertPath: input.thvCaBundle || undefined,
    AuthTokenFile: input.jwksAuthTokenFile || undefined,
    AllowPrivateIP: input.jwksAllowPrivateIp || undefined,
  };
  const given = Object.entries(members).filter(([, value]) => value !== undefined);
  return given.length === 0 ? undefined : { oidc_config: Object.fromEntries(given) };
}

function terminalLog({ terminal }: CommandContext) {
  return (fields: object, message: string) => {
    const error = "error" in fields ? fields.error : undefined;
    const reason = error instanceof Error ? error.message : error;
    terminal.info(reason === undefined ? message : `${message}: ${String(reason)}`);
  };
}
