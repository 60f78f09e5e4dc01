/** The ways to a server: directly, and through each kind of endpoint that this product opens. */
import { NoSignIn } from "@toolhive/core";
import { startScripted } from "@toolhive/mcp-client/testing";
import { OpenRelays, openEndpoint, openGroupEndpoint } from "@toolhive/proxy";
import { HttpEndpoint } from "@toolhive/proxy/http-endpoint";
import { waitFor } from "@toolhive/testing/wait-for";
import type { LatitudeChoice, LatitudeWay } from "../../src/facts/latitude/latitude.ts";
import { converseAsCommand, converseOnStdio, converseOverHttp } from "./converse.ts";
import { createHttpPeer } from "./http-choices.ts";
import type { ProxyStarter } from "./started-proxies.ts";
import { createStdioPeer } from "./stdio-peer.ts";

const LISTEN = { host: "127.0.0.1", port: 0 } as const;
/** Milliseconds for a check, which fails in few rows. */
const CHECK_MS = 20_000;
/** The last request of a check. */
const LIST = /"method":"(?:[a-z]+\/list|ping)"/;

/** Each way has a server of its own, so that no client depends on an earlier one. */
export async function takeWay(
  way: LatitudeWay,
  { id, transport }: LatitudeChoice,
  starter: ProxyStarter,
): Promise<string> {
  if (transport === "stdio") return await takeStdio(way, id);
  const row = createHttpPeer(id);
  if (row === undefined) throw new Error(`No server makes the choice ${id}.`);
  await using server = await startScripted(row.script, row.path);
  const { url } = server;
  const asked = /^(get|delete)-/.exec(id)?.[1]?.toUpperCase() as "GET" | "DELETE" | undefined;
  const talk = async (address: URL) =>
    transport === "without-sessions" ? await converseAsCommand(address) : await converseOverHttp(address, asked);
  if (way === "direct") return await talk(url);
  if (way === "command") return await converseAsCommand(url);
  const kind = transport === "sse" ? "sse" : "streamable-http";
  if (way === "proxy" || way === "runner") {
    await using proxy = await (way === "proxy" ? starter.startProxy(url) : starter.startRunner(url, kind));
    await waitFor(() => server.seen.some(({ body }) => LIST.test(body)), { what: "the check of the server" });
    return await talk(new URL(findPath(way, url, kind), proxy.origin));
  }
  await using endpoint = await HttpEndpoint.open({
    name: "peer",
    transport: kind,
    isRemote: way !== "container",
    ...LISTEN,
  });
  const authorization = new NoSignIn("peer");
  endpoint.connect({
    host: url.hostname,
    port: Number(url.port),
    ...(way !== "container" && { remote: { url, authorization } }),
  });
  const address = new URL(`http://127.0.0.1:${endpoint.port}${findPath(way, url, kind)}`);
  if (way === "container") return await talk(address);
  // What `thv run` does before it says that the server runs.
  const problem = await endpoint.probe(AbortSignal.timeout(CHECK_MS)).then(() => undefined, String);
  if (way === "check") return problem ?? "ready";
  if (way === "remote") return await talk(address);
  // A group answers GET and DELETE itself.
  const talkToGroup = transport === "without-sessions" ? talk : (group: URL) => converseOverHttp(group, undefined);
  return await talkThroughGroup(address, talkToGroup);
}

/** The server's own path, where the endpoint stands before a container. */
function findPath(way: LatitudeWay, url: URL, kind: "sse" | "streamable-http"): string {
  if (way === "container") return url.pathname;
  return kind === "sse" ? "/sse" : "/mcp";
}

async function takeStdio(way: LatitudeWay, id: string): Promise<string> {
  const connection = createStdioPeer(id);
  if (connection === undefined) throw new Error(`No server makes the choice ${id}.`);
  if (way === "direct") return await converseOnStdio(connection);
  const relays = new OpenRelays();
  await using endpoint = await openEndpoint({ name: "peer", relays, ...LISTEN });
  endpoint.connect(connection);
  // A start is judged by the first answer.
  await endpoint.probe(AbortSignal.timeout(CHECK_MS));
  const address = new URL(`http://127.0.0.1:${endpoint.port}/mcp`);
  if (way === "stdio") return await converseOverHttp(address, undefined);
  return await talkThroughGroup(address, (group) => converseOverHttp(group, undefined), relays);
}

async function talkThroughGroup(
  member: URL,
  talk: (address: URL) => Promise<string>,
  relays?: OpenRelays,
): Promise<string> {
  await using group = await openGroupEndpoint({
    name: "latitude",
    ...LISTEN,
    ...(relays && { findRelay: (url: URL) => relays.find(url) }),
  });
  group.update([{ name: "peer", url: member.href, isRunning: true, run: "1" }]);
  await waitFor(() => group.members[0]?.state === "ready", { what: "the group to find its member ready" });
  return await talk(new URL(`http://127.0.0.1:${group.port}/mcp`));
}
