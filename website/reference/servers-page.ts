/** Public MCP servers, as the last run of the benchmark of servers found them. */
import {
  type Comparison,
  type Counts,
  SERVERS_TO_TRY,
  SERVERS_TRIED,
  type Server,
  type TriedServer,
} from "@toolhive/cli/facts/results";
import type { GeneratedPage } from "./cli-pages.ts";
import { blocks, code, fence, LOOKED_UP, pageHead, table, text } from "./markdown.ts";

const MANAGERS = { npx: "npm", uvx: "PyPI", go: "Go" } as const;

const COLUMNS = ["Server", "Version", "Direct", "Through ToolHive", "First start", "Restart", "Isolated", "Needs"];

interface Entry {
  readonly server: Server;
  readonly tried: TriedServer;
}

/** @throws {Error} When a server works directly and not through ToolHive, and no reason is given. */
export function serversPage(
  servers: readonly Server[] = SERVERS_TO_TRY,
  results: readonly TriedServer[] = SERVERS_TRIED,
): GeneratedPage {
  const entries = servers.flatMap((server) => {
    const tried = results.find((result) => result.package === server.package);
    return tried === undefined ? [] : [{ server, tried }];
  });
  for (const { server, tried } of entries) checkReason(server, tried);
  const works = entries.filter(({ tried }) => tried.direct !== undefined);
  const same = works.filter(({ tried }) => tried.through?.differences.length === 0);
  const neither = entries.filter(({ tried }) => tried.direct === undefined && tried.through === undefined);
  const exceptions = works.filter((entry) => !same.includes(entry));
  const dates = entries.map(({ tried }) => tried.date).sort();
  return {
    path: "servers-tried.mdx",
    content: blocks(
      pageHead({
        title: "Servers tried",
        description:
          "Which public MCP servers from npm, PyPI and Go were run through ToolHive, what each one needs, and how its tools compare with a direct start.",
        keywords: ["compatibility", "MCP servers", "npm", "PyPI", "Go", "tested servers", "works with"],
      }),
      LOOKED_UP,
      `Each server was started twice with the same arguments: directly, as a process of a client, and with ${code("thv run")}. The official client then read its tools, prompts and resources both ways and compared them. Afterwards, ToolHive restarted the server, and started it once more with ${code("--isolate-network --permission-profile none")}. The servers had dummy values for keys and no accounts, so calls to a service would fail both ways.`,
      `Of ${entries.length} servers, ${works.length} start directly without an account. ${same.length} of these return the same lists through ToolHive${exceptions.length === 0 ? "" : `; [Exceptions](#exceptions) explains the others`}. ${neither.length} start neither directly nor through ToolHive; the last table shows their messages.`,
      ...Object.entries(MANAGERS).flatMap(([scheme, manager]) => {
        const ofScheme = entries.filter((entry) => entry.server.package.startsWith(`${scheme}://`));
        const rows = ofScheme.filter((entry) => !neither.includes(entry)).map(formatRow);
        return rows.length === 0 ? [] : [`## From ${manager} {#${scheme}}`, table(COLUMNS, rows)];
      }),
      `The counts are tools, prompts and resources, in this order. The first start includes the build of the image. The machine ran other work at the same time, so compare only orders of magnitude.`,
      exceptions.length === 0 ? undefined : "## Exceptions {#exceptions}",
      exceptions.length === 0
        ? undefined
        : table(
            ["Server", "What differs", "Why"],
            exceptions.map(({ server, tried }) => [
              code(server.package),
              text(tried.throughFailure ?? tried.through?.differences.join("; ") ?? ""),
              text(server.reason ?? ""),
            ]),
          ),
      neither.length === 0 ? undefined : "## Servers that do not start {#neither}",
      neither.length === 0
        ? undefined
        : table(
            ["Server", "Its message when started directly", "Needs"],
            neither.map(({ server, tried }) => [
              code(server.package),
              text(tried.directFailure ?? ""),
              text(server.needs ?? "–"),
            ]),
          ),
      `The runs took place ${dates[0] === dates.at(-1) ? `on ${dates[0]}` : `between ${dates[0]} and ${dates.at(-1)}`}. To repeat them, or to try one server by a part of its name, run this in a checkout of the source:`,
      fence(
        "bash",
        'norun="Downloads public packages"',
        "npm run bench -- servers\nnpm run bench -- servers mcp-server-time",
      ),
      "[Run MCP servers](../guides-cli/run-mcp-servers.mdx) explains how to run a package, and [Conformance](conformance.mdx) shows the results of the official test suite.",
    ),
  };
}

function formatRow({ server, tried }: Entry): string[] {
  return [
    code(server.package),
    text(tried.version ?? "–"),
    formatCounts(tried.direct),
    formatThrough(tried),
    formatSeconds(tried.through),
    formatComparison(tried.restarted, tried.restartFailure, tried.through),
    formatComparison(tried.isolated, tried.isolatedFailure, tried.through),
    text(server.needs ?? "–"),
  ];
}

function checkReason(server: Server, tried: TriedServer): void {
  const differs = tried.direct !== undefined && tried.through?.differences.length !== 0;
  if (differs && server.reason === undefined) {
    throw new Error(`${server.package} works directly, and differently through thv: give the reason in servers.json.`);
  }
  if (!differs && server.reason !== undefined) {
    throw new Error(`${server.package} has a reason, but does not differ: take the reason out of servers.json.`);
  }
}

function formatCounts(counts: Counts | undefined): string {
  return counts === undefined ? "–" : `${counts.tools}, ${counts.prompts}, ${counts.resources}`;
}

function formatThrough({ through, direct }: TriedServer): string {
  if (through === undefined) return "[no](#exceptions)";
  if (direct === undefined) return formatCounts(through);
  return through.differences.length === 0 ? "same" : `[${formatCounts(through)}](#exceptions)`;
}

function formatSeconds(comparison: Comparison | undefined): string {
  return comparison === undefined ? "–" : `${comparison.seconds} s`;
}

/** "same" after a step that changed nothing; a dash when the step before it failed. */
function formatComparison(
  comparison: Comparison | undefined,
  failure: string | undefined,
  before: Comparison | undefined,
): string {
  if (before === undefined) return "–";
  if (comparison === undefined) return text(failure ?? "–");
  return comparison.differences.length === 0
    ? `same, ${comparison.seconds} s`
    : text(comparison.differences.join("; "));
}
