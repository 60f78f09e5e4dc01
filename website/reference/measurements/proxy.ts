/** The proxy beside other proxies, through containers, and beside a bare one. */
import {
  BESIDE_BARE_RESULTS as beside,
  CONTAINER_BENCH_RESULTS as containers,
  PROXY_BENCH_RESULTS as proxy,
} from "@toolhive/proxy/facts/results";
import { type Bar, barPicture, describeBars, sizeOfBars } from "../bar-picture.ts";
import { fence, table } from "../markdown.ts";
import { COLUMNS, nameOfTarget, PROXIES, round } from "./names.ts";

const PROXY_FIGURES = [
  ["p50, ms", "p50"],
  ["p99, ms", "p99"],
  ["CPU ms/call", "cpuMsPerCall"],
  ["Memory, MB", "memoryMiB"],
] as const;

export function writeProxy(): string[] {
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

export function writeContainers(): string[] {
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

/** The costs of one call as multiples of a bare proxy's: at least this many calls, and at most so much of the others. */
const NEAR_LIMIT = { perSecond: 0.9, p99: 1.2, cpu: 1.2 } as const;
const KINDS = [
  ["http", "HTTP, as of a container"],
  ["remote", "Remote"],
] as const;

export function writeBesideBare(): string[] {
  const ours = beside.rows.filter(({ target }) => KINDS.some(([kind]) => kind === target));
  const near = ours.filter(
    ({ perSecond, p99, cpu }) => perSecond >= NEAR_LIMIT.perSecond && p99 <= NEAR_LIMIT.p99 && cpu <= NEAR_LIMIT.cpu,
  );
  const { machine } = beside;
  return [
    "### Beside a bare HTTP proxy {#bare-http}",
    `A server that speaks streamable HTTP, through ToolHive and through a proxy of a few lines of Node that only copies requests and responses: it checks nothing, counts nothing and pins nothing. Each number is a multiple of that proxy's, the median of ${beside.rounds} rounds that follow each other, on ${machine.cores} cores (${machine.cpu}, Node ${machine.node}), with a load of ${machine.loadBefore} before and ${machine.loadAfter} after the run. More calls are better; less p99 and CPU time are better.`,
    table(
      ["Server", "Sessions", "Response", "calls/s", "p99", "CPU"],
      KINDS.flatMap(([kind, name]) =>
        ours
          .filter(({ target }) => target === kind)
          .map(({ sessions, bytes, perSecond, p99, cpu }) => [
            name,
            String(sessions),
            nameOfSize(bytes),
            ...[perSecond, p99, cpu].map(round),
          ]),
      ),
    ),
    `ToolHive's goal is at least ${NEAR_LIMIT.perSecond} of the calls, with at most ${NEAR_LIMIT.p99} times the p99 and the CPU time. ${near.length} of ${ours.length} rows meet all three. Long responses cost most, because the proxy reads each one for changed tools.`,
    fence("bash", 'norun="Takes half an hour"', "npm run bench:http -w @toolhive/proxy"),
  ];
}

function nameOfSize(bytes: number): string {
  if (bytes >= 1_000_000) return `${bytes / 1_000_000} MB`;
  return bytes >= 1000 ? `${bytes / 1000} kB` : `${bytes} B`;
}
