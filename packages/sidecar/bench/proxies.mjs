/**
 * Egress proxies side by side, on the loopback interface: memory, time to the first answer, round trip of a request and of a
 * new tunnel. `node packages/sidecar/bench/proxies.mjs`; tinyproxy and squid take part where they are on the PATH.
 */
import { execFileSync, spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, request } from "node:http";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { build } from "esbuild";

const ROUNDS = 500;
const folder = mkdtempSync(join(tmpdir(), "thv-proxies-"));
const write = (name, text) => {
  writeFileSync(join(folder, name), text);
  return join(folder, name);
};

const target = createServer((_incoming, answer) => answer.end("ok")).listen(0, "127.0.0.1");
await new Promise((resolve) => target.once("listening", resolve));
const { port: targetPort } = target.address();

await build({
  stdin: {
    contents: `
      import { DenialLog } from "./denial-log.ts";
      import { EgressPolicy } from "./egress-policy.ts";
      import { EgressProxy } from "./egress-proxy.ts";
      const policy = new EgressPolicy({ allowAll: false, hosts: ["127.0.0.1"], ports: [] }, undefined);
      new EgressProxy({ policy, denials: new DenialLog(policy, () => {}) }).server.listen(Number(process.argv[2]), "127.0.0.1");`,
    resolveDir: new URL("../src", import.meta.url).pathname,
    loader: "ts",
  },
  bundle: true,
  platform: "node",
  format: "esm",
  outfile: join(folder, "own.mjs"),
});

const isThere = (program) => {
  try {
    execFileSync("sh", ["-c", `command -v ${program}`]);
    return true;
  } catch {
    return false;
  }
};

const PROXIES = [
  {
    name: "own (Node.js)",
    port: 18_101,
    command: () => ["node", "--max-semi-space-size=1", "--max-old-space-size=64", join(folder, "own.mjs"), "18101"],
  },
  {
    name: "tinyproxy",
    port: 18_102,
    command: () => {
      const filter = write("filter", "^127\\.0\\.0\\.1$\n");
      const lines = [
        "Port 18102",
        "Listen 127.0.0.1",
        "Timeout 60",
        `Filter "${filter}"`,
        "FilterDefaultDeny Yes",
        "DisableViaHeader Yes",
      ];
      return isThere("tinyproxy") && ["tinyproxy", "-d", "-c", write("tinyproxy.conf", lines.join("\n"))];
    },
  },
  {
    name: "squid",
    port: 18_103,
    command: () => {
      const lines = [
        "http_port 127.0.0.1:18103",
        "acl ok dst 127.0.0.1",
        "http_access allow ok",
        "http_access deny all",
        "cache deny all",
        "cache_mem 0",
        "access_log none",
        "cache_log /dev/null",
        "pid_filename none",
        "shutdown_lifetime 0 seconds",
        "pinger_enable off",
      ];
      // Where it is not installed but unpacked: lines that say where its files are.
      if (process.env.SQUID_EXTRA) lines.push(process.env.SQUID_EXTRA);
      return isThere("squid") && ["squid", "-N", "-f", write("squid.conf", lines.join("\n"))];
    },
  },
];

const get = (port) =>
  new Promise((resolve, reject) => {
    const sent = request(
      { host: "127.0.0.1", port, path: `http://127.0.0.1:${targetPort}/`, agent: false },
      (answer) => {
        answer
          .resume()
          .on("end", () => (answer.statusCode === 200 ? resolve() : reject(new Error(String(answer.statusCode)))));
      },
    );
    sent.on("error", reject).end();
  });

const tunnel = (port) =>
  new Promise((resolve, reject) => {
    const socket = connect(port, "127.0.0.1", () =>
      socket.write(`CONNECT 127.0.0.1:${targetPort} HTTP/1.1\r\nHost: x\r\n\r\n`),
    );
    socket.on("error", reject).once("data", (data) => {
      socket.destroy();
      data.toString().startsWith("HTTP/1.") ? resolve() : reject(new Error(data.toString()));
    });
  });

async function median(run) {
  const times = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const begin = performance.now();
    await run();
    times.push(performance.now() - begin);
  }
  return times.sort((one, other) => one - other)[ROUNDS / 2];
}

async function untilAnswers(port) {
  const begin = performance.now();
  for (;;) {
    const answered = await get(port).then(
      () => true,
      () => false,
    );
    if (answered) return performance.now() - begin;
    if (performance.now() - begin > 20_000) throw new Error("it does not answer");
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
}

/** MiB; proportional: what is shared is shared out. */
const memory = (pid, key) =>
  Number(new RegExp(`^${key}:\\s+(\\d+)`, "m").exec(readFileSync(`/proc/${pid}/smaps_rollup`, "utf8"))[1]) / 1024;

const results = [];
try {
  for (const { name, port, command } of PROXIES) {
    const line = command();
    if (!line) continue;
    const child = spawn(line[0], line.slice(1), { stdio: "ignore" });
    try {
      const startMs = await untilAnswers(port);
      const requestMs = await median(() => get(port));
      const tunnelMs = await median(() => tunnel(port));
      results.push({
        name,
        startMs,
        requestMs,
        tunnelMs,
        rssMiB: memory(child.pid, "Rss"),
        privateMiB: memory(child.pid, "Private_Dirty"),
      });
    } finally {
      child.kill("SIGKILL");
    }
  }
  const directMs = await median(
    () =>
      new Promise((resolve, reject) =>
        request({ host: "127.0.0.1", port: targetPort, agent: false }, (answer) => answer.resume().on("end", resolve))
          .on("error", reject)
          .end(),
      ),
  );
  const rounded = results.map((result) =>
    Object.fromEntries(
      Object.entries(result).map(([key, value]) => [key, typeof value === "number" ? Number(value.toFixed(2)) : value]),
    ),
  );
  process.stdout.write(
    `${JSON.stringify({ rounds: ROUNDS, directMs: Number(directMs.toFixed(2)), proxies: rounded }, undefined, 2)}\n`,
  );
} finally {
  target.close();
  target.closeAllConnections();
  rmSync(folder, { recursive: true });
}
