/** The proxy beside other proxies, through containers, and beside a bare one. */
import {
  BESIDE_BARE_RESULTS as beside,
  CONTAINER_BENCH_RESULTS as containers,
  PROXY_BENCH_RESULTS as proxy,
} from "@toolhive/proxy/facts/results";
import { type Bar, barPicture, describeBars, sizeOfBars } from "../bar-picture.ts";
import { ENGINE_NAMES } from "../data/engine-names.ts";
import { fence, table } from "../markdown.ts";
import { COLUMNS, nameTarget, PROXIES, round } from "./names.ts";

const PROXY_FIGURES = [
  ["p50, ms", "p50"],
  ["p99, ms", "p99"],
  ["CPU ms/call", "cpuMsPerCall"],
  ["Memory, MB", "memoryMiB"],
] as const;

export function writeProxy(): string[] {
  return [
    "## Proxy {#proxy}",
    `The benchmark calls one tool of a stdio echo server through each proxy, over streamable HTTP. The targets run in turn on ${proxy.machine.cores} cores (${proxy.machine.cpu}, Node ${proxy.machine.node}), with a load of ${proxy.machine.loadBefore} from other work at the start. Compare them with each other, not with results from your own machine. The bare bridge has none of a proxy's features. It shows the cost of Node's HTTP server and of the connection to the server.`,
    ...PROXY_CHARTS.flatMap((chart) => [`**${chart.title}:**`, writeChart(chart)]),
    "The tables show the memory of the proxy's process after the calls of each row.",
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
    "Memory in MB of the proxy's process when idle and after the run, and of the process with its children after the run:",
    table(
      ["", ...PROXIES.map(nameTarget)],
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
  return cells.every((cell) => cell === "–") ? [] : [[String(sessions), nameTarget(target), ...cells]];
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
      : [{ name: nameTarget(target), value, text: `${round(value)} ${unit}`, isOurs: target === "ours" }];
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
    `${containers.sessions} sessions call a stdio server in a container, with responses of 100 B: through \`thv\`, through other tools that start \`docker run -i\` with the same image, and directly on the container's stdio with as many concurrent calls. The targets run in turn on ${containers.machine.cores} cores (${containers.machine.cpu}, Node ${containers.machine.node}, ${nameEngine(containers.machine.engine)}), with a load of ${containers.machine.loadBefore} from other work at the start. Memory is that of the supervisor or of the other tool's process, first without and then with all of its children.`,
    table(
      ["", "calls/s", "p50, ms", "p99, ms", "CPU ms/call", "Memory, MB", "With children, MB"],
      containers.rows.map((row) => [
        row.target === "direct" ? "No proxy" : nameTarget(row.target as (typeof PROXIES)[number]),
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
    "### Compared with a bare HTTP proxy {#bare-http}",
    `This benchmark calls a server that speaks streamable HTTP, through ToolHive and through a bare proxy: a few lines of Node that copy requests and responses, without checks, counts or pins. Each number is ToolHive's result divided by the bare proxy's, as the median of ${beside.rounds} consecutive rounds on ${machine.cores} cores (${machine.cpu}, Node ${machine.node}), with a load of ${machine.loadBefore} before and ${machine.loadAfter} after the run. Higher is better for calls, lower is better for p99 and CPU time.`,
    table(
      ["Server", "Sessions", "Response", "calls/s", "p99", "CPU"],
      KINDS.flatMap(([kind, name]) =>
        ours
          .filter(({ target }) => target === kind)
          .map(({ sessions, bytes, perSecond, p99, cpu }) => [
            name,
            String(sessions),
            nameSize(bytes),
            ...[perSecond, p99, cpu].map(round),
          ]),
      ),
    ),
    `ToolHive's goals are at least ${NEAR_LIMIT.perSecond} for calls and at most ${NEAR_LIMIT.p99} for p99 and CPU time. ${near.length} of ${ours.length} rows meet all three. Long responses take the most CPU time.`,
    fence("bash", 'norun="Takes half an hour"', "npm run bench:http -w @toolhive/proxy"),
  ];
}

/** @param engine As the benchmark notes it: `docker, private, version 20.10.24`. */
function nameEngine(engine: string): string {
  const [id = ""] = engine.split(",");
  return `${ENGINE_NAMES[id] ?? id} ${engine.split(" version ").at(-1)}`;
}

function nameSize(bytes: number): string {
  if (bytes >= 1_000_000) return `${bytes / 1_000_000} MB`;
  return bytes >= 1000 ? `${bytes / 1000} kB` : `${bytes} B`;
}
