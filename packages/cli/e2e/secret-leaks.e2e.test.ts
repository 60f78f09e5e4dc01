import { readdir, readFile, stat, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { dirname, join } from "node:path";
import { TestIssuer } from "@toolhive/core/testing";
import { listen } from "@toolhive/http";
import { describeEngines, runThv, type TestEngine, ThrowawayHome } from "@toolhive/testing";
import { expect, test } from "vitest";
import { ALLOWED_PLACES, PLACES, type Place, SECRETS, type SecretKind } from "../src/facts/secret-places.ts";
import { filesWith } from "../src/testing/files-with.ts";

const MARKERS: Readonly<Record<Exclude<SecretKind, "bearer">, string>> = {
  stored: "mk1-stored-9f27",
  variable: "mk2-variable-51c3",
  password: "mk3-password-77aa",
  argument: "mk4-argument-0b6e",
  // The sum of two numbers: what a tool returns is not among what it was given.
  result: "1573081194626",
  issuerToken: "mk5-issuer-e41d",
  telemetryHeader: "mk6-header-c8f0",
};
const ENV = { TOOLHIVE_SECRETS_PASSWORD: MARKERS.password };
const CLIENT = { "content-type": "application/json", accept: "application/json, text/event-stream" };

/** What was seen where. */
type Loot = Record<Place, string>;

/** A collector on loopback that keeps what it gets; headers too, because ours go to the receiver only. */
async function startCollector() {
  const bodies: string[] = [];
  const server = createServer((request, response) => {
    request.on("data", (chunk) => bodies.push(String(chunk)));
    request.on("end", () => response.end("{}"));
  });
  const port = await listen(server);
  return {
    bodies,
    endpoint: `http://127.0.0.1:${port}`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function call(url: string, bearer: string): Promise<string> {
  const send = (body: unknown, headers: Record<string, string>) =>
    fetch(url, { method: "POST", body: JSON.stringify(body), headers: { ...CLIENT, ...headers } });
  const headers = { authorization: `Bearer ${bearer}` };
  const params = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "hunt", version: "1" } };
  const opened = await send({ jsonrpc: "2.0", id: 0, method: "initialize", params }, headers);
  const session = { ...headers, "mcp-session-id": opened.headers.get("mcp-session-id") ?? "" };
  await opened.text();
  await (await send({ jsonrpc: "2.0", method: "notifications/initialized" }, session)).text();
  const tool = (id: number, name: string, args: object) =>
    send({ jsonrpc: "2.0", id, method: "tools/call", params: { name, arguments: args } }, session).then((r) =>
      r.text(),
    );
  await tool(1, "echo", { message: "hello", api_key: MARKERS.argument });
  const sum = await tool(2, "get-sum", { a: 731_029_458_217, b: 842_051_736_409 });
  return `${sum}\n${await tool(3, "get-env", {})}`;
}

/** Which of the markers are in a file that the engine keeps; of a private one, because another's are not ours to read. */
async function searchEngine(engine: TestEngine, markers: readonly string[]): Promise<string> {
  if (!engine.origin.startsWith("private")) return "";
  const folder = dirname(engine.host.slice("unix://".length));
  const homes = process.env.TOOLHIVE_TEST_HOMES;
  const found = await Promise.all(
    markers.map(async (marker) => {
      const files = await filesWith(marker, [folder]);
      // Those of this test and of others, which are searched as such.
      return files.some((file) => homes === undefined || !file.startsWith(`${homes}/thv-`)) ? [marker] : [];
    }),
  );
  return found.flat().join("\n");
}

async function readFiles(home: ThrowawayHome, isWanted: (path: string) => boolean): Promise<string> {
  const files = await readdir(home.path, { recursive: true, withFileTypes: true });
  const paths = files.filter((file) => file.isFile()).map((file) => join(file.parentPath, file.name));
  return (await Promise.all(paths.filter(isWanted).map((path) => readFile(path, "latin1")))).join("\n");
}

async function readProcesses(home: ThrowawayHome, what: "cmdline" | "environ"): Promise<string> {
  const texts = (await home.listProcesses()).map(({ pid }) => readFile(`/proc/${pid}/${what}`, "latin1"));
  return (await Promise.all(texts)).join("\n");
}

/** Does everything that a secret takes part in, and gathers what can be searched. */
async function runEverything(engine: TestEngine, home: ThrowawayHome) {
  await using issuer = await TestIssuer.start();
  await using collector = await startCollector();
  const messages: string[] = [];
  const thv = async (args: readonly string[], input?: string) => {
    const result = await runThv(args, { home, engine, env: ENV, input });
    messages.push(result.stdout, result.stderr);
    return result;
  };
  const tokenFile = join(home.path, "issuer-token");
  const audit = join(home.path, "audit.json");
  const auditLog = join(home.path, "audit.log");
  await writeFile(tokenFile, MARKERS.issuerToken, { mode: 0o600 });
  await writeFile(
    audit,
    JSON.stringify({
      log_file: auditLog,
      include_request_data: true,
      include_response_data: false,
      max_data_size: 9999,
    }),
  );
  await thv(["secret", "provider", "encrypted"]);
  await thv(["secret", "set", "token"], MARKERS.stored);
  const flags = [
    ...["--secret", "token,target=API_TOKEN", "--env", `PLAIN=${MARKERS.variable}`],
    ...["--oidc-issuer", issuer.url, "--oidc-audience", "hunt", "--jwks-allow-private-ip"],
    ...["--jwks-auth-token-file", tokenFile, "--audit-config", audit],
    ...["--otel-endpoint", collector.endpoint, "--otel-sampling-rate", "1"],
    ...["--otel-headers", `x-key=${MARKERS.telemetryHeader}`],
  ];
  const started = await thv(["run", "--name", "hunted", ...flags, "mcp/everything:test"]);
  expect(started).toMatchObject({ code: 0 });
  const url = started.stdout.trim().split(" ").at(-1) ?? "";
  const bearer = await issuer.sign({ claims: { aud: "hunt", sub: "ada" } });
  const server = await call(url, bearer);
  messages.push(await (await fetch(url, { method: "POST", headers: { authorization: `Bearer ${bearer}x` } })).text());
  await thv(["list", "--all", "--format", "json"]);
  const exported = (await runThv(["export", "hunted"], { home, engine, env: ENV })).stdout;
  await thv(["run", "--name", "hunted", ...flags, "mcp/everything:test"]);
  await thv(["run", "--name", "broken", "--secret", "nope,target=X", ...flags, "mcp/everything:test"]);
  const bearers = { ...MARKERS, bearer };
  const engineFiles = await searchEngine(engine, Object.values(bearers));
  const inspect = (await engine.cli(["inspect", "hunted"])).stdout;
  const processes = {
    arguments: await readProcesses(home, "cmdline"),
    environment: await readProcesses(home, "environ"),
  };
  const environments = (await home.listProcesses()).map(({ pid }) => stat(`/proc/${pid}/environ`));
  for (const { mode } of await Promise.all(environments)) expect(mode & 0o077).toBe(0);
  await home.stopSupervisor();
  const runConfigs = join(home.stateDirectory, "runconfigs");
  const isKnown = (path: string) => path.startsWith(runConfigs) || [auditLog, tokenFile].includes(path);
  const loot: Loot = {
    ...processes,
    inspect,
    runConfig: await readFiles(home, (path) => path.startsWith(runConfigs)),
    secretFiles: await readFile(tokenFile, "utf8"),
    files: await readFiles(home, (path) => !isKnown(path)),
    exported,
    messages: messages.join("\n"),
    audit: await readFile(auditLog, "utf8"),
    traces: collector.bodies.join("\n"),
    engineFiles,
    server,
  };
  for (const file of await readdir(runConfigs)) {
    expect((await stat(join(runConfigs, file))).mode & 0o077).toBe(0);
  }
  return { loot, bearer };
}

describeEngines("secrets on $kind", (engine) => {
  test("are found after a full run where they may be, and nowhere else", async () => {
    await using home = await ThrowawayHome.create();

    const { loot, bearer } = await runEverything(engine, home);

    const markers = { ...MARKERS, bearer };
    const found = (Object.keys(SECRETS) as SecretKind[]).flatMap((secret) =>
      (Object.keys(PLACES) as Place[])
        .filter((place) => loot[place].includes(markers[secret]))
        .map((place) => `${secret} in ${place}`),
    );
    const isSearched = (place: Place) => place !== "engineFiles" || engine.origin.startsWith("private");
    const allowed = ALLOWED_PLACES.filter(({ place }) => isSearched(place));
    expect(found.sort()).toEqual(allowed.map(({ secret, place }) => `${secret} in ${place}`).sort());
    // The hunt is worth nothing where nothing was written.
    expect(loot.audit).toContain("mcp_tool_call");
    expect(loot.audit).toContain("[redacted]");
    expect(loot.traces).toContain("mcp.tools/call");
  });
});
