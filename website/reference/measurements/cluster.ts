/** What was measured of the operator: many MCPServers, and changes that running pods receive. */
import { CHANGE_BENCH_RESULTS as changes, SCALE_BENCH_RESULTS as scale } from "@toolhive/operator/facts/results";
import { fence, table } from "../markdown.ts";
import { round } from "./names.ts";

export function writeCluster(): string[] {
  const { seconds, machine } = changes;
  const rows = [
    ["Another choice of tools of a server, in an open session", seconds.tools],
    ["A server that joins or leaves a group, in an open session of the group", seconds.members],
    ["Another choice of tools of a group, in an open session", seconds.choices],
    ["The first call of a stopped stdio server", seconds.waking.stdio],
    ["The first call of a stopped HTTP server", seconds.waking.http],
  ] as const;
  return [
    "## On Kubernetes {#kubernetes}",
    `One operator with many \`MCPServer\` objects, on a real API server with etcd and with simulated nodes, all on ${scale.machine.cores} cores (${scale.machine.cpu}, Node ${scale.machine.node}). *Until all run* is the time from the start of the operator. The writes, reads and processor time are those of the operator.`,
    table(
      [
        "Servers",
        "Load",
        "Until all run, s",
        "Writes per server",
        "Reads per server",
        "Writes per minute at rest",
        "Memory, MiB",
        "A change, p50 and p99, ms",
        "Restart, s",
        "Leader killed, s",
      ],
      scale.sizes.map((size) => [
        size.servers.toLocaleString("en-US"),
        ...[size.loadAverage, size.convergeSeconds, size.writesPerServer, size.readsPerServer].map(round),
        String(size.restOfOneMinute.writes),
        String(size.memoryMiB.peak),
        `${size.changeMs.p50}, ${size.changeMs.p99}`,
        ...[size.restart.seconds, size.takeoverSeconds].map(round),
      ]),
    ),
    `Seconds until a change reaches a client, on one real node with ${machine.cores} cores, with a load of ${machine.loadAverage.map(round).join(" before and ")} after. Changes count from the end of \`kubectl apply\`, and calls from their start; the images are on the node.`,
    table(
      ["What", "Count", "Median, s", "p95, s", "Slowest, s"],
      rows.map(([what, each]) => [what, String(each.count), ...[each.median, each.p95, each.slowest].map(round)]),
    ),
    fence("bash", 'norun="Takes minutes, and a Kubernetes cluster"', "npm run bench -w @toolhive/operator"),
  ];
}
