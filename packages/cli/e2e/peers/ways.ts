/** The ways from a client to a server of somebody else: directly, and through each kind of endpoint that this product opens. */
import { type ChildProcessByStdio, spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";
import type { Readable, Writable } from "node:stream";
import { NoSignIn } from "@toolhive/core";
import { createHttpAnswerer } from "@toolhive/docs";
import { openTestLibrary } from "@toolhive/docs/testing";
import { listen } from "@toolhive/http";
import { OpenRelays, openEndpoint, openGroupEndpoint } from "@toolhive/proxy";
import { HttpEndpoint } from "@toolhive/proxy/http-endpoint";
import type { Conversation, PeerTarget } from "@toolhive/testing";
import { waitFor } from "@toolhive/testing/wait-for";
import type { PeerWay } from "../../src/facts/peers/peers.ts";

const LISTEN = { host: "127.0.0.1", port: 0 } as const;
/** Milliseconds for a check of a server. */
const CHECK_MS = 60_000;

type Talk = (target: PeerTarget) => Promise<Conversation>;

export async function takeHttpWay(way: PeerWay, url: URL, talk: Talk): Promise<Conversation> {
  if (way === "direct") return await talk({ url: url.href });
  const isRemote = way !== "container";
  const transport = url.pathname.endsWith("/sse") ? "sse" : "streamable-http";
  await using endpoint = await HttpEndpoint.open({ name: "peer", transport, isRemote, ...LISTEN });
  endpoint.connect({
    host: url.hostname,
    port: Number(url.port),
    ...(isRemote && { remote: { url, authorization: new NoSignIn("peer") } }),
  });
  if (isRemote) await endpoint.probe(AbortSignal.timeout(CHECK_MS));
  const address = new URL(url.pathname, `http://127.0.0.1:${endpoint.port}`);
  if (way === "group") return await talkThroughGroup(address, talk, url.pathname);
  return await talk({ url: address.href });
}

export async function takeStdioWay(
  way: PeerWay,
  command: readonly string[],
  talk: Talk,
  path: string,
): Promise<Conversation> {
  if (way === "direct") return await talk({ command });
  const relays = new OpenRelays();
  await using endpoint = await openEndpoint({ name: "peer", relays, ...LISTEN });
  await using server = new StdioServer(command);
  endpoint.connect({ stdin: server.child.stdin, stdout: server.child.stdout });
  await endpoint.probe(AbortSignal.timeout(CHECK_MS));
  const address = new URL(`http://127.0.0.1:${endpoint.port}${path}`);
  if (way === "stdio") return await talk({ url: address.href });
  return await talkThroughGroup(new URL("/mcp", address), talk, path, relays);
}

/** @param path Of streamable HTTP or of HTTP with SSE. */
async function talkThroughGroup(member: URL, talk: Talk, path: string, relays?: OpenRelays): Promise<Conversation> {
  await using group = await openGroupEndpoint({
    name: "peers",
    ...LISTEN,
    ...(relays && { findRelay: (url: URL) => relays.find(url) }),
  });
  group.update([{ name: "peer", url: member.href, isRunning: true, run: "1" }]);
  await waitFor(() => group.members[0]?.state === "ready", { what: "the group to find its member ready" });
  return await talk({ url: `http://127.0.0.1:${group.port}${path}` });
}

/** The documentation's server, over a small documentation. */
export async function askDocs(talk: Talk): Promise<Conversation> {
  const answer = createHttpAnswerer(await openTestLibrary(), { onError: () => undefined });
  const server = createServer(async (request, response) => {
    const pieces: Buffer[] = [];
    for await (const piece of request) pieces.push(piece as Buffer);
    const headers = Object.entries(request.headers).map(([name, value]) => [name, String(value)] as [string, string]);
    const body = pieces.length === 0 ? {} : { body: Buffer.concat(pieces) };
    const url = new URL(request.url ?? "", "http://127.0.0.1");
    const answered = await answer(new Request(url, { method: request.method ?? "", headers, ...body }));
    response.writeHead(answered.status, Object.fromEntries(answered.headers));
    response.end(Buffer.from(await answered.arrayBuffer()));
  });
  const port = await listen(server);
  try {
    return await talk({ url: `http://127.0.0.1:${port}/mcp` });
  } finally {
    server.close();
    server.closeAllConnections();
  }
}

/** What a container engine runs elsewhere: the server's own process. */
class StdioServer implements AsyncDisposable {
  readonly child: ChildProcessByStdio<Writable, Readable, null>;

  constructor([command = "", ...args]: readonly string[]) {
    this.child = spawn(command, args, { stdio: ["pipe", "pipe", "ignore"] });
    this.child.stdin.on("error", () => undefined);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    this.child.kill("SIGKILL");
    await once(this.child, "exit");
  }
}
