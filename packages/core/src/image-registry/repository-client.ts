/**
 * Reads and writes one repository of an image registry: manifests and blobs over the OCI distribution protocol.
 * https://github.com/opencontainers/distribution-spec/blob/main/spec.md
 */
import { createHash } from "node:crypto";
import { isSecureUrl } from "@toolhive/http";
import { readAnswer } from "../net/outgoing-request.ts";
import type { RegistryCredentials } from "./docker-credentials.ts";
import { formatBaseUrl, type ImageSource, isLocalRegistry } from "./image-source.ts";
import { describeStatus, RegistryFailure } from "./registry-failure.ts";
import { signInAtRegistry } from "./registry-sign-in.ts";

/** Bytes of one answer, unless the caller has a smaller bound; a proof of origin has some tens of kilobytes. */
const MAX_BYTES = 4 * 1024 * 1024;
const MAX_REDIRECTS = 5;
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);
export const MANIFEST_TYPE = "application/vnd.oci.image.manifest.v1+json";
export const INDEX_TYPE = "application/vnd.oci.image.index.v1+json";
const MANIFEST_TYPES = [MANIFEST_TYPE, INDEX_TYPE, "application/vnd.docker.distribution.manifest.v2+json"].join(", ");

export interface RepositoryOptions {
  /** Ends every request; it carries the deadline. */
  readonly signal: AbortSignal;
  /** Default: Node's own. */
  readonly send?: typeof fetch;
  /** Of a token that is asked for. Default `pull`. */
  readonly actions?: "pull" | "pull,push";
  /** Called only when the registry asks for a sign-in. Default: nobody signs in, which public repositories allow. */
  readonly findCredentials?: (registry: string) => Promise<RegistryCredentials | undefined>;
}

interface Request {
  readonly method: "GET" | "HEAD" | "POST" | "PUT";
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Uint8Array<ArrayBuffer>;
}

export class RepositoryClient {
  readonly #source: ImageSource;
  readonly #options: RepositoryOptions;
  readonly #send: typeof fetch;
  #authorization: string | undefined;

  constructor(source: ImageSource, options: RepositoryOptions) {
    this.#source = source;
    this.#options = options;
    this.#send = options.send ?? fetch;
  }

  /** @param reference Tag or digest. @returns `undefined` when there is none. @throws When the registry cannot be read. */
  async findManifest(reference: string): Promise<unknown> {
    const bytes = await this.findManifestBytes(reference);
    return bytes && JSON.parse(bytes.toString("utf8"));
  }

  /**
   * @param reference Tag or digest; with a digest, the bytes are what it says.
   * @returns `undefined` when there is none. @throws When the registry cannot be read.
   */
  async findManifestBytes(reference: string, maxBytes = MAX_BYTES): Promise<Buffer | undefined> {
    const bytes = await this.#find(`manifests/${reference}`, MANIFEST_TYPES, maxBytes);
    if (bytes && reference.startsWith("sha256:")) assertDigest(bytes, reference);
    return bytes;
  }

  /** The manifests that refer to this one. @returns `undefined` when the registry does not know such lists. */
  async findReferrers(digest: string): Promise<unknown> {
    const bytes = await this.#find(`referrers/${digest}`, INDEX_TYPE, MAX_BYTES);
    return bytes && JSON.parse(bytes.toString("utf8"));
  }

  /** @throws When it is not there, or is not what its digest says. */
  async getBlob(digest: string, maxBytes = MAX_BYTES): Promise<Buffer> {
    const bytes = await this.#find(`blobs/${digest}`, "*/*", maxBytes);
    if (!bytes) throw new RegistryFailure("failed", `${this.#source.registry} does not have the blob ${digest}`);
    assertDigest(bytes, digest);
    return bytes;
  }

  /** Stores a blob. @returns Whether it was sent: one that the repository has already is not. */
  async putBlob(bytes: Uint8Array<ArrayBuffer>): Promise<boolean> {
    const digest = computeDigest(bytes);
    const known = await this.#request(this.#locate(`blobs/${digest}`), { method: "HEAD" });
    await known.body?.cancel();
    if (known.ok) return false;
    if (known.status !== 404) throw describeStatus(known.status, this.#source.registry);
    const started = await this.#request(this.#locate("blobs/uploads/"), { method: "POST" });
    await started.body?.cancel();
    if (started.status !== 202) throw describeStatus(started.status, this.#source.registry);
    const location = this.#readLocation(started);
    location.searchParams.set("digest", digest);
    const headers = { "Content-Type": "application/octet-stream" };
    await this.#put(location, { method: "PUT", headers, body: bytes });
    return true;
  }

  /** Stores a manifest whose blobs are there. @param reference The tag that names it from now. */
  async putManifest(reference: string, bytes: Uint8Array<ArrayBuffer>): Promise<void> {
    const headers = { "Content-Type": MANIFEST_TYPE };
    const answer = await this.#put(this.#locate(`manifests/${reference}`), { method: "PUT", headers, body: bytes });
    const stored = answer.headers.get("docker-content-digest");
    const digest = computeDigest(bytes);
    if (stored !== null && stored !== digest)
      throw new RegistryFailure("unsuitable", `${this.#source.registry} stored ${stored} in the place of ${digest}`);
  }

  async #put(url: URL, request: Request): Promise<Response> {
    const answer = await this.#request(url, request);
    await answer.body?.cancel();
    if (answer.status !== 201) throw describeStatus(answer.status, url.host);
    return answer;
  }

  async #find(path: string, accept: string, maxBytes: number): Promise<Buffer | undefined> {
    const url = this.#locate(path);
    const response = await this.#request(url, { method: "GET", headers: { Accept: accept } });
    if (response.status === 404) {
      await response.body?.cancel();
      return undefined;
    }
    if (!response.ok) {
      await response.body?.cancel();
      throw describeStatus(response.status, url.host);
    }
    return await readBytes(response, maxBytes, url.host);
  }

  /** Signs in when the registry asks for it: at first, or because a token is not good any more. */
  async #request(url: URL, request: Request): Promise<Response> {
    const { response, isOwn } = await this.#follow(url, request);
    const challenge = response.headers.get("www-authenticate");
    // Another host that a redirect leads to does not decide where a password goes.
    if (response.status !== 401 || challenge === null || !isOwn) return response;
    await response.body?.cancel();
    const { signal, actions = "pull", findCredentials } = this.#options;
    this.#authorization = await signInAtRegistry(challenge, {
      source: this.#source,
      actions,
      credentials: await findCredentials?.(this.#source.registry),
      send: this.#send,
      readBytes: (answer, maxBytes) => readBytes(answer, maxBytes, this.#source.registry),
      signal,
    });
    return (await this.#follow(url, request)).response;
  }

  /** Follows redirects of what is read; nothing of a sign-in goes to another host than the registry's. */
  async #follow(
    url: URL,
    { method, headers = {}, body }: Request,
  ): Promise<{ readonly response: Response; readonly isOwn: boolean }> {
    const { origin } = new URL(formatBaseUrl(this.#source.registry));
    let target = url;
    for (let redirects = 0; ; redirects++) {
      const isOwn = target.origin === origin;
      const authorization = isOwn ? this.#authorization : undefined;
      const response = await this.#send(target, {
        method,
        headers: { ...headers, ...(authorization !== undefined && { Authorization: authorization }) },
        redirect: "manual",
        signal: this.#options.signal,
        ...(body && { body }),
      });
      if (!REDIRECTS.has(response.status) || (method !== "GET" && method !== "HEAD")) return { response, isOwn };
      await response.body?.cancel();
      const location = response.headers.get("location") ?? "";
      if (redirects >= MAX_REDIRECTS || !URL.canParse(location, target.href))
        throw new RegistryFailure("unsuitable", `${target.host} redirects without an end`);
      target = new URL(location, target);
      this.#assertMayRead(target);
    }
  }

  /** Plain http, and this machine at all, only for an image registry of this machine. */
  #assertMayRead(url: URL): void {
    const isAllowed = url.protocol === "https:" || (isSecureUrl(url) && isLocalRegistry(this.#source.registry));
    const isHere = isLocalRegistry(url.host) && !isLocalRegistry(this.#source.registry);
    if (!isAllowed || isHere)
      throw new RegistryFailure("unsuitable", `${this.#source.registry} redirects to ${url.origin}, which is refused`);
  }

  /** Where the registry wants a blob; no other host gets one. */
  #readLocation(response: Response): URL {
    const base = new URL(formatBaseUrl(this.#source.registry));
    const location = response.headers.get("location") ?? "";
    const url = URL.canParse(location, base.href) ? new URL(location, base) : undefined;
    if (location === "" || url?.origin !== base.origin)
      throw new RegistryFailure("unsuitable", `${base.host} names no place of its own for a blob`);
    return url;
  }

  #locate(path: string): URL {
    return new URL(`${formatBaseUrl(this.#source.registry)}/v2/${this.#source.path}/${path}`);
  }
}

/** @param host For the message. */
async function readBytes(response: Response, maxBytes: number, host: string): Promise<Buffer> {
  return await readAnswer(
    response.body,
    maxBytes,
    () => new RegistryFailure("unsuitable", `an answer of ${host} is larger than ${maxBytes} bytes`),
  );
}

export function computeDigest(bytes: Uint8Array): string {
  return `sha256:${createHash("sha256").update(bytes).digest("hex")}`;
}

function assertDigest(bytes: Buffer, digest: string): void {
  const actual = computeDigest(bytes);
  if (actual !== digest)
    throw new RegistryFailure("unsuitable", `what is served as ${digest} has the digest ${actual}`);
}
