/**
 * What an image registry says about one image: manifests and blobs over the OCI distribution protocol, read without signing in.
 * https://github.com/opencontainers/distribution-spec/blob/main/spec.md
 */
import { createHash } from "node:crypto";
import { isLoopback, isSecureUrl } from "@toolhive/http";
import { parseImageReference } from "../images/image-reference.ts";
import { readAnswer } from "../net/outgoing-request.ts";

/** Bytes of one answer; a proof of origin has some tens of kilobytes. */
const MAX_BYTES = 4 * 1024 * 1024;
const MANIFEST_TYPES = [
  "application/vnd.oci.image.manifest.v1+json",
  "application/vnd.oci.image.index.v1+json",
  "application/vnd.docker.distribution.manifest.v2+json",
].join(", ");

export interface ImageSource {
  /** Host of the image registry, with its port if it has one; `docker.io` for Docker Hub. */
  readonly registry: string;
  /** Path of the repository at that host. */
  readonly path: string;
}

/** Where an image comes from; the short names of Docker Hub are written out. */
export function parseImageSource(reference: string): ImageSource {
  const { repository } = parseImageReference(reference);
  const [first = "", ...rest] = repository.split("/");
  const isHost = rest.length > 0 && (/[.:]/.test(first) || first === "localhost");
  const registry = isHost ? first : "docker.io";
  const path = isHost ? rest.join("/") : repository;
  if (registry !== "docker.io" && registry !== "index.docker.io") return { registry, path };
  return { registry: "docker.io", path: path.includes("/") ? path : `library/${path}` };
}

/** Reads from one repository; asks for an anonymous token when the registry wants one. */
export class RepositoryReader {
  readonly #source: ImageSource;
  readonly #signal: AbortSignal;
  #token: string | undefined;

  /** @param signal Ends every request; it carries the deadline. */
  constructor(source: ImageSource, signal: AbortSignal) {
    this.#source = source;
    this.#signal = signal;
  }

  /** @param reference Tag or digest. @returns `undefined` when there is none. @throws When the registry cannot be read. */
  async findManifest(reference: string): Promise<unknown> {
    const bytes = await this.#find(`manifests/${reference}`, MANIFEST_TYPES);
    if (bytes && reference.startsWith("sha256:")) assertDigest(bytes, reference);
    return bytes && JSON.parse(bytes.toString("utf8"));
  }

  /** The manifests that refer to this one. @returns `undefined` when the registry does not know such lists. */
  async findReferrers(digest: string): Promise<unknown> {
    const bytes = await this.#find(`referrers/${digest}`, "application/vnd.oci.image.index.v1+json");
    return bytes && JSON.parse(bytes.toString("utf8"));
  }

  /** @throws When it is not there, or is not what its digest says. */
  async getBlob(digest: string): Promise<Buffer> {
    const bytes = await this.#find(`blobs/${digest}`, "*/*");
    if (!bytes) throw new Error(`${this.#source.registry} does not have the blob ${digest}`);
    assertDigest(bytes, digest);
    return bytes;
  }

  async #find(path: string, accept: string): Promise<Buffer | undefined> {
    const url = `${formatBaseUrl(this.#source.registry)}/v2/${this.#source.path}/${path}`;
    let response = await this.#send(url, accept);
    const challenge = response.headers.get("www-authenticate");
    if (response.status === 401 && challenge && this.#token === undefined) {
      await response.body?.cancel();
      this.#token = await this.#fetchToken(challenge);
      response = await this.#send(url, accept);
    }
    if (response.status === 404) {
      await response.body?.cancel();
      return undefined;
    }
    return await readBytes(response, url);
  }

  async #send(url: string, accept: string): Promise<Response> {
    const headers = { Accept: accept, ...(this.#token !== undefined && { Authorization: `Bearer ${this.#token}` }) };
    return await fetch(url, { headers, signal: this.#signal });
  }

  /** https://distribution.github.io/distribution/spec/auth/token/ */
  async #fetchToken(challenge: string): Promise<string> {
    const parameters = new Map(
      [...challenge.matchAll(/\b(\w+)="([^"]*)"/g)].map(([, key, value]) => [key, value ?? ""]),
    );
    const realm = parameters.get("realm");
    if (!/^bearer /i.test(challenge) || realm === undefined || !URL.canParse(realm))
      throw new Error(`${this.#source.registry} asks for a sign-in that is not supported`);
    const url = new URL(realm);
    if (!isSecureUrl(url))
      throw new Error(`${this.#source.registry} asks to sign in at ${url.origin}, which is not https`);
    const service = parameters.get("service");
    if (service) url.searchParams.set("service", service);
    url.searchParams.set("scope", `repository:${this.#source.path}:pull`);
    const answer: unknown = JSON.parse(String(await readBytes(await fetch(url, { signal: this.#signal }), url.href)));
    const { token, access_token = token } = answer as { token?: unknown; access_token?: unknown };
    if (typeof access_token !== "string") throw new Error(`${url.origin} gave no token`);
    return access_token;
  }
}

/** Image registries on this machine speak plain http, as engines assume too. */
function formatBaseUrl(registry: string): string {
  if (registry === "docker.io") return "https://registry-1.docker.io";
  return `${isLoopback(registry.replace(/:\d+$/, "")) ? "http" : "https"}://${registry}`;
}

async function readBytes(response: Response, url: string): Promise<Buffer> {
  if (!response.ok) {
    await response.body?.cancel();
    throw new Error(`${new URL(url).host} answered with status ${response.status}`);
  }
  return await readAnswer(
    response.body,
    MAX_BYTES,
    () => new Error(`an answer of ${new URL(url).host} is larger than ${MAX_BYTES} bytes`),
  );
}

function assertDigest(bytes: Buffer, digest: string): void {
  const actual = `sha256:${createHash("sha256").update(bytes).digest("hex")}`;
  if (actual !== digest) throw new Error(`what is served as ${digest} has the digest ${actual}`);
}
