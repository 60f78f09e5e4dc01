/** What servers, registries and files wrote, on a real terminal: `script` makes one and records what reaches it. */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describeEngines, runCommand, runThv, type TestEngine, ThrowawayHome, waitFor } from "@toolhive/testing";
import { expect, test } from "vitest";

const HOSTILE = "\u001b]52;c;ZXZpbA==\u0007\u001b[2J\u001b[31mred\rFAKE 10:00:00 INF all good\u202egnp";
const SHOWN = "\\x1b]52;c;ZXZpbA==\\x07\\x1b[2J\\x1b[31mred\\x0dFAKE 10:00:00 INF all good\\u{202e}gnp";
const RAW = ["\u001b]52", "\u001b[2J", "\u001b[31mred", "\rFAKE", "\u202e", "\u0007"];

/** A server whose every text is hostile: what it logs, and what it calls itself and its tool. */
const SERVER = `
const hostile = ${JSON.stringify(HOSTILE)};
console.error(hostile);
if (process.env.ENDS) process.exit(1);
require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) return;
  const results = {
    initialize: {
      protocolVersion: params?.protocolVersion,
      capabilities: { tools: {} },
      serverInfo: { name: hostile, version: "1" },
    },
    "tools/list": { tools: [{ name: hostile, description: hostile, inputSchema: { type: "object" } }] },
    ping: {},
  };
  const answer = results[method]
    ? { result: results[method] }
    : { error: { code: -32601, message: hostile } };
  console.log(JSON.stringify({ jsonrpc: "2.0", id, ...answer }));
});
`;

async function onTerminal(command: string, home: ThrowawayHome, engine?: TestEngine): Promise<string> {
  const { stdout } = await runCommand(
    "script",
    ["--quiet", "--flush", "--command", `stty cols 200; ${command}`, "/dev/null"],
    {
      cwd: home.workDirectory,
      env: { ...home.env(engine), TERM: "xterm", LANG: "C.UTF-8" },
    },
  );
  return stdout;
}

function expectShown(screen: string): void {
  expect(screen).toContain("\\x1b]52;c;ZXZpbA==\\x07");
  expect(screen).toContain("\\u{202e}");
  for (const sequence of RAW) expect(screen).not.toContain(sequence);
}

// `script` gives a command a terminal; each system's own takes other arguments.
describeEngines("on a terminal, with $kind", { kinds: ["docker"] }, (engine) => {
  test("what a server writes is shown and not obeyed; a pipe gets its bytes", async () => {
    await using home = await ThrowawayHome.create();
    await writeFile(join(home.workDirectory, "server.cjs"), SERVER);
    const server = (name: string, ...more: string[]) => [
      "run",
      "--name",
      name,
      "--volume",
      `${home.workDirectory}:/hostile:ro`,
      ...more,
      "toolhive-test/sidecar-base:test",
      "--",
      "/hostile/server.cjs",
    ];
    const started = await runThv(server("hostile"), { home, engine });
    expect(started).toMatchObject({ code: 0 });
    const logs = await waitFor(
      async () => {
        const { stdout } = await runThv(["logs", "hostile"], { home, engine });
        return stdout.includes("gnp") ? stdout : undefined;
      },
      { what: "the server's line" },
    );

    expect(logs).toContain(HOSTILE);
    const screen = await onTerminal("thv logs hostile", home, engine);
    expect(screen).toContain(SHOWN);
    expectShown(screen);
    expectShown(await onTerminal("thv mcp list --server hostile", home, engine));
    const json = await onTerminal("thv mcp list --server hostile --format json", home, engine);
    expect(json).toContain("\\u202e");
    for (const sequence of RAW) expect(json).not.toContain(sequence);
    expectShown(await onTerminal(`thv ${server("ending", "--env", "ENDS=1").join(" ")}`, home, engine));
  });

  test("what a registry and a file hold is shown in errors", async () => {
    await using home = await ThrowawayHome.create();
    const registry = JSON.stringify({ version: HOSTILE, servers: { [HOSTILE]: { image: HOSTILE } } });
    await writeFile(join(home.workDirectory, "registry.json"), registry);
    await writeFile(join(home.workDirectory, "profile.json"), JSON.stringify({ [HOSTILE]: 1 }));

    for (const command of [
      "thv config set-registry-url ./registry.json",
      "thv run --permission-profile ./profile.json toolhive-test/sidecar-base:test",
      `thv "$(printf '${HOSTILE.replaceAll("\u001b", "\\033").replaceAll("\r", "\\r").replaceAll("\u0007", "\\a")}')"`,
    ]) {
      const screen = await onTerminal(command, home, engine);
      expect(screen).toContain("Error:");
      for (const sequence of RAW) expect(screen).not.toContain(sequence);
    }
  });
});
