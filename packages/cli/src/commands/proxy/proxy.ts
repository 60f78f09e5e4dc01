/** `thv proxy`: one endpoint in the foreground, in front of a server that is not ours. */
import { once } from "node:events";
import { type AccessConfig, type Logger, NoSignIn, type RemoteAuthorization } from "@toolhive/core";
import { readAllowedHosts } from "@toolhive/core/allowed-hosts";
import { ThvError } from "@toolhive/core/errors";
import { HttpEndpoint } from "@toolhive/proxy";
import type { CommandContext, CommandHandler } from "../../command-line/command.ts";
import type { Input } from "../../command-line/input.ts";
import { versionInfo } from "../../command-line/version-info.ts";
import { readTextFile } from "../../terminal/input.ts";
import type { PROXY } from "./definition.ts";

type ProxyInput = Input<typeof PROXY>;

const SECRET_VARIABLE = "TOOLHIVE_REMOTE_OAUTH_CLIENT_SECRET";
/** cli.md 3.2: what a timeout of 0 or less means. */
const LONG_TIMEOUT_MS = 5 * 60_000;

export const proxy: CommandHandler<typeof PROXY> = async (input, context) => {
  const [name] = input.positionals;
  const target = parseTarget(input.targetUri);
  const { host, port = 0 } = input;
  const problems: string[] = [];
  const allowedHosts = readAllowedHosts(input.allowedHost, problems);
  if (problems.length > 0) throw new ThvError("USAGE", `${problems.join("; ")}.`, { hint: "See: thv proxy --help" });
  const access = accessOf(input);
  const { terminal } = context;
  const log = {
    error: terminalLog(context),
    warn: terminalLog(context),
    info: () => undefined,
    debug: () => undefined,
  };
  await using authorization = await openRemoteAuth(target, input, log, context);
  context.signal.throwIfAborted();
  await using endpoint = await HttpEndpoint.open({
    name,
    host,
    port,
    allowedHosts,
    transport: "any",
    ...(access && { access }),
    onHealth: (isHealthy, reason) => {
      terminal.info(
        isHealthy ? `${name}: ${target.origin} answers.` : `${name}: ${target.origin} does not answer: ${reason}`,
      );
    },
    version: versionInfo(),
    log,
  });
  endpoint.connect({
    host: target.hostname.replace(/^\[|\]$/g, ""),
    port: portNumber(target),
    remote: { url: target, authorization, isTransparent: true },
  });
  terminal.print(`${name} is offered at http://${host.includes(":") ? `[${host}]` : host}:${endpoint.port}`);
  terminal.info("Press Ctrl-C to stop.");
  if (!context.signal.aborted) await once(context.signal, "abort");
};

async function openRemoteAuth(
  target: URL,
  input: ProxyInput,
  log: Logger,
  context: CommandContext,
): Promise<RemoteAuthorization> {
  const [name] = input.positionals;
  const issuer = input.remoteAuthIssuer || undefined;
  const clientId = input.remoteAuthClientId || undefined;
  const isForced = input.remoteAuth || issuer !== undefined;
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
    clientId,
    clientSecret,
    scopes: input.isGiven("remoteAuthScopes") ? input.remoteAuthScopes : undefined,
    defaultScopes: input.remoteAuthScopes,
    opensBrowser: !input.remoteAuthSkipBrowser,
    timeoutMs: timeoutMs > 0 ? timeoutMs : LONG_TIMEOUT_MS,
    callbackPort: input.remoteAuthCallbackPort,
    log,
  };
  return await (await import("./sign-in.ts")).signIn(request, context);
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
function parseTarget(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !["http:", "https:"].includes(url.protocol)) {
    throw new ThvError("USAGE", `--target-uri is "${text}" but must begin with http:// or https://.`);
  }
  if (url.username || url.password) throw new ThvError("USAGE", "--target-uri must not hold a password.");
  if (url.pathname !== "/" || url.search !== "") {
    throw new ThvError("USAGE", `--target-uri has the path "${url.pathname}${url.search}", and takes none.`, {
      hint: `Clients' paths are handed on: --target-uri ${url.origin}, and give clients the path.`,
    });
  }
  return url;
}

function portNumber({ port, protocol }: URL): number {
  if (port !== "") return Number(port);
  return protocol === "https:" ? 443 : 80;
}

function accessOf(input: ProxyInput): AccessConfig | undefined {
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
