/** What faults cost a client that keeps calling, from the committed results of the benchmark. */
import results from "../../packages/cli/bench/recovery.json" with { type: "json" };
import type { GeneratedPage } from "./cli-pages.ts";
import { ENGINE_NAMES } from "./data/engine-names.ts";
import { blocks, fence, pageHead, table } from "./markdown.ts";

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
      `One client with one session calls a tool without end, three calls at a time, 20 ms after each answer. Then a fault strikes. The client does what a good client does: it calls again after an error, and opens a new session when its own is gone. No call hung: each ended with an answer, an error or a closed connection.`,
      `Each cell has the time from the fault until all three callers were answered again, and how many calls were lost on the way, and whether the client had to open a new session. An engine or a network was away for ${seconds(awayMs)} beside the time that it takes to stop and start, and that is part of the figure.`,
      "## Faults {#faults}",
      table(["Fault", "Engine", ...Object.values(SERVERS), "Calls in flight"], groupsOf(rows).map(lineOf)),
      "Many lost calls are one outage, not many: a caller that is refused at once tries again 20 ms later. The last column tells of calls that were with the server when the fault struck, and that it would have answered much later. When the server or the way to it is gone, they cannot be saved and must not be sent again, because the server may have acted on them: they get an error soon, and the client decides. They are kept where the server runs on and is reached without the engine, as on Podman over HTTP. A dash stands where the fault was not tried.",
      `Measured ${rounds === 1 ? "once" : `${rounds} times, of which the median is shown,`} on ${machine.cores} cores (${machine.cpu}, Node ${machine.node}) with real engines and a load of ${machine.load} from this and other work. A second run gives other times; compare the sizes, not the digits. Repeat it in a checkout of the sources:`,
      fence(
        "bash",
        'norun="Takes minutes, and kills engines of its own"',
        "npm run build -w @toolhive/cli\nnode packages/cli/bench/bench.mjs recovery",
      ),
      "[Manage MCP servers](../guides-cli/manage-mcp-servers.mdx#after-a-crash-or-a-reboot) says what is done after each fault, and [Architecture](../concepts/architecture.mdx#when-something-dies) who does it.",
    ),
  };
}

/** Rows of the same fault on the same engine, in the order of the run. */
function groupsOf(rows: readonly RecoveryRow[]): (readonly RecoveryRow[])[] {
  const keys = [...new Set(rows.map(keyOf))];
  return keys.map((key) => rows.filter((row) => keyOf(row) === key));
}

function keyOf({ fault, engine }: RecoveryRow): string {
  return `${fault} ${engine}`;
}

function lineOf(group: readonly RecoveryRow[]): string[] {
  const cells = Object.keys(SERVERS).map((server) => {
    const row = group.find((each) => each.server === server);
    return row === undefined ? "–" : cellOf(row);
  });
  const fates = [...new Set(group.flatMap(({ inFlight }) => inFlight))].map((fate) => FATES[fate] ?? fate);
  const [{ fault, engine } = { fault: "", engine: "" }] = group;
  return [fault, ENGINE_NAMES[engine] ?? engine, ...cells, fates.join(", ")];
}

function cellOf({ answeredMs, lostCalls, sessionsOpened }: RecoveryRow): string {
  return `${seconds(answeredMs)}, ${lostCalls} lost${sessionsOpened > 1 ? ", new session" : ""}`;
}

/** Two digits. */
function seconds(ms: number): string {
  return `${Number((ms / 1000).toPrecision(2))} s`;
}
