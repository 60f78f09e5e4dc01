/**
 * Replicas of a server that speaks HTTP and keeps its own sessions. The id that a client receives contains the replica of the
 * session and its owner, sealed with a key that all proxies of the server share: each proxy finds the replica, and none remembers
 * anything.
 */
import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { connect } from "node:net";
import { describeError } from "@toolhive/core/errors";
import { createUnknownSession, HttpRefusal, readHeader, SESSION_HEADER } from "../http/http-exchange.ts";
import { RPC_ERRORS } from "../messages/json-rpc.ts";
import type { ReplicaOptions } from "../options/replica-options.ts";
import type { Route } from "./exchange/forward.ts";

/** Of an address for posting, in place of the server's own parameters. */
export const SESSION_PARAMETER = "session";
/** Bytes of the key, of what makes each seal different, and of what shows a change (AES-256-GCM). */
export const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
/** Characters of a server's own id or address for posting, and of a sealed one. */
const MAX_OWN = 2_048;
const MAX_SEALED = 4_096;
/** Milliseconds for which addresses count: a replica that goes is given no new session after that. */
const ADDRESSES_MS = 1_000;

/** Milliseconds for which a connection that was made says that the next one will be, and that one may need. */
const REACHED_MS = 1_000;
const CONNECT_MS = 1_000;
/** Milliseconds for the first replica, where none answered in that time. */
const PATIENCE_MS = 5_000;

/** `closed`: nothing listens there, or no machine has the address. `late`: the machine did not answer in time. */
type Reach = "open" | "closed" | "late";

export class Replicas {
  readonly #options: ReplicaOptions;
  readonly #now: () => number;
  #addresses: readonly string[] = [];
  #readAt = Number.NEGATIVE_INFINITY;
  #reading: Promise<readonly string[]> | undefined;
  /** How an address answered last. */
  readonly #attempts = new Map<string, { readonly at: number; readonly found: Promise<Reach> }>();
  #turn = 0;

  constructor(options: ReplicaOptions, now: () => number) {
    if (options.key.length !== KEY_BYTES) throw new RangeError(`A key of sessions has ${KEY_BYTES} bytes.`);
    this.#options = options;
    this.#now = now;
  }

  /**
   * @param port Of every replica.
   * @param caller The id of the caller; a session of another one is unknown.
   * @throws {HttpRefusal} 404 for a session that is unknown, or whose replica has ended; 502 when there is no replica.
   */
  async route(
    request: IncomingMessage,
    {
      transport,
      port,
      caller,
    }: { readonly transport: "sse" | "streamable-http"; readonly port: number; readonly caller: string },
  ): Promise<Route> {
    if (transport === "streamable-http") {
      const sealed = readHeader(request, SESSION_HEADER);
      if (sealed === undefined) return { address: await this.#choose(port) };
      const { address, own } = this.#unseal(sealed, caller);
      return { address: await this.#confirm(address, port), sessionId: own };
    }
    if (request.method !== "POST") return { address: await this.#choose(port) };
    const { searchParams } = new URL(request.url ?? "", "http://localhost");
    const { address, own } = this.#unseal(searchParams.get(SESSION_PARAMETER) ?? "", caller);
    return { address: await this.#confirm(address, port), url: own };
  }

  /** @param own The server's id. @returns The client's. @throws {RangeError} For an id that is longer than any server's. */
  sealId(own: string, address: string, caller: string): string {
    return this.#seal(own, address, caller);
  }

  /** @param own Where the server wants to be posted to. @returns The same path, with everything else sealed. */
  sealPostAddress(own: string, address: string, caller: string): string {
    const { pathname, search } = new URL(own, "http://localhost/sse");
    return `${pathname}?${SESSION_PARAMETER}=${this.#seal(pathname + search, address, caller)}`;
  }

  #seal(own: string, address: string, caller: string): string {
    if (own.length > MAX_OWN) throw new RangeError("The server's id of the session is too long.");
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv("aes-256-gcm", this.#options.key, nonce, { authTagLength: TAG_BYTES });
    cipher.setAAD(this.#describe(caller));
    const text = Buffer.concat([cipher.update(`${address} ${own}`, "utf8"), cipher.final()]);
    return Buffer.concat([nonce, cipher.getAuthTag(), text]).toString("base64url");
  }

  #unseal(sealed: string, caller: string): { readonly address: string; readonly own: string } {
    try {
      if (sealed.length > MAX_SEALED) throw new RangeError("It is longer than any that was given out.");
      const bytes = Buffer.from(sealed, "base64url");
      // Other spellings of the same bytes were not given out.
      if (bytes.toString("base64url") !== sealed) throw new RangeError("It is spelled in another way.");
      const nonce = bytes.subarray(0, NONCE_BYTES);
      const decipher = createDecipheriv("aes-256-gcm", this.#options.key, nonce, { authTagLength: TAG_BYTES });
      decipher.setAAD(this.#describe(caller));
      decipher.setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
      const text = decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES), undefined, "utf8") + decipher.final("utf8");
      const space = text.indexOf(" ");
      return { address: text.slice(0, space), own: text.slice(space + 1) };
    } catch {
      throw createUnknownSession();
    }
  }

  #describe(caller: string): Buffer {
    return Buffer.from(JSON.stringify([this.#options.scope, caller]));
  }

  /** In turn. A name server may still give the address of a replica that has ended. */
  async #choose(port: number): Promise<string> {
    const addresses = await this.#read();
    for (let tried = 0; tried < addresses.length; tried += 1) {
      const address = addresses[this.#turn % addresses.length] ?? "";
      this.#turn += 1;
      if ((await this.#reach(address, port)) === "open") return address;
    }
    // A machine that is busy answers later than that: the first one gets it.
    const first = await findFirst(addresses, port);
    if (first !== undefined) return first;
    const headers = { "retry-after": "1" };
    throw new HttpRefusal(502, RPC_ERRORS.SERVER_UNAVAILABLE, "No replica of the server is running.", { headers });
  }

  /** An address may have become somebody else's since the session began. */
  async #confirm(address: string, port: number): Promise<string> {
    if ((await this.#read()).includes(address) && (await this.#reach(address, port)) !== "closed") return address;
    throw createUnknownSession();
  }

  async #reach(address: string, port: number): Promise<Reach> {
    const known = this.#attempts.get(address);
    if (known !== undefined && this.#now() - known.at < REACHED_MS) return await known.found;
    const found = tryConnection(address, port);
    this.#attempts.set(address, { at: this.#now(), found });
    return await found;
  }

  async #read(): Promise<readonly string[]> {
    if (this.#now() - this.#readAt < ADDRESSES_MS) return this.#addresses;
    this.#reading ??= this.#options
      .resolve()
      .then((addresses) => {
        this.#addresses = [...addresses].sort();
        for (const address of [...this.#attempts.keys()])
          if (!addresses.includes(address)) this.#attempts.delete(address);
        this.#readAt = this.#now();
        return this.#addresses;
      })
      .catch((error: unknown) => {
        const reason = `The replicas of the server cannot be found: ${describeError(error)}.`;
        throw new HttpRefusal(502, RPC_ERRORS.SERVER_UNAVAILABLE, reason, { headers: { "retry-after": "1" } });
      })
      .finally(() => {
        this.#reading = undefined;
      });
    return await this.#reading;
  }
}

async function findFirst(addresses: readonly string[], port: number): Promise<string | undefined> {
  const tries = addresses.map(async (address) => {
    if ((await tryConnection(address, port, PATIENCE_MS)) === "open") return address;
    throw new Error(`${address} accepts no connection`);
  });
  return await Promise.any(tries).catch(() => undefined);
}

async function tryConnection(host: string, port: number, timeout = CONNECT_MS): Promise<Reach> {
  return await new Promise((resolve) => {
    const socket = connect({ host, port, timeout });
    const settle = (found: Reach): void => {
      socket.destroy();
      resolve(found);
    };
    socket
      .once("connect", () => settle("open"))
      .once("error", () => settle("closed"))
      // After a pause of this process both may be due: data that has arrived counts first.
      .once("timeout", () => setImmediate(settle, "late"));
  });
}
