/**
 * The icons that entries name: fetched by the program and not by a browser, so that whoever has the image learns nothing about who looks;
 * checked, bounded, and kept on disk.
 */
import { createHash } from "node:crypto";
import { readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { parseJson, toRecord } from "@toolhive/http/values";
import { atomicWrite } from "../../files/atomic-write.ts";
import { readBoundedText } from "../../files/bounded-file.ts";
import { readAnswer, sendRequest } from "../../net/outgoing-request.ts";
import { startTimeout } from "../../support/timeout-signal.ts";
import { type ImageFacts, readImage } from "./read-image.ts";

/** Bytes of one image. */
const MAX_ICON_BYTES = 128 * 1024;
/** Pixels on a side: a small file may unfold to a huge image. */
const MAX_SIDE = 1024;
const MAX_REDIRECTS = 3;
const TIMEOUT_MS = 10_000;
/** Images that are kept; the oldest go first. */
const MAX_KEPT = 500;
/** Milliseconds after which an image is fetched again, and after which one that could not be had is tried again. */
const KEEP_MS = 7 * 24 * 60 * 60 * 1000;
const RETRY_MS = 60 * 60 * 1000;
/** Images that are fetched at the same time. */
const MAX_FETCHES = 4;
const MAX_FAILED = 2_000;

export interface EntryIcon {
  readonly mediaType: ImageFacts["mediaType"];
  readonly data: Buffer;
}

interface EntryIconsOptions {
  /** The `toolhive` directory below the user's state directory. */
  readonly stateDirectory: string;
  /** Certificates to trust instead of the system's, PEM. */
  readonly ca?: string | undefined;
  /** Whether an image may be on this machine or on a private network. Default: no. */
  readonly allowPrivate?: boolean;
  readonly now?: () => number;
}

export class EntryIcons {
  readonly #options: EntryIconsOptions;
  readonly #directory: string;
  readonly #now: () => number;
  readonly #fetches = new Map<string, Promise<EntryIcon | undefined>>();
  readonly #waiting: (() => void)[] = [];
  #running = 0;
  /** When one that could not be had may be tried again. */
  readonly #failed = new Map<string, number>();

  constructor(options: EntryIconsOptions) {
    this.#options = options;
    this.#directory = join(options.stateDirectory, "registry-icons");
    this.#now = options.now ?? Date.now;
  }

  /** @returns `undefined` for what cannot be had, is no image of the kinds that are shown, or is too large. Never throws. */
  async find(address: string): Promise<EntryIcon | undefined> {
    const kept = await this.#readKept(address);
    if (kept) return kept;
    if ((this.#failed.get(address) ?? 0) > this.#now()) return undefined;
    let fetching = this.#fetches.get(address);
    if (!fetching) {
      fetching = this.#inTurn(() => this.#fetch(address)).finally(() => this.#fetches.delete(address));
      this.#fetches.set(address, fetching);
    }
    return await fetching;
  }

  async #inTurn<T>(work: () => Promise<T>): Promise<T> {
    if (this.#running >= MAX_FETCHES) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    this.#running += 1;
    try {
      return await work();
    } finally {
      this.#running -= 1;
      this.#waiting.shift()?.();
    }
  }

  async #fetch(address: string): Promise<EntryIcon | undefined> {
    try {
      const data = await this.#download(new URL(address), MAX_REDIRECTS, startTimeout(TIMEOUT_MS));
      const icon = checkIcon(data);
      if (!icon) throw new Error("no image that is shown");
      // Without a copy it is fetched again.
      await this.#keep(address, icon).catch(() => undefined);
      return icon;
    } catch {
      if (this.#failed.size >= MAX_FAILED) this.#failed.clear();
      this.#failed.set(address, this.#now() + RETRY_MS);
      return undefined;
    }
  }

  async #download(url: URL, redirects: number, signal: AbortSignal): Promise<Buffer> {
    if (url.protocol !== "https:" || url.username !== "") throw new Error("not https");
    const { allowPrivate = false, ca } = this.#options;
    const response = await sendRequest(url, {
      // Nothing says who asks, or for which page.
      headers: { Accept: "image/png, image/webp, image/jpeg" },
      refusePrivate: allowPrivate ? undefined : (address) => new Error(`${address} is private`),
      ca,
      signal,
    });
    const { statusCode = 0, headers } = response;
    if (statusCode >= 300 && statusCode < 400 && headers.location !== undefined && redirects > 0) {
      response.destroy();
      return await this.#download(new URL(headers.location, url), redirects - 1, signal);
    }
    if (statusCode !== 200) {
      response.destroy();
      throw new Error(`status ${statusCode}`);
    }
    return await readAnswer(response, MAX_ICON_BYTES, () => new Error("too large"));
  }

  async #readKept(address: string): Promise<EntryIcon | undefined> {
    try {
      const path = this.#formatPath(address);
      const ageMs = this.#now() - (await stat(path)).mtimeMs;
      const text = await readBoundedText(path, { maxBytes: 2 * MAX_ICON_BYTES });
      const { address: of, data } = toRecord(parseJson(text));
      if (of !== address || typeof data !== "string" || ageMs > KEEP_MS) return undefined;
      return checkIcon(Buffer.from(data, "base64"));
    } catch {
      // Not there, or damaged.
      return undefined;
    }
  }

  async #keep(address: string, { data }: EntryIcon): Promise<void> {
    await atomicWrite(this.#formatPath(address), JSON.stringify({ address, data: data.toString("base64") }));
    const files = await readdir(this.#directory);
    if (files.length <= MAX_KEPT) return;
    const dated = await Promise.all(
      files.map(async (file) => ({ file, at: (await stat(join(this.#directory, file))).mtimeMs })),
    );
    const oldest = dated.sort((left, right) => left.at - right.at).slice(0, files.length - MAX_KEPT);
    await Promise.all(oldest.map(({ file }) => rm(join(this.#directory, file), { force: true })));
  }

  #formatPath(address: string): string {
    return join(this.#directory, `${createHash("sha256").update(address).digest("hex").slice(0, 32)}.json`);
  }
}

function checkIcon(data: Buffer): EntryIcon | undefined {
  const facts = data.length <= MAX_ICON_BYTES ? readImage(data) : undefined;
  if (!facts || facts.width < 1 || facts.height < 1 || Math.max(facts.width, facts.height) > MAX_SIDE) return undefined;
  return { mediaType: facts.mediaType, data };
}
