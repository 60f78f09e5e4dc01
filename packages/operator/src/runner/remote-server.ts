/** The server elsewhere that a proxy serves: its address, its secrets, and whether it answers. */
import { readFile } from "node:fs/promises";
import type { IncomingMessage, ServerResponse } from "node:http";
import { join } from "node:path";
import {
  BearerGrant,
  ClientCredentialsGrant,
  createRoutedFetch,
  type HttpConnection,
  NoSignIn,
  type RemoteAuthorization,
  readForwardedHeaders,
} from "@toolhive/core";
import { describeError, ThvError } from "@toolhive/core/errors";
import {
  REMOTE_FILES,
  REMOTE_FOLDER,
  REMOTE_REPORT_PATH,
  type RemoteFailure,
  type RemoteReport,
  type RunnerConfig,
} from "../contract/index.ts";

type RemoteConfig = NonNullable<RunnerConfig["remote"]>;

/** Characters of a secret; headers are bounded further. */
const MAX_SECRET = 64 * 1024;
const HINT = "Look at the MCPRemoteProxy's conditions: kubectl describe mcpremoteproxy NAME";

/**
 * Reads all secrets once, except those that are read again when the server refuses them.
 *
 * @param folder Default: where the operator mounts the secrets.
 * @throws {ThvError} `CONFIG_INVALID`, `INVALID_ARGUMENT`.
 */
export async function openRemote(
  name: string,
  remote: RemoteConfig,
  folder: string = REMOTE_FOLDER,
): Promise<HttpConnection & { readonly remote: NonNullable<HttpConnection["remote"]> }> {
  const url = new URL(remote.url);
  const read = (file: string) => readSecretFile(join(folder, file));
  const members = {
    header_forward: { add_plaintext_headers: remote.headers, add_headers_from_secret: remote.secret_headers },
  };
  const headers = await readForwardedHeaders(members, async (references) => {
    const values = references.map(async ({ name: file, target = "" }) => [target, await read(file)] as const);
    return Object.fromEntries(await Promise.all(values));
  });
  const ca = remote.has_ca ? await read(REMOTE_FILES.ca) : undefined;
  const authorization = openAuthorization(name, url, remote, { read, ca });
  const isSecure = url.protocol === "https:";
  return {
    host: url.hostname.replace(/^\[|\]$/g, ""),
    port: Number(url.port) || (isSecure ? 443 : 80),
    remote: { url, authorization, headers, ca },
  };
}

function openAuthorization(
  name: string,
  server: URL,
  { has_bearer_token: hasToken, client_credentials: client }: RemoteConfig,
  { read, ca }: { readonly read: (file: string) => Promise<string>; readonly ca: string | undefined },
): RemoteAuthorization {
  if (hasToken) return new BearerGrant({ name, server, read: () => read(REMOTE_FILES.bearerToken) });
  if (client === undefined) return new NoSignIn(name, "Set spec.auth of the MCPRemoteProxy.");
  return new ClientCredentialsGrant({
    name,
    server,
    clientId: client.client_id,
    issuer: client.issuer,
    tokenUrl: client.token_url,
    scopes: client.scopes,
    resource: client.resource,
    readClientSecret: () => read(REMOTE_FILES.clientSecret),
    send: createRoutedFetch(async () => ca),
  });
}

/** @throws {ThvError} `CONFIG_INVALID`. */
async function readSecretFile(path: string): Promise<string> {
  const text = await readFile(path, "utf8").catch((error: unknown) => {
    throw new ThvError("CONFIG_INVALID", `${path} cannot be read: ${describeError(error)}`, {
      hint: HINT,
      cause: error,
    });
  });
  if (text.length > MAX_SECRET) throw new ThvError("CONFIG_INVALID", `${path} is larger than 64 KiB.`, { hint: HINT });
  // A Secret that was made from a file has the file's last line feed in it.
  return text.trimEnd();
}

/** What the proxy reports to the operator: whether the server answers, and why not. */
export class RemoteState {
  #report: RemoteReport = { isReady: false };

  get report(): RemoteReport {
    return this.#report;
  }

  set(problem: ThvError | undefined): void {
    this.#report = problem
      ? { isReady: false, problem: { reason: readReason(problem), message: problem.message.slice(0, 600) } }
      : { isReady: true };
  }

  /** Answers the operator; no secret is in what it learns. @returns Whether it does. */
  answer(request: IncomingMessage, response: ServerResponse): boolean {
    if (request.url !== REMOTE_REPORT_PATH) return false;
    request.resume();
    const text = JSON.stringify(this.#report);
    response.writeHead(200, { "content-type": "application/json", "content-length": Buffer.byteLength(text) });
    response.end(text);
    return true;
  }
}

function readReason({ code }: ThvError): RemoteFailure {
  if (code === "UNAUTHENTICATED") return "SignInRefused";
  return code === "ISSUER_UNAVAILABLE" ? "TokensUnavailable" : "RemoteUnreachable";
}
