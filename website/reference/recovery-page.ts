/** What faults cost a client that keeps calling, from the committed results of the benchmark. */
import { RECOVERY_RESULTS as results } from "@toolhive/cli/facts/results";
import type { GeneratedPage } from "./cli-pages.ts";
import { ENGINE_NAMES } from "./data/engine-names.ts";
import { blocks, fence, pageHead, RARELY_MEANT, table } from "./markdown.ts";

/** One fault that struck one server on one engine. */
interface RecoveryRow {
  readonly fault: string;
  readonly engine: string;
  readonly server: string;
  /** How calls ended that were in flight when it struck. */
  readonly inFlight: readonly string[];
  readonly lostCalls: number;
  readonly hungCalls: number;
  /** The one before the fault, and each that the client had to open after it. */
  readonly sessionsOpened: number;
  /** Milliseconds from the fault until every caller was answered again. */
  readonly answeredMs: number;
}

export interface RecoveryResults {
  readonly machine: { readonly cpu: string; readonly cores: number; readonly node: string; readonly load: string };
  /** Times that each row was measured. */
  readonly rounds: number;
  /** Milliseconds for which an engine or a network was away. */
  readonly awayMs: number;
  readonly rows: readonly RecoveryRow[];
}

const SERVERS = { stdio: "stdio", "streamable-http": "Streamable HTTP", isolated: "stdio, isolated" } as const;
const FATES: Readonly<Record<string, string>> = {
  refused: "Error",
  disconnected: "Connection lost",
  "unknown-session": "Session lost",
  kept: "Kept",
  answered: "Answered",
};

/** @throws {Error} When a call has hung: the page says that none has. */
export function recoveryPage({ machine, rounds, awayMs, rows }: RecoveryResults = results): GeneratedPage {
  const hung = rows.find(({ hungCalls }) => hungCalls > 0);
  if (hung !== undefined) throw new Error(`${hung.fault}, ${hung.engine}, ${hung.server}: a call has hung.`);
  return {
    path: "recovery.mdx",
    content: blocks(
      pageHead({
        title: "Recovery after faults",
        description:
          "What a killed server, container, engine or supervisor costs a client that keeps calling: lost calls, and the time to the next answer.",
        keywords: ["recovery", "crash", "restart", "kill", "fault", "Docker", "Podman", "lost calls", "live-restore"],
      }),
      RARELY_MEANT,
      `In each run, one client with one session calls a tool continuously, three calls at a time, 20 ms after each response, while a fault occurs. The client calls again after an error, and opens a new session if its own is gone. No call hung: each ended with a response, an error or a closed connection.`,
      `Each cell shows the time from the fault until all three callers got responses again, the number of lost calls, and whether the client had to open a new session. For faults of an engine or a network, the figure includes an outage of ${seconds(awayMs)} and the time to stop and start it.`,
      "## Faults {#faults}",
      table(["Fault", "Engine", ...Object.values(SERVERS), "Calls in flight"], groupRows(rows).map(formatLine)),
      "Many lost calls are still a single outage: a caller that gets an error at once calls again 20 ms later. The last column shows what happened to calls that the server was processing when the fault occurred and would have answered much later. If the server or the connection to it is gone, these calls cannot be saved. The proxy does not send them again, because the server may have acted on them: it quickly returns an error, and the client decides. The calls survive if the server keeps running and the proxy reaches it without the engine, as on Podman over HTTP. A dash means that the fault was not tested.",
      `Measured ${rounds === 1 ? "once" : `${rounds} times, of which the median is shown,`} on ${machine.cores} cores (${machine.cpu}, Node ${machine.node}) with real engines and a load of ${machine.load} from this and other work. Times vary between runs, so compare orders of magnitude. To repeat the measurement, run this in a checkout of the source:`,
      fence(
        "bash",
        'norun="Takes minutes, and kills engines of its own"',
        "npm run build -w @toolhive/cli\nnode packages/cli/bench/bench.mjs recovery",
      ),
      "[Manage MCP servers](../guides-cli/manage-mcp-servers.mdx#after-a-crash-or-a-reboot) explains what happens after each fault, and [Architecture](../concepts/architecture.mdx#when-something-dies) explains which component is responsible.",
    ),
  };
}

/** Rows of the same fault on the same engine, in the order of the run. */
function groupRows(rows: readonly RecoveryRow[]): (readonly RecoveryRow[])[] {
  const keys = [...new Set(rows.map(formatKey))];
  return keys.map((key) => rows.filter((row) => formatKey(row) === key));
}

function formatKey({ fault, engine }: RecoveryRow): string {
  return `${fault} ${engine}`;
}

function formatLine(group: readonly RecoveryRow[]): string[] {
  const cells = Object.keys(SERVERS).map((server) => {
    const row = group.find((each) => each.server === server);
    return row === undefined ? "–" : formatCell(row);
  });
  const fates = [...new Set(group.flatMap(({ inFlight }) => inFlight))].map((fate) => FATES[fate] ?? fate);
  const [{ fault, engine } = { fault: "", engine: "" }] = group;
  return [fault, ENGINE_NAMES[engine] ?? engine, ...cells, fates.join(", ")];
}

function formatCell({ answeredMs, lostCalls, sessionsOpened }: RecoveryRow): string {
  return `${seconds(answeredMs)}, ${lostCalls} lost${sessionsOpened > 1 ? ", new session" : ""}`;
}

/** Two digits. */
function seconds(ms: number): string {
  return `${Number((ms / 1000).toPrecision(2))} s`;
}
