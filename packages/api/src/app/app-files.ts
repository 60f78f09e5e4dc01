/** The application's files, from the pack that its build makes: a line of JSON that lists them, then their bytes. */
import type { IncomingMessage, ServerResponse } from "node:http";
import { gunzipSync } from "node:zlib";
import { chooseEncoding, matchesTag } from "@toolhive/http";

type Part = readonly [offset: number, bytes: number];

interface PackedFile {
  readonly path: string;
  readonly type: string;
  readonly etag: string;
  readonly identity?: Part;
  /** In place of `identity`: browsers ask for nothing smaller where the address is not `https:`. */
  readonly gzip?: Part;
}

interface Pack {
  readonly files: ReadonlyMap<string, PackedFile>;
  readonly bytes: Buffer;
}

/**
 * Everything is served by the program itself, and nothing is sent anywhere else. The application never renders text of servers as
 * HTML; even if it did, this policy would not let it run.
 */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data: blob:",
  "media-src data: blob:",
  "font-src 'self'",
  "connect-src 'self'",
  "manifest-src 'self'",
  "worker-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  // The page registers its service worker with it, which browsers treat as a script of the page.
  "trusted-types service-worker",
].join("; ");

const HEADERS = {
  "Content-Security-Policy": POLICY,
  "Cross-Origin-Opener-Policy": "same-origin",
  "Cross-Origin-Resource-Policy": "same-origin",
  "Referrer-Policy": "no-referrer",
  "X-Content-Type-Options": "nosniff",
  "X-Frame-Options": "DENY",
  Vary: "Accept-Encoding",
} as const;

const INDEX = "/index.html";

interface AppRequest {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** As it was sent, without its query. */
  readonly path: string;
}

export class AppFiles {
  readonly #load: () => Buffer;
  #pack: Pack | undefined;

  /**
   * @param load Reads the pack; called with the first request, so that a supervisor without a page does not hold it. It fails
   *   where this program was built without the application.
   */
  constructor(load: () => Buffer) {
    this.#load = load;
  }

  /**
   * Answers a request for one of the files, or for an address of the application: those are what a browser opens as a page
   * outside the API.
   *
   * @returns Whether it did; nothing was sent otherwise.
   * @throws What `load` fails with.
   */
  serve({ request, response, path }: AppRequest): boolean {
    if (request.method !== "GET" && request.method !== "HEAD") return false;
    if (/^\/(api|health)(\/|$)/.test(path)) return false;
    const isPage = (request.headers.accept ?? "").includes("text/html");
    const file = this.#find(path) ?? (isPage ? this.#find(INDEX) : undefined);
    if (file !== undefined) this.#send(request, response, file);
    // One of another version; no token would help.
    else if (path.startsWith("/assets/")) sendNotFound(response);
    else return false;
    return true;
  }

  /** @throws What `load` fails with, where this program has no application. */
  check(): void {
    this.#open();
  }

  #find(path: string): PackedFile | undefined {
    return this.#open().files.get(path);
  }

  #send(request: IncomingMessage, response: ServerResponse, file: PackedFile): void {
    const isImmutable = file.path.startsWith("/assets/");
    for (const [name, value] of Object.entries(HEADERS)) response.setHeader(name, value);
    response.setHeader("Cache-Control", isImmutable ? "public, max-age=31536000, immutable" : "no-cache");
    response.setHeader("ETag", file.etag);
    if (matchesTag(request.headers["if-none-match"], file.etag)) {
      response.writeHead(304).end();
      return;
    }
    const { body, encoding } = this.#read(file, request.headers["accept-encoding"]);
    if (encoding !== undefined) response.setHeader("Content-Encoding", encoding);
    response.writeHead(200, { "Content-Type": file.type, "Content-Length": body.length });
    response.end(request.method === "HEAD" ? undefined : body);
  }

  #read(file: PackedFile, accepted: string | undefined): { readonly body: Buffer; readonly encoding?: string } {
    const part = ([offset, length]: Part) => this.#open().bytes.subarray(offset, offset + length);
    if (file.identity !== undefined) return { body: part(file.identity) };
    const packed = part(file.gzip ?? [0, 0]);
    const encoding = chooseEncoding(accepted, ["gzip"]);
    return encoding === undefined ? { body: gunzipSync(packed) } : { body: packed, encoding };
  }

  #open(): Pack {
    if (this.#pack === undefined) {
      const whole = this.#load();
      const end = whole.indexOf("\n");
      const files = JSON.parse(whole.toString("utf8", 0, end)) as PackedFile[];
      this.#pack = { files: new Map(files.map((file) => [file.path, file])), bytes: whole.subarray(end + 1) };
    }
    return this.#pack;
  }
}

function sendNotFound(response: ServerResponse): void {
  response.writeHead(404, { ...HEADERS, "Content-Type": "text/plain; charset=utf-8" }).end("404 page not found\n");
}
