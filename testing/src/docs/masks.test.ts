import { expect, test } from "vitest";
import { MASKS, mask } from "./masks.ts";

/** One pair per mask, by its name: texts that are the same once masked. */
const EXAMPLES: Readonly<Record<string, readonly [string, string]>> = {
  "date and time, RFC 3339 and alike": ["at 2026-11-20T12:20:28.123Z", "at 2025-01-02 03:04:05 +0000"],
  "date and time of Helm": ["DEPLOYED: Fri Nov 27 04:50:08 2026", "DEPLOYED: Tue Jan  6 14:00:09 2026"],
  date: ["since 2026-11-20", "since 2025-01-02"],
  "time of day": ["12:20:28 INF up", "01:02:03.456 INF up"],
  "id of 8-4-4-4-12 digits": [
    "session 123e4567-e89b-12d3-a456-426614174000",
    "session 00000000-e89b-12d3-a456-426614174fff",
  ],
  "commit, container or image id: 12 to 64 hexadecimal digits": ["Commit: 7792ad82f027", "Commit: 0a53223d6fcb81"],
  age: ["up 5 minutes ago", "up 2 hours ago"],
  "age below a second in a column of a table": ["echo   10 ms   now", "echo   10 ms   2 seconds ago"],
  "age in a table of kubectl": ["Running 2m10s", "Running 1d3h"],
  "end of a pod's name, consonants and digits, and what its process adds": [
    "fetch-6d5f97cb7d-x2zlp leads",
    "fetch-7c9b5d8f4-kq8mn_350ba512-6bf7-4b20-a60b-fdd6587f0e68 leads",
  ],
  "address within a cluster: of kind, and of the tests": ["ClusterIP 10.96.4.5", "ClusterIP 10.213.128.77:6443"],
  size: ["pulled 12.3 MB", "pulled 4 GiB"],
  duration: ["ready after 1.2 s", "ready after 340 ms"],
  "version of Node.js": ["Node version: v20.20.2", "Node version: v24.1.0"],
  "response time in JSON": ['{"response_time_ms":41.714}', '{"response_time_ms":7}'],
  platform: ["Platform: linux/x64", "Platform: darwin/arm64"],
  "process id": ["runs (pid 12), stop it: kill 12", "runs (pid 4711234), stop it: kill 4711234"],
  "port of an address on this machine": ["http://127.0.0.1:49296/mcp", "http://127.0.0.1:80/mcp"],
  "port in JSON": ['{"name":"a","port":49296}', '{"name":"a","port":80}'],
  "port alone: four or five digits": ["mcp/a 49296 mcp", "mcp/a 8080 mcp"],
  "path of a temporary folder": ["wrote /tmp/thv-a1/x.json", "wrote /tmp/other"],
  "space between columns": ["NAME   STATUS", "NAME      STATUS"],
  "rule below a column's head": ["NAME\n----", "NAME\n-------"],
};

test.each(MASKS.map(({ name }) => name))("what differs in '%s' is the same once masked", (name) => {
  const [left, right] = EXAMPLES[name] ?? ["no example", "for this mask"];

  expect(mask(left)).toBe(mask(right));
  expect(mask(left)).not.toBe(left);
});

test.each([
  ["a status", "everything is running", "everything is stopped"],
  ["a name", "mcp/everything:latest", "mcp/filesystem:latest"],
  ["a version of ours", "ToolHive v0.1.0", "ToolHive v0.2.0"],
  ["an address", "http://127.0.0.1:4000/mcp", "http://127.0.0.1:4000/sse"],
  ["another machine", "http://127.0.0.1:4000/", "http://0.0.0.0:4000/"],
  ["a small number", "3 tools", "4 tools"],
  ["a limit of a processor", "cpus 500m", "cpus 250m"],
  ["a name with two hyphens", "mcp-fetch-proxy", "mcp-fetch-headless"],
  ["an exit code", "ended with code 3", "ended with code 8"],
  ["a decimal number", '{"jsonrpc":"2.0"}', '{"jsonrpc":"3.0"}'],
])("%s is not masked", (_, left, right) => {
  expect(mask(left)).not.toBe(mask(right));
});
