/** A `fetch` that takes the ways of the user's network: proxies of the environment, and certificates besides the usual ones. */
import { type IncomingMessage, request as requestPlain } from "node:http";
import { request as requestTls } from "node:https";
import { Readable } from "node:stream";
import { rootCertificates } from "node:tls";
import { HttpsProxyAgent } from "https-proxy-agent";
import { getProxyForUrl } from "proxy-from-env";

/** Certificates to trust besides the usual ones, PEM; read for each request, because they are a setting. */
type ReadCertificates = () => Promise<string | undefined>;

/**
 * Redirects are not followed, and a request has a connection of its own.
 *
 * @returns For requests whose body is a text, a form or bytes, which is all that our requests have.
 */
export function createRoutedFetch(readCertificates: ReadCertificates): typeof fetch {
  return async (input, init = {}) => {
    const url = new URL(input instanceof Request ? input.url : input);
    const ca = await readCertificates();
    const body = readBody(init.body);
    const headers = new Headers(init.headers);
    if (init.body instanceof URLSearchParams && !headers.has("content-type")) {
      headers.set("content-type", "application/x-www-form-urlencoded");
    }
    if (body !== undefined) headers.set("content-length", String(Buffer.byteLength(body)));
    const proxy = getProxyForUrl(url.href);
    const message = await new Promise<IncomingMessage>((resolve, reject) => {
      const sent = (url.protocol === "https:" ? requestTls : requestPlain)(url, {
        method: init.method ?? "GET",
        headers: Object.fromEntries(headers),
        // A proxy that only forwards plain http would see the content; through a tunnel it does not.
        agent: proxy === "" ? false : new HttpsProxyAgent(proxy),
        ...(ca !== undefined && { ca: [...rootCertificates, ca] }),
        ...(init.signal && { signal: init.signal }),
      });
      sent.once("response", resolve);
      sent.once("error", reject);
      sent.end(body);
    });
    return toResponse(message);
  };
}

function readBody(body: RequestInit["body"]): string | Uint8Array | undefined {
  if (body === undefined || body === null) return undefined;
  return body instanceof Uint8Array ? body : String(body);
}

function toResponse(message: IncomingMessage): Response {
  const { statusCode: status = 502, rawHeaders } = message;
  const headers = new Headers();
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) headers.append(rawHeaders[at] ?? "", rawHeaders[at + 1] ?? "");
  const hasNoBody = status === 204 || status === 205 || status === 304;
  if (hasNoBody) message.resume();
  return new Response(hasNoBody ? null : (Readable.toWeb(message) as ReadableStream<Uint8Array>), { status, headers });
}
