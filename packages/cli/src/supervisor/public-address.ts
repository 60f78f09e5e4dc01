/** Where the API of `thv serve` answers: a port of this machine, or a socket in its place; and whose tokens it accepts there. */
import { lstat, mkdir, rm } from "node:fs/promises";
import { connect } from "node:net";
import { dirname } from "node:path";
import { type ApiServer, readOrigin } from "@toolhive/api";
import { BRAND, hasCode, readSystemCode, ThvError, TokenVerifier } from "@toolhive/core";
import { makeDirectory } from "@toolhive/core/make-directory";
import { formatUrlHost, normalizeHost } from "@toolhive/http";
import type { CommandContext } from "../command-line/command.ts";
import { describePortOwner } from "./port-owner.ts";

/** What systems allow as the name of a socket; macOS has room for four less than Linux. */
const MAX_SOCKET_BYTES = 103;

/** Of pages from files, among them those of desktop applications; a frame without an origin of its own sends `null`, too. */
const FILE_ORIGINS = ["null", "file://"];

export interface AddressOptions {
  readonly host: string;
  /** 0 is any free port. */
  readonly port: number;
  /** Absolute path, or a named pipe on Windows, that replaces the port. */
  readonly socket: string | undefined;
  /** Origins of web pages, as they were written. */
  readonly allowedOrigin: readonly string[];
}

export interface TokenOptions {
  readonly oidcIssuer: string | undefined;
  readonly oidcAudience: string | undefined;
  readonly oidcJwksUrl: string | undefined;
  readonly oidcClientId: string | undefined;
  readonly oidcSkipOpaqueTokenValidation: boolean;
}

/** @throws {ThvError} `USAGE` for flags that can name no address, before anything is done. */
export function checkAddressFlags(
  { allowedOrigin, socket }: Pick<AddressOptions, "allowedOrigin" | "socket">,
  platform: NodeJS.Platform = process.platform,
): void {
  readOrigins(allowedOrigin);
  if (!socket || isPipe(socket, platform)) return;
  if (platform === "win32") {
    throw new ThvError("USAGE", `--socket is "${socket}", but on Windows it has to be a named pipe.`, {
      hint: "Give it a name of this form: \\\\.\\pipe\\my-toolhive",
    });
  }
  const bytes = Buffer.byteLength(socket);
  if (bytes > MAX_SOCKET_BYTES) {
    throw new ThvError(
      "USAGE",
      `--socket is a path of ${bytes} bytes, but systems allow at most ${MAX_SOCKET_BYTES}.`,
      {
        hint: "Choose a shorter one.",
      },
    );
  }
}

/** @returns The API's address: `http://…`, or `unix:` and a path. @throws {ThvError} `USAGE`, `PORT_IN_USE`, `INVALID_ARGUMENT`. */
export async function listenForPrograms(
  api: Pick<ApiServer, "listenOnPath" | "listenOnPort">,
  options: AddressOptions,
  tokens: TokenVerifier | undefined,
): Promise<string> {
  const { socket } = options;
  const origins = readOrigins(options.allowedOrigin);
  if (!socket) return await listenOnPort(api, options, origins, tokens);
  await makePlaceFor(socket);
  await api.listenOnPath(socket, tokens);
  return `unix:${socket}`;
}

/**
 * Pages that may call the endpoints of servers: those with a web address, which no other page has.
 *
 * @throws {ThvError} `USAGE`.
 */
export function readPageOrigins(texts: readonly string[]): string[] {
  return readOrigins(texts).filter((origin) => /^https?:/.test(origin));
}

function readOrigins(texts: readonly string[]): string[] {
  return texts.map((text) => {
    const origin = readOrigin(text);
    if (origin !== undefined) return origin;
    throw new ThvError("USAGE", `--allowed-origin is "${text}" but must be an origin.`, {
      hint: "An origin has no path and no wildcard: http://localhost:5173, null for a page from a file, or file://.",
    });
  });
}

async function listenOnPort(
  api: Pick<ApiServer, "listenOnPort">,
  { host: given, port }: AddressOptions,
  allowed: readonly string[],
  tokens: TokenVerifier | undefined,
): Promise<string> {
  const host = normalizeHost(given);
  // With a token that no other page can have, it does not matter from which file a page is.
  const files = tokens === undefined ? [] : FILE_ORIGINS;
  const origins = [BRAND.siteUrl, BRAND.siteUrl.replace("localhost", "127.0.0.1"), ...files, ...allowed];
  try {
    const actual = await api.listenOnPort(host, port, { hosts: [host], origins }, tokens);
    return `http://${formatUrlHost(host)}:${actual}`;
  } catch (error) {
    if (!hasCode(error, "PORT_IN_USE") || error.hint) throw error;
    const owner = await describePortOwner(port);
    throw new ThvError("PORT_IN_USE", `Port ${port} on ${host} is in use${owner ? ` by ${owner}` : ""}.`, {
      hint: `Choose another port: thv serve --port ${port === 65535 ? 8080 : port + 1}`,
      cause: error,
    });
  }
}

function isPipe(path: string, platform: NodeJS.Platform = process.platform): boolean {
  return platform === "win32" && /^\\\\[.?]\\pipe\\/i.test(path);
}

/** Removes the socket of a program that has ended. @throws {ThvError} when the path is anything else. */
async function makePlaceFor(path: string): Promise<void> {
  if (isPipe(path)) return;
  await makeDirectory(dirname(path));
  const found = await lstat(path).catch((error: unknown) => {
    if (readSystemCode(error) === "ENOENT") return undefined;
    throw error;
  });
  if (found === undefined) return;
  if (!found.isSocket())
    throw new ThvError("USAGE", `--socket is ${path}, but a file that is not a socket exists there.`, {
      hint: "Choose another path, or remove the file.",
    });
  if (await answers(path)) {
    throw new ThvError("PORT_IN_USE", `Another program listens on ${path}.`, { hint: "Choose another --socket." });
  }
  await rm(path, { force: true });
}

async function answers(path: string): Promise<boolean> {
  return await new Promise((done) => {
    const socket = connect(path);
    const finish = (isThere: boolean): void => {
      socket.destroy();
      done(isThere);
    };
    socket.once("connect", () => finish(true)).once("error", () => finish(false));
  });
}

/** @returns `undefined` when no OIDC flag is given: then the API needs no token. */
export async function openTokens(
  options: TokenOptions,
  { terminal }: Pick<CommandContext, "terminal">,
): Promise<TokenVerifier | undefined> {
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

/** For commands of this user only. @param socket Path, or on Windows a named pipe. */
export async function listenOnSocket(api: ApiServer, socket: string): Promise<void> {
  if (process.platform !== "win32") {
    await mkdir(dirname(socket), { recursive: true, mode: 0o700 });
    // We hold the lock, so an existing file was left by a supervisor that was killed.
    await rm(socket, { force: true });
  }
  await api.listenOnSocket(socket);
}
