/**
 * The site through a server that writes down what is requested and adds one script to its pages: it sends what the console
 * shows and the policy forbids. For a browser whose driver reports neither.
 */
import { once } from "node:events";
import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import { listen } from "@toolhive/http";

export interface RecordedSite {
  readonly origin: string;
  readonly notices: readonly string[];
  /** Paths, in order. */
  readonly requests: readonly string[];
  close(): Promise<void>;
}

/** Of the script and of what it sends; no page has such a path. */
const RECORDER_PATH = "/--recorder";

const RECORDER = `!function () {
  const report = (notice) => navigator.sendBeacon("${RECORDER_PATH}", notice);
  for (const level of ["log", "info", "warn", "error", "debug"]) {
    const show = console[level];
    console[level] = (...parts) => { report(level + ": " + parts.map(String).join(" ")); show.apply(console, parts); };
  }
  addEventListener("error", (event) => report("error: " + (event.message || "could not load " + (event.target.src || event.target.href))), true);
  addEventListener("unhandledrejection", (event) => report("unhandled: " + event.reason));
  document.addEventListener("securitypolicyviolation", (event) => report("policy: " + event.effectiveDirective + " " + event.blockedURI));
}();`;

/** @param origin Of the site's server. */
export async function recordSite(origin: string): Promise<RecordedSite> {
  const notices: string[] = [];
  const requests: string[] = [];
  const server = createServer((incoming, response) => {
    const address = incoming.url ?? "/";
    if (address === RECORDER_PATH) {
      if (incoming.method === "POST") void text(incoming).then((notice) => notices.push(notice));
      response.setHeader("Content-Type", "text/javascript");
      response.end(incoming.method === "POST" ? "" : RECORDER);
      return;
    }
    requests.push(address.split("?")[0] ?? "");
    forward(incoming, response, origin).catch((error: unknown) => response.destroy(error as Error));
  });
  const port = await listen(server);
  return {
    origin: `http://127.0.0.1:${port}`,
    notices,
    requests,
    async close() {
      server.closeAllConnections();
      const closed = once(server, "close");
      server.close();
      await closed;
    },
  };
}

async function forward(incoming: IncomingMessage, response: ServerResponse, origin: string): Promise<void> {
  const { "accept-encoding": _encoding, "if-none-match": _tag, ...headers } = incoming.headers;
  const outgoing = request(origin + incoming.url, { method: incoming.method, headers });
  incoming.pipe(outgoing);
  const [answer] = (await once(outgoing, "response")) as [IncomingMessage];
  const isPage = answer.headers["content-type"]?.startsWith("text/html") === true;
  if (!isPage) {
    response.writeHead(answer.statusCode ?? 502, answer.headers);
    answer.pipe(response);
    return;
  }
  const { "content-length": _length, ...rest } = answer.headers;
  response.writeHead(answer.statusCode ?? 502, rest);
  // The build leaves out the tags that a browser adds by itself, that of the head among them.
  response.end((await text(answer)).replace("<meta ", `<script src="${RECORDER_PATH}"></script><meta `));
}
