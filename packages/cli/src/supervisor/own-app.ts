/** The application of the browser, as the supervisor serves it: from the pack beside the program, or inside a single file. */
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { type ApiServer, AppFiles, type AppSessions, type ServedApp } from "@toolhive/api";
import { hasCode, readSystemCode, ThvError } from "@toolhive/core";
import { formatLocalAuthority } from "@toolhive/http";
import { findProgram, resolveProgram } from "../installation/find-installation.ts";

const PACK = "app.pack";
const HOST = "127.0.0.1";
/** One that stays the same, because an installed application and bookmarks have it in their address. */
const DEFAULT_PORT = 8484;

/** @returns The files of this program's application, read with the first request. */
export async function findAppFiles(): Promise<AppFiles> {
  const program = findProgram();
  const folder = dirname(await resolveProgram(program));
  return new AppFiles(() => (program.isSingleFile ? readAsset() : readPack(join(folder, PACK))));
}

function readAsset(): Buffer {
  return Buffer.from(process.getBuiltinModule("node:sea").getRawAsset(PACK) as ArrayBuffer);
}

/** @throws {ThvError} `NOT_SUPPORTED` where the program was built without it. */
function readPack(path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (error) {
    if (readSystemCode(error) !== "ENOENT") throw error;
    throw new ThvError("NOT_SUPPORTED", `This thv was built without its web application: ${path} is missing.`, {
      hint: "Install thv again, or build it: npm run build -w @toolhive/cli",
    });
  }
}

interface OwnAppOptions {
  readonly files: Pick<AppFiles, "check">;
  readonly sessions: AppSessions;
  /** The address of the API for programs, where it requires no token. Browsers open no address that stands for all of them. */
  readonly openAddress: string | undefined;
  readonly api: Pick<ApiServer, "listenOnPort">;
}

/** Listens on a port of its own, where browsers have to sign in, unless the API is open to everybody anyway. */
export class OwnApp implements ServedApp {
  readonly sessions: AppSessions;
  readonly #openAddress: string | undefined;
  readonly #files: OwnAppOptions["files"];
  readonly #api: OwnAppOptions["api"];
  /** Where it listens; a port stays open until the process ends. */
  readonly #ports = new Set<number>();
  /** Of these, the last one that somebody asked for. */
  #port: number | undefined;

  constructor({ files, sessions, openAddress, api }: OwnAppOptions) {
    this.#files = files;
    this.sessions = sessions;
    this.#openAddress = openAddress;
    this.#api = api;
  }

  /**
   * Serves signed-in browsers again, at each port where one of them expects it. Another program on such a port may have received
   * what its browsers send, and a port that cannot be opened may soon belong to any program: the sessions of that port end. The
   * next `thv ui` shows the problem.
   */
  async reopen(): Promise<void> {
    // The default port of `open` is last: it is the one that stays.
    const { port: usual, ports } = this.sessions;
    for (const port of [...ports.filter((each) => each !== usual), ...(usual === undefined ? [] : [usual])]) {
      await this.open(port).catch(async () => await this.sessions.signOutAt(port).catch(() => undefined));
    }
  }

  async open(port?: number): Promise<Awaited<ReturnType<ServedApp["open"]>>> {
    this.#files.check();
    if (this.#openAddress !== undefined && (port === undefined || this.#openAddress.endsWith(`:${port}`))) {
      const open = new URL(this.#openAddress);
      const openPort = Number(open.port || 80);
      return { address: `http://${formatLocalAuthority(open.hostname, openPort)}/`, port: openPort, isOpenToAll: true };
    }
    const wanted = port ?? this.#port;
    this.#port = wanted !== undefined && this.#ports.has(wanted) ? wanted : await this.#listen(wanted);
    this.#ports.add(this.#port);
    return { address: `http://${HOST}:${this.#port}/`, port: this.#port, isOpenToAll: false };
  }

  async #listen(wanted: number | undefined): Promise<number> {
    const listen = async (port: number) => {
      let actual = port;
      const verify = async (authorization: string | undefined) => await this.sessions.verify(authorization, actual);
      actual = await this.#api.listenOnPort(HOST, port, { hosts: [], origins: [] }, { verify });
      return actual;
    };
    if (wanted !== undefined) return await listen(wanted);
    try {
      return await listen(this.sessions.port ?? DEFAULT_PORT);
    } catch (error) {
      if (hasCode(error, "PORT_IN_USE")) return await listen(0);
      throw error;
    }
  }
}
