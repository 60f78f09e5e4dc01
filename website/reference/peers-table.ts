/** The table of other people's SDKs, and what they get on each way through this product. */
import {
  listClientWays,
  listServerWays,
  PEERS,
  type PeerFacts,
  type PeerRow,
  type PeerWay,
} from "@toolhive/cli/facts/peers";
import { describeDifferences } from "./describe-differences.ts";
import { blocks, code, table } from "./markdown.ts";

const WAYS: Readonly<Record<Exclude<PeerWay, "direct">, string>> = {
  remote: code("thv run URL"),
  container: "an HTTP container",
  stdio: "a stdio container",
  group: "a group",
  docs: `${code("/mcp")} of this site`,
};

/** In words where the name is one that readers search for to find a guide. */
const KINDS: Readonly<Record<string, string>> = { sse: "event stream of 2024-11-05" };

export function peersBlocks(peers: readonly PeerFacts[] = PEERS): string {
  const servers = listRows(peers, "servers", listServerWays);
  const clients = listRows(peers, "clients", listClientWays);
  const all = [...servers, ...clients];
  const ways = all.reduce((sum, each) => sum + each.ways.length, 0);
  const differing = all.reduce((sum, { row }) => sum + countWays(row), 0);
  return blocks(
    "## Other people's SDKs {#sdks}",
    `These SDKs run as they are published. A client lists and reads everything that a server offers, calls tools, waits for progress and notifications, sends a ping, comes back after the connection ended, and closes. It does this directly first, then on each way through the proxy. Of ${ways} ways, ${ways - differing} give the client what it gets directly${differing === 0 ? "." : `. The other ${differing} have their reasons in the last column.`} The end-to-end tests run the whole table.`,
    "### SDKs as servers {#sdks-servers}",
    rowsTable("Server", servers),
    "### SDKs as clients {#sdks-clients}",
    rowsTable("Client", clients),
  );
}

interface NamedRow {
  readonly peer: PeerFacts;
  readonly row: PeerRow;
  /** The ways through ToolHive. */
  readonly ways: readonly Exclude<PeerWay, "direct">[];
}

function listRows(
  peers: readonly PeerFacts[],
  role: "servers" | "clients",
  listWays: (kind: string) => readonly PeerWay[],
): NamedRow[] {
  return peers.flatMap((peer) =>
    peer[role].map((row) => ({ peer, row, ways: listWays(row.kind).filter((way) => way !== "direct") })),
  );
}

function rowsTable(role: string, rows: readonly NamedRow[]): string {
  return table(
    ["SDK", "Version", role, "Directly", "Ways through ToolHive", "Through ToolHive"],
    rows.map(({ peer, row, ways }) => [
      peer.name,
      peer.version,
      KINDS[row.kind] ?? code(row.kind),
      describeSteps(row.direct),
      ways.map((way) => WAYS[way]).join(", "),
      describeDifferences(row.differences, WAYS),
    ]),
  );
}

/** @param direct The steps, as the test records them. */
function describeSteps(direct: string): string {
  const steps = direct.split(", ");
  const failing = steps.filter((step) => step.endsWith(" fails"));
  const passed = `${steps.length - failing.length} of ${steps.length} steps`;
  return failing.length === 0 ? passed : `${passed}; ${failing.join(", ")}`;
}

function countWays({ differences }: PeerRow): number {
  return new Set(differences.map(({ way }) => way)).size;
}
