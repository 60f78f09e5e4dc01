/**
 * Addresses of a server's pods. Resolvers on the way remember for up to half a minute that a name without pods does not exist, or
 * where the pod before was; the operator sees a new pod at once.
 */
import { type LookupAddress, lookup as lookupName } from "node:dns";
import { isIPv6, type LookupFunction } from "node:net";

/** Milliseconds for which the operator's addresses count; it repeats them at least every 30 s. */
const REPORTED_MS = 60_000;

export class ServerAddresses {
  readonly #host: string;
  #reported: readonly LookupAddress[] = [];
  #reportedAt = 0;

  /** @param host Name of the Service of the server's pods. */
  constructor(host: string) {
    this.#host = host;
  }

  /** Takes the addresses that the operator sees. */
  report(addresses: readonly string[]): void {
    this.#reportedAt = performance.now();
    this.#reported = addresses.map((address) => ({ address, family: isIPv6(address) ? 6 : 4 }));
  }

  /** Of all ready pods; empty where the resolver knows none. @throws When the resolver fails in another way. */
  async list(): Promise<readonly string[]> {
    return await new Promise((resolve, reject) => {
      this.lookup(this.#host, { all: true }, (error, found) => {
        // A Service without pods that are ready has no address.
        if (error && error.code !== "ENOTFOUND") reject(error);
        else resolve(error ? [] : (found as LookupAddress[]).map(({ address }) => address));
      });
    });
  }

  readonly lookup: LookupFunction = (host, options, callback) => {
    const [first] = this.#reported;
    const isReported = host === this.#host && performance.now() - this.#reportedAt < REPORTED_MS;
    if (first === undefined || !isReported) lookupName(host, options, callback);
    else if (options.all) callback(null, [...this.#reported]);
    else callback(null, first.address, first.family);
  };
}
