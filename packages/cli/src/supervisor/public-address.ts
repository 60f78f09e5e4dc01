/** Where the API of `thv serve` answers: a port of this machine, or a socket in its place. */
import { lstat, rm } from "node:fs/promises";
import { connect } from "node:net";
import { dirname, resolve } from "node:path";
import { type ApiServer, readOrigin } from "@toolhive/api";
import { BRAND, systemCodeOf, ThvError, type TokenVerifier } from "@toolhive/core";
import { makeDirectory } from "@toolhive/core/make-directory";
import type { ParsedInput } from "../command-line/parse.ts";
import { describePortOwner } from "./port-owner.ts";

/** What systems allow as the name of a socket; macOS has room for four less than Linux. */
const MAX_SOCKET_BYTES = 103;

/** @throws {ThvError} `USAGE` for flags that can name no address, before anything is done. */
export function checkAddressFlags(input: ParsedInput): void {
  readOrigins(input.strings("allowed-origin"));
  readPort(input);
  const socket = input.string("socket");
  if (!socket || isPipe(socket)) return;
  const bytes = Buffer.byteLength(resolve(socket));
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

function readPort(input: ParsedInput): number {
  const port = input.int("port") ?? 8080;
  if (port >= 0 && port <= 65535) return port;
  throw new ThvError("USAGE", `--port is "${port}", but has to be between 0 and 65535.`);
}

/** @returns The API's address: `http://…`, or `unix:` and a path. @throws {ThvError} `USAGE`, `PORT_IN_USE`, `INVALID_ARGUMENT`. */
export async function listenForPrograms(
  api: ApiServer,
  input: ParsedInput,
  tokens: TokenVerifier | undefined,
): Promise<string> {
  const origins = readOrigins(input.strings("allowed-origin"));
  const socket = input.string("socket");
  if (!socket) return await listenOnPort(api, input, origins, tokens);
  const path = isPipe(socket) ? socket : resolve(socket);
  await makePlaceFor(path);
  await api.listenOnPath(path, tokens);
  return `unix:${path}`;
}

function readOrigins(texts: readonly string[]): string[] {
  return texts.map((text) => {
    const origin = readOrigin(text);
    if (origin !== undefined) return origin;
    throw new ThvError("USAGE", `--allowed-origin is "${text}", but has to be an origin.`, {
      hint: "An origin has no path and no wildcard: http://localhost:5173, null for a page from a file, or file://.",
    });
  });
}

async function listenOnPort(
  api: ApiServer,
  input: ParsedInput,
  allowed: readonly string[],
  tokens: TokenVerifier | undefined,
): Promise<string> {
  const host = input.string("host") ?? "127.0.0.1";
  const port = readPort(input);
  const origins = [BRAND.siteUrl, BRAND.siteUrl.replace("localhost", "127.0.0.1"), ...allowed];
  try {
    const actual = await api.listenOnPort(host, port, { hosts: [host.toLowerCase()], origins }, tokens);
    return `http://${host}:${actual}`;
  } catch (error) {
    if (!(error instanceof ThvError) || error.code !== "PORT_IN_USE" || error.hint) throw error;
    const owner = await describePortOwner(port);
    throw new ThvError("PORT_IN_USE", `Port ${port} on ${host} is in use${owner ? ` by ${owner}` : ""}.`, {
      hint: `Choose another port: thv serve --port ${port === 65535 ? 8080 : port + 1}`,
      cause: error,
    });
  }
}

function isPipe(path: string): boolean {
  return process.platform === "win32" && /^\\\\[.?]\\pipe\\/i.test(path);
}

/** Removes the socket of a program that has ended. @throws {ThvError} when something else is there. */
async function makePlaceFor(path: string): Promise<void> {
  if (isPipe(path)) return;
  await makeDirectory(dirname(path));
  const found = await lstat(path).catch((error: unknown) => {
    if (systemCodeOf(error) === "ENOENT") return undefined;
    throw error;
  });
  if (found === undefined) return;
  if (!found.isSocket())
    throw new ThvError("USAGE", `--socket is ${path}, where a file is that is no socket.`, {
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
