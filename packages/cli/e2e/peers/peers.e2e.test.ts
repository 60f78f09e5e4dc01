/**
 * Other people's SDKs, with nothing of ours in them: as servers and as clients, they get on each way through this product what they
 * get without it. `UPDATE_PEERS=1` records what they get directly; the differences are written by hand, with their reasons.
 */
import { readFile, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { isDeepStrictEqual } from "node:util";
import { isRecord } from "@toolhive/http/values";
import {
  type Conversation,
  findPeerObstacle,
  findStdioCommand,
  PeerClient,
  PeerServers,
  type PeerTarget,
} from "@toolhive/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  listClientWays,
  listServerWays,
  PEERS,
  type PeerFacts,
  type PeerRow,
  type PeerWay,
} from "../../src/facts/peers/peers.ts";
import { askDocs, takeHttpWay, takeStdioWay } from "./ways.ts";

const FILE = fileURLToPath(new URL("../../src/facts/peers/peers.json", import.meta.url));
/** Its servers are those that peers as clients talk to, and its client is the one that they are compared with. */
const REFERENCE = findPeer("typescript-1.32");
/** An endpoint has sessions of its own before a server on stdio, and a group a name and capabilities, too: here no error is enough. */
const OWN_STEPS: Readonly<Record<string, readonly string[]>> = {
  stdio: ["close"],
  group: ["initialize", "close"],
};

type Results = Partial<Record<PeerWay, Conversation>>;

function findPeer(id: string): PeerFacts {
  const found = PEERS.find((peer) => peer.id === id);
  if (found === undefined) throw new Error(`No peer is called ${id}.`);
  return found;
}

for (const peer of PEERS) {
  const obstacles = [peer, findPeer(peer.client), REFERENCE].map(({ language }) => findPeerObstacle(language));
  const obstacle = (await Promise.all(obstacles)).find((each) => each !== undefined);
  const title = `${peer.name} ${peer.version}${obstacle === undefined ? "" : ` (not run: ${obstacle})`}`;
  describe.skipIf(obstacle !== undefined)(title, () => {
    if (peer.servers.length > 0) describeServers(peer);
    if (peer.clients.length > 0) describeClients(peer);
  });
}

function describeServers(peer: PeerFacts): void {
  describe("as a server", () => {
    let servers: PeerServers;
    let client: PeerClient;
    beforeAll(async () => {
      servers = await PeerServers.start(peer);
      client = await PeerClient.start(findPeer(peer.client));
    });
    afterAll(async () => {
      await client?.[Symbol.asyncDispose]();
      await servers?.[Symbol.asyncDispose]();
    });

    test.each(peer.servers.map((row) => [row.kind, row] as const))("%s", async (kind, row) => {
      const talk = async (target: PeerTarget) => await client.converse(target, kind);
      const got: Results = {};
      for (const way of listServerWays(kind)) {
        if (kind === "stdio") got[way] = await takeStdioWay(way, await findStdioCommand(peer), talk, "/mcp");
        else if (row.serverForEachWay) {
          await using own = await PeerServers.start(peer);
          got[way] = mergeRefusals(await takeHttpWay(way, findUrl(own, kind), talk));
        } else got[way] = await takeHttpWay(way, findUrl(servers, kind), talk);
      }
      await judge({ peer, role: "servers", row }, got);
    });

    test("has no server that is in no row", () => {
      const kinds = peer.servers.map(({ kind }) => kind).filter((kind) => kind !== "stdio");
      expect(Object.keys(servers.urls).sort()).toEqual(kinds.sort());
    });
  });
}

function describeClients(peer: PeerFacts): void {
  describe("as a client", () => {
    let servers: PeerServers;
    let client: PeerClient;
    let reference: PeerClient;
    beforeAll(async () => {
      servers = await PeerServers.start(REFERENCE);
      client = await PeerClient.start(peer);
      reference = await PeerClient.start(REFERENCE);
    });
    afterAll(async () => {
      await reference?.[Symbol.asyncDispose]();
      await client?.[Symbol.asyncDispose]();
      await servers?.[Symbol.asyncDispose]();
    });

    test.each(peer.clients.map((row) => [row.kind, row] as const))("%s", async (kind, row) => {
      const talk = async (target: PeerTarget) => await client.converse(target, kind);
      const [url, path] =
        kind === "sse" ? [findUrl(servers, "sse"), "/sse"] : [findUrl(servers, "express-events"), "/mcp"];
      const command = await findStdioCommand(REFERENCE);
      const got: Results = {};
      const ways = listClientWays(kind);
      for (const way of ways.filter((each) => each !== "stdio" && each !== "docs"))
        got[way] = await takeHttpWay(way, url, talk);
      await judge({ peer, role: "clients", row }, got);

      // These are compared with other servers than the rest.
      const directly = await takeStdioWay("direct", command, talk, path);
      const others: Results = { stdio: await takeStdioWay("stdio", command, talk, path) };
      expect(listDifferences(others, directly)).toEqual(listExpected(row, ["stdio"]));
      if (!ways.includes("docs")) return;
      const [theirs, ours] = [await askDocs(talk), await askDocs((target) => reference.converse(target))];
      expect(hasFailed(theirs.initialize)).toBe(false);
      expect(listNames(theirs)).toEqual(listNames(ours));
    });
  });
}

function findUrl(servers: PeerServers, kind: string): URL {
  const url = servers.urls[kind];
  if (url === undefined) throw new Error(`No server of the kind ${kind} was started.`);
  return new URL(url);
}

interface Judged {
  readonly peer: PeerFacts;
  readonly role: "servers" | "clients";
  readonly row: PeerRow;
}

async function judge(judged: Judged, got: Results): Promise<void> {
  const direct = got.direct ?? {};
  const steps = describeSteps(direct);
  if (process.env.UPDATE_PEERS === "1") await record(judged, steps);
  else expect(steps).toBe(judged.row.direct);
  expect(listDifferences(got, direct)).toEqual(listExpected(judged.row, Object.keys(got)));
}

function describeSteps(conversation: Conversation): string {
  return Object.entries(conversation)
    .map(([step, result]) => (hasFailed(result) ? `${step} fails` : step))
    .join(", ");
}

function hasFailed(result: unknown): boolean {
  return isRecord(result) && "error" in result;
}

function isSame(directly: unknown, through: unknown, isOwn = false): boolean {
  if (isOwn && directly !== undefined && through !== undefined) return !hasFailed(through) || hasFailed(directly);
  return isDeepStrictEqual(directly, through);
}

/** One line for each step of a way that gave something else, with both results. */
function listDifferences(got: Results, direct: Conversation): string[] {
  return Object.entries(got).flatMap(([way, conversation]) => {
    const steps = [...new Set([...Object.keys(direct), ...Object.keys(conversation)])];
    return steps
      .filter((step) => !isSame(direct[step], conversation[step], OWN_STEPS[way]?.includes(step)))
      .map((step) => {
        const [without, through] = [direct[step], conversation[step]].map((result) => JSON.stringify(result));
        console.error(`${way}, ${step}: directly ${without}\nthrough us ${through}`);
        return `${way}: ${step}`;
      });
  });
}

function listExpected({ differences }: PeerRow, ways: readonly string[]): string[] {
  return differences.filter(({ way }) => ways.includes(way)).map(({ way, step }) => `${way}: ${step}`);
}

/**
 * A server that ends for all clients at the first DELETE answers a request of the ended session with 404, and with 500 as soon as it
 * has ended: which of them depends on the moment.
 */
function mergeRefusals(conversation: Conversation): Conversation {
  const { close } = conversation;
  if (!isRecord(close) || typeof close.after !== "number" || ![404, 500].includes(close.after)) return conversation;
  return { ...conversation, close: { ...close, after: "404 or 500" } };
}

function listNames({ tools }: Conversation): unknown {
  return Array.isArray(tools) ? tools.map((tool: unknown) => (isRecord(tool) ? tool.name : tool)) : tools;
}

async function record({ peer, role, row }: Judged, direct: string): Promise<void> {
  const data = JSON.parse(await readFile(FILE, "utf8")) as { peers: PeerFacts[] };
  const rows = data.peers.find(({ id }) => id === peer.id)?.[role] as { kind: string; direct: string }[] | undefined;
  const found = rows?.find(({ kind }) => kind === row.kind);
  if (found !== undefined) found.direct = direct;
  await writeFile(FILE, `${JSON.stringify(data, null, 2)}\n`);
}
