/** The proxy's results in the official conformance suite, as its last run wrote them. */
import { CONFORMANCE_RESULTS as results } from "@toolhive/proxy/facts/results";
import type { GeneratedPage } from "./cli-pages.ts";
import {
  CONFORMANCE_EXCEPTIONS,
  type ConformanceException,
  type ConformanceWay,
} from "./data/conformance-exceptions.ts";
import { ENGINE_NAMES } from "./data/engine-names.ts";
import { latitudeBlocks } from "./latitude-table.ts";
import { blocks, code, fence, LOOKED_UP, pageHead, table } from "./markdown.ts";
import { peersBlocks } from "./peers-table.ts";

export interface ConformanceRun {
  readonly version: string;
  /** Protocol revision of the suite's client. */
  readonly revision: string;
  readonly server: string;
  /** Between the suite and the server: nothing, or the proxy before a container with a server on this transport. */
  readonly way: string;
  /** Those that ran the container, with this same result; none for a process. */
  readonly engines: readonly string[];
  readonly passed: number;
  readonly failed: number;
  readonly scenarios: readonly { readonly scenario: string; readonly passed: number; readonly failed: number }[];
}

const SERVERS: Readonly<Record<string, string>> = {
  session: "2025-11-25, with sessions",
  modern: "2026-07-28, stateless",
};

const WAYS: Readonly<Record<ConformanceWay, string>> = {
  direct: "None",
  stdio: "Proxy, stdio container",
  "streamable-http": "Proxy, streamable HTTP container",
  "direct-sse": "Adapter to SSE",
  sse: "Adapter to SSE, proxy, SSE container",
  "group-of-1": "Group of one, proxy, stdio container",
  "group-of-3": "Group of three, proxy, stdio container",
};

/** @throws {Error} When a scenario falls short and no reason is given, or the other way round. */
export function conformancePage(runs: readonly ConformanceRun[] = results): GeneratedPage {
  checkExceptions(runs);
  const scenarios = [...new Set(runs.flatMap((run) => run.scenarios.map(({ scenario }) => scenario)))];
  const complete = runs.filter(({ failed }) => failed === 0).length;
  return {
    path: "conformance.mdx",
    content: blocks(
      pageHead({
        title: "Protocol conformance",
        description:
          "Results of the official MCP conformance suite through the ToolHive proxy, and what clients get of servers that choose what the specification leaves open.",
        keywords: ["conformance", "MCP", "protocol revision", "test suite", "proxy", "compatibility", "SDK"],
      }),
      LOOKED_UP,
      `The suite ${code("@modelcontextprotocol/conformance")} acts as the client. It connects directly to a test server that runs as a process, through the ToolHive proxy to the same server in a container that ${code("thv run")} started, and through [groups](../guides-cli/groups.mdx) of one and of three such servers. ${complete} of ${runs.length} runs pass every check; each exception has [a reason](#exceptions).`,
      "## Runs {#runs}",
      table(
        [
          "Run",
          "Suite",
          "Client's revision",
          "Server's revision",
          "Between them",
          "Engine",
          "Scenarios",
          "Checks passed",
          "Not passed",
        ],
        runs.map((run, index) => [
          String(index + 1),
          run.version,
          run.revision,
          nameServer(run),
          nameWay(run),
          run.engines.length === 0 ? "–" : run.engines.map((engine) => ENGINE_NAMES[engine] ?? engine).join(", "),
          String(run.scenarios.length),
          String(run.passed),
          run.failed === 0 ? "0" : `[${run.failed}](#exceptions)`,
        ]),
      ),
      "Each run includes all of the suite's server scenarios for the client's revision. If a run lists two engines, it was made on both, with the same results in every scenario. The suite only speaks streamable HTTP. An adapter translates it to HTTP with SSE, to test the proxy in front of such a server, too; the runs with only the adapter show which results the adapter causes. Revision 2026-07-28 does not have that transport.",
      "To repeat the runs, use a checkout of the source:",
      fence(
        "bash",
        'norun="Takes the suite from the package registry"',
        "npm run build -w @toolhive/cli\nnpm run conformance -w @toolhive/proxy",
      ),
      "## Exceptions {#exceptions}",
      ...CONFORMANCE_EXCEPTIONS.map((exception) => exceptionBlock(exception, runs)),
      latitudeBlocks(),
      peersBlocks(),
      "## Scenarios {#scenarios}",
      "Checks passed out of checks made, for each run. A dash means that the suite has no such scenario.",
      table(
        ["Scenario", ...runs.map((_, index) => `Run ${index + 1}`)],
        scenarios.map((name) => [code(name), ...runs.map((run) => formatScore(run, name))]),
      ),
    ),
  };
}

function nameServer({ server }: { readonly server: string }): string {
  return SERVERS[server] ?? server;
}

function nameWay({ way }: { readonly way: string }): string {
  return way in WAYS ? WAYS[way as ConformanceWay] : way;
}

function formatScore(run: ConformanceRun, name: string): string {
  const found = run.scenarios.find(({ scenario }) => scenario === name);
  return found === undefined ? "–" : `${found.passed} of ${found.passed + found.failed}`;
}

function belongsTo({ revision, server, ways }: ConformanceException, run: ConformanceRun): boolean {
  return run.revision === revision && run.server === server && ways.some((way) => way === run.way);
}

function exceptionBlock(exception: ConformanceException, runs: readonly ConformanceRun[]): string {
  const numbers = runs.flatMap((run, index) => (belongsTo(exception, run) ? [index + 1] : []));
  return blocks(
    `**${numbers.length === 1 ? "Run" : "Runs"} ${writeRanges(numbers)}.** ${exception.reason}`,
    table(
      ["Scenario", "Checks not passed or not made"],
      Object.entries(exception.scenarios).map(([scenario, short]) => [
        code(scenario),
        short === 0 ? "All of them" : String(short),
      ]),
    ),
  );
}

/** Each shortfall has its reason with the right number, and no reason remains from an earlier run. */
function checkExceptions(runs: readonly ConformanceRun[]): void {
  for (const run of runs) {
    const expected = CONFORMANCE_EXCEPTIONS.filter((exception) => belongsTo(exception, run))
      .flatMap(({ scenarios }) => Object.entries(scenarios))
      .map(([scenario, short]) => `${scenario}: ${short}`);
    const actual = listShortfalls(run, runs).map(({ scenario, short }) => `${scenario}: ${short}`);
    const differing = [
      ...actual.filter((line) => !expected.includes(line)),
      ...expected.filter((line) => !actual.includes(line)),
    ];
    if (differing.length > 0) {
      throw new Error(
        `Conformance ${run.version}, ${run.revision}, ${run.server} server, ${run.way}: results and reasons differ at ${differing.join(", ")}.`,
      );
    }
  }
}

/** Scenarios without a check, with failed ones, or with fewer than the server gets when nothing is between. */
function listShortfalls(run: ConformanceRun, runs: readonly ConformanceRun[]) {
  const direct = runs.find(
    ({ version, revision, server, way }) =>
      version === run.version && revision === run.revision && server === run.server && way === "direct",
  );
  const made = ({ passed, failed }: { readonly passed: number; readonly failed: number }) => passed + failed;
  return run.scenarios.flatMap((each) => {
    const { scenario, passed, failed } = each;
    const directly = direct?.scenarios.find((other) => other.scenario === scenario);
    const short = failed + Math.max(0, (directly === undefined ? 0 : made(directly)) - made(each));
    return short > 0 || passed === 0 ? [{ scenario, short }] : [];
  });
}

const ENGLISH_LIST = new Intl.ListFormat("en-GB", { type: "conjunction" });

/** @returns `1 to 3, 7 and 9`. @param numbers Ascending. */
function writeRanges(numbers: readonly number[]): string {
  const ranges: { readonly first: number; last: number }[] = [];
  for (const number of numbers) {
    const open = ranges.at(-1);
    if (open !== undefined && number === open.last + 1) open.last = number;
    else ranges.push({ first: number, last: number });
  }
  return ENGLISH_LIST.format(
    ranges.flatMap(({ first, last }) => {
      if (first === last) return [String(first)];
      return last === first + 1 ? [String(first), String(last)] : [`${first} to ${last}`];
    }),
  );
}
