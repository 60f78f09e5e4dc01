import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { createServer } from "node:net";
import { expect, test } from "vitest";
import { parseBindAddress } from "./bind-address.ts";
import { printMetrics } from "./print-metrics.ts";
import { serveStatus } from "./serve-status.ts";

const LOOPBACK = { host: "127.0.0.1", port: 0 };

test.each([
  [":8080", { host: "::", port: 8080 }],
  ["127.0.0.1:0", { host: "127.0.0.1", port: 0 }],
  ["[::1]:8081", { host: "::1", port: 8081 }],
  ["localhost:65535", { host: "localhost", port: 65_535 }],
  ["0", undefined],
])("reads the address %s", (text, expected) => {
  expect(parseBindAddress(text, "--metrics-bind-address")).toEqual(expected);
});

test.each(["", "8080", ":", ":65536", ":080x", "a:b:1", "[::1]", "::1:8080", " :1"])(
  "refuses the address %j",
  (text) => {
    expect(() => parseBindAddress(text, "--metrics-bind-address")).toThrow(
      expect.objectContaining({
        code: "USAGE",
        message: `--metrics-bind-address is "${text}" but must be HOST:PORT, :PORT or 0.`,
      }),
    );
  },
);

test("answers its pages, as they are at that moment, and nothing else", async () => {
  let isReady = false;
  await using listener = await serveStatus(LOOPBACK, {
    "/readyz": () => (isReady ? { text: "ok\n" } : { text: "not yet\n", status: 503 }),
  });
  const ask = async (path: string, method = "GET") => {
    const answer = await fetch(`http://127.0.0.1:${listener.port}${path}`, { method });
    return [answer.status, await answer.text()];
  };

  expect(await ask("/readyz")).toEqual([503, "not yet\n"]);
  isReady = true;
  expect(await ask("/readyz?verbose")).toEqual([200, "ok\n"]);
  expect(await ask("/readyz", "HEAD")).toEqual([200, ""]);
  expect(await ask("/readyz", "POST")).toEqual([404, "not found\n"]);
  expect(await ask("/constructor")).toEqual([404, "not found\n"]);
});

test("says which port is in use, and what to do", async () => {
  const other = createServer().listen(0, "127.0.0.1");
  await once(other, "listening");
  const { port } = other.address() as AddressInfo;

  await expect(serveStatus({ host: "127.0.0.1", port }, {})).rejects.toMatchObject({
    code: "PORT_IN_USE",
    message: `Port ${port} is in use already.`,
  });
  other.close();
});

test("prints metrics as Prometheus reads them", () => {
  const counts = { servers: 3, queued: 1, reconciles: 10, failures: 2, requests: { reads: 5, writes: 7 } };
  const lines = printMetrics({ isLeader: true, ...counts }).split("\n");

  expect(lines).toContain('leader_election_master_status{name="toolhive-operator-leader-election"} 1');
  expect(lines).toContain('controller_runtime_reconcile_total{controller="mcpserver",result="success"} 8');
  expect(lines).toContain('controller_runtime_reconcile_total{controller="mcpserver",result="error"} 2');
  expect(lines).toContain('toolhive_operator_api_requests_total{kind="write"} 7');
  expect(lines).toContain("toolhive_operator_mcpservers 3");
  for (const line of lines.slice(0, -1)) {
    expect(line).toMatch(/^(# (HELP|TYPE) [a-z_]+ .+|[a-z_]+(\{[a-z]+="[a-z-]+"(,[a-z]+="[a-z-]+")*\})? \d+(\.\d+)?)$/);
  }
});
