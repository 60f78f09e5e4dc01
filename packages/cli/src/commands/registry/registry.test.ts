import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { main } from "../../main.ts";
import { FakeTerminal } from "../../testing/fake-terminal.ts";

let home: string;

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), "thv-cli-registry-"));
});

afterEach(async () => {
  await rm(home, { recursive: true });
});

async function thv(...argv: string[]) {
  const env = { HOME: home, XDG_CONFIG_HOME: home, XDG_DATA_HOME: home, XDG_STATE_HOME: home };
  const fake = new FakeTerminal({ env });
  const code = await main({ ...fake.options, argv, signal: new AbortController().signal });
  return { code, stdout: fake.stdout, stderr: fake.stderr };
}

const BUNDLED = "Registry: bundled, July 2025. For a list of today: thv config set-registry-url URL\n";

const configPath = () => join(home, "toolhive/config.yaml");

async function writeRegistry(servers: object): Promise<string> {
  const path = join(home, "registry.json");
  await writeFile(path, JSON.stringify({ version: "1.0.0", last_updated: "2026-01-01T00:00:00Z", servers }));
  return path;
}

const WEATHER = {
  image: "ghcr.io/acme/weather-mcp:1.4.0",
  description: "Tells the weather of any place, with forecasts for the coming days.",
  tier: "Community",
  status: "Deprecated",
  transport: "sse",
  target_port: 8001,
  tools: ["get_weather"],
  tags: ["climate"],
  env_vars: [
    { name: "TOKEN", description: "Token of the service.", required: true, secret: true },
    { name: "CITY", description: "City to begin with.", required: true },
    { name: "UNITS", description: "Units to answer in.", required: false, default: "metric" },
  ],
  permissions: { read: ["/srv/maps"], network: { outbound: { allow_host: [".weather.example"], allow_port: [443] } } },
};

describe("thv registry list", () => {
  test("shows the built-in servers by name, one a line", async () => {
    const { code, stdout, stderr } = await thv("registry", "list");

    const lines = stdout.trimEnd().split("\n");
    expect([code, stderr]).toEqual([0, BUNDLED]);
    expect(lines).toHaveLength(30);
    expect(lines[0]).toMatch(/^NAME +DESCRIPTION +TIER +STARS +PULLS$/);
    expect(lines[1]).toMatch(/^atlassian +Read and edit Confluence .*\.\.\. +Community +2454 +9659$/);
    expect(await thv("registry", "ls")).toMatchObject({ stdout });
  });

  test("prints the servers as the API does with --format json", async () => {
    const servers = JSON.parse((await thv("registry", "list", "--format", "json")).stdout);

    expect(servers).toHaveLength(29);
    expect(servers[0]).toMatchObject({ name: "atlassian", transport: "stdio", env_vars: expect.any(Array) });
  });

  test("marks deprecated servers, shows those without numbers, and an empty registry", async () => {
    await thv("config", "set-registry-url", await writeRegistry({ weather: WEATHER }));
    const marked = await thv("registry", "list");
    await writeRegistry({});

    expect(marked.stdout).toMatch(/^weather +DEPRECATED Tells the weather .*\.\.\. +Community +0 +0$/m);
    expect(await thv("registry", "list")).toEqual({ code: 0, stdout: "", stderr: "The registry lists no servers.\n" });
    expect((await thv("registry", "list", "--format", "json")).stdout).toBe("[]\n");
  });
});

describe("thv registry info", () => {
  test("shows everything that is known, and the command that runs it", async () => {
    await thv("config", "set-registry-url", await writeRegistry({ weather: WEATHER }));

    const { code, stdout } = await thv("registry", "info", "weather");

    expect(code).toBe(0);
    expect(stdout).toBe(
      [
        "Name: weather",
        "Image: ghcr.io/acme/weather-mcp:1.4.0",
        "Description: Tells the weather of any place, with forecasts for the coming days.",
        "Tier: Community",
        "Status: Deprecated",
        "Transport: sse",
        "Target Port: 8001",
        "Has Provenance: No",
        "",
        "Tools:",
        "  - get_weather",
        "",
        "Environment Variables:",
        "  - TOKEN (required, secret): Token of the service.",
        "  - CITY (required): City to begin with.",
        "  - UNITS (default: metric): Units to answer in.",
        "",
        "Tags:",
        "  climate",
        "",
        "Permissions:",
        "  Read: /srv/maps",
        "  Network, Allow Host: .weather.example",
        "  Network, Allow Port: 443",
        "",
        "Example Command:",
        "  thv run --secret NAME,target=TOKEN --env CITY=VALUE weather",
        "",
      ].join("\n"),
    );
  });

  test("prints an object with --format json", async () => {
    const { stdout } = await thv("registry", "info", "github", "--format", "json");

    expect(JSON.parse(stdout)).toMatchObject({ name: "github", provenance: { runner_environment: "github-hosted" } });
  });

  test.each([
    ["githb", "Did you mean: thv registry info github"],
    ["no-such-server-at-all", "See the available servers: thv registry list"],
  ])("says that there is no %s, and what to do", async (name, hint) => {
    const { code, stdout, stderr } = await thv("registry", "info", name);

    expect([code, stdout]).toEqual([3, ""]);
    expect(stderr).toBe(`Error: The registry has no server named "${name}".\nHint: ${hint}\n`);
  });
});

describe("thv search", () => {
  test("finds by name, tag and description, the best name first", async () => {
    const names = async (query: string) =>
      JSON.parse((await thv("search", query, "--format", "json")).stdout).map(({ name }: { name: string }) => name);

    expect((await names("GIT")).slice(0, 2)).toEqual(["git", "github"]);
    expect(await names("vulnerability-detection")).toEqual(["osv", "semgrep"]);
    expect((await names("time zone"))[0]).toBe("time");
    expect((await names("run SQL queries"))[0]).toBe("sqlite");
  });

  test("shows a table, and says when nothing matches", async () => {
    const found = await thv("search", "sqlite");

    expect(found.stdout).toMatch(/^NAME +DESCRIPTION +TRANSPORT +STARS +PULLS\nsqlite +.* sse +\d+ +\d+\n$/);
    expect(found.stderr).toBe(`1 server matches "sqlite".\n${BUNDLED}`);
    expect(await thv("search", "zzz")).toEqual({
      code: 0,
      stdout: "",
      stderr: 'No server matches "zzz". See all of them: thv registry list\n',
    });
    expect((await thv("search", "zzz", "--format", "json")).stdout).toBe("[]\n");
  });
});

describe("thv config …-registry-url", () => {
  test("keeps the absolute path of a file, shows it, and forgets it", async () => {
    const path = await writeRegistry({ weather: WEATHER });

    expect(await thv("config", "set-registry-url", path)).toEqual({
      code: 0,
      stdout: `The registry is ${path} (1 server).\n`,
      stderr: "Its entries ask for folders of this machine: weather (/srv/maps). Look at one: thv registry info NAME\n",
    });
    expect((await thv("config", "get-registry-url")).stdout).toBe(`${path}\n`);
    expect(JSON.parse((await thv("config", "get-registry-url", "--format", "json")).stdout)).toEqual({
      registry_url: path,
      allow_private_registry_ip: false,
    });
    expect(await thv("config", "unset-registry-url")).toMatchObject({
      code: 0,
      stderr: expect.stringMatching(/^To undo it: thv config set-registry-url \/.+\n$/),
    });
    expect(await thv("config", "get-registry-url")).toMatchObject({ code: 0, stdout: "" });
    expect(await thv("config", "unset-registry-url")).toMatchObject({ code: 0, stdout: "" });
  });

  test.each([
    ["a registry with a mistake", () => writeRegistry({ weather: { ...WEATHER, tier: "Gold" } }), 11, /tier is "Gold"/],
    ["a file that is not there", async () => "/nowhere/registry.json", 11, /cannot be read/],
    ["a private address", async () => "https://127.0.0.1:1/r.json", 11, /private address 127\.0\.0\.1/],
    ["a plain http address", async () => "http://registry.example/r.json", 2, /only https is allowed/],
    ["nothing", async () => "", 64, /is empty/],
  ])("refuses %s and changes nothing", async (_what, locate, code, reason) => {
    const answer = await thv("config", "set-registry-url", await locate());

    expect(answer).toMatchObject({ code, stdout: "", stderr: expect.stringMatching(reason) });
    expect(await thv("config", "get-registry-url")).toMatchObject({ stdout: "" });
  });

  test("says everything that is wrong with settings that cannot be read, and leaves them", async () => {
    await thv("config", "set-registry-url", await writeRegistry({ weather: WEATHER }));
    await writeFile(configPath(), "registry_url: 5\nclients: 7\n");

    const answer = await thv("config", "unset-registry-url");

    expect(answer).toMatchObject({
      code: 12,
      stderr: expect.stringMatching(/clients is a number.*registry_url is a number/),
    });
    expect(await readFile(configPath(), "utf8")).toBe("registry_url: 5\nclients: 7\n");
  });
});

describe("thv config …-ca-cert", () => {
  const source = new URL("../../../../core/src/registry/testing/https-server.ts", import.meta.url);

  async function writeCertificate(): Promise<string> {
    const text = await readFile(source, "utf8");
    const path = join(home, "ca.pem");
    const pem = /-----BEGIN CERTIFICATE-----[^`]+-----END CERTIFICATE-----/.exec(text)?.[0] ?? "";
    await writeFile(path, `some words\n${pem}\n`);
    return path;
  }

  test("keeps the path of a certificate, shows it, warns when it is gone, and forgets it", async () => {
    const path = await writeCertificate();

    expect(await thv("config", "set-ca-cert", path)).toMatchObject({
      code: 0,
      stdout: `Image builds and connections to remote servers trust ${path} (CN=loopback test only).\n`,
    });
    expect(await thv("config", "get-ca-cert")).toEqual({ code: 0, stdout: `${path}\n`, stderr: "" });
    await rm(path);
    expect(await thv("config", "get-ca-cert")).toMatchObject({
      stdout: `${path}\n`,
      stderr: expect.stringMatching(/^Warning: .*cannot be read/),
    });
    expect(await thv("config", "unset-ca-cert")).toMatchObject({
      code: 0,
      stderr: expect.stringMatching(/^To undo it: thv config set-ca-cert \/.+\n$/),
    });
    expect(await thv("config", "get-ca-cert", "--format", "json")).toMatchObject({
      stdout: '{\n  "ca_certificate_path": ""\n}\n',
    });
  });

  test.each([
    ["no certificate", "hello", /holds no certificate in PEM form/],
    ["a broken one", "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n", /cannot be understood/],
  ])("refuses a file with %s", async (_what, text, reason) => {
    const path = join(home, "ca.pem");
    await writeFile(path, text);

    expect(await thv("config", "set-ca-cert", path)).toMatchObject({ code: 2, stderr: expect.stringMatching(reason) });
  });
});

describe("a registry in the official format", () => {
  const pack = (version: string) => ({
    name: "com.example/maps",
    description: "Finds places on a map.",
    version,
    packages: [{ registryType: "npm", identifier: "@example/maps", version, transport: { type: "stdio" } }],
  });
  const clock = {
    ...pack("1.0.0"),
    name: "com.example/clock",
    packages: [{ registryType: "nuget", identifier: "Example.Clock", version: "1.0.0" }],
  };
  const remote = {
    ...pack("2.0.0"),
    name: "com.example/remote",
    packages: undefined,
    remotes: [{ type: "sse", url: "https://a.example/sse", headers: [{ name: "X-Key", isRequired: true }] }],
  };

  async function useOfficial(): Promise<string> {
    const path = join(home, "servers.json");
    await writeFile(path, JSON.stringify([pack("1.0.0"), pack("1.1.0"), clock, remote]));
    await thv("config", "set-registry-url", path);
    return path;
  }

  test("is listed, with one line on what is left out, and all of that on demand", async () => {
    await useOfficial();

    const { stdout, stderr } = await thv("registry", "list");
    expect(stdout).toMatch(/^com\.example\/maps +Finds places.*\n^com\.example\/remote +REMOTE Finds/m);
    expect(stderr).toMatch(
      /^Warning: 1 entry of the registry cannot be used, com\.example\/clock: packages of NuGet .*\n$/,
    );
    expect((await thv("registry", "list", "--skipped")).stdout).toMatch(/^com\.example\/clock +packages of NuGet/m);
    expect(JSON.parse((await thv("registry", "list", "--skipped", "--format", "json")).stdout)).toHaveLength(1);
  });

  test("shows a version, the newest without one, and a remote server", async () => {
    await useOfficial();

    expect((await thv("registry", "info", "maps@1.0.0")).stdout).toContain("Image: npx://@example/maps@1.0.0\n");
    expect((await thv("registry", "info", "com.example/maps")).stdout).toContain(
      "Version: 1.1.0\nOlder Versions: 1.0.0\n",
    );
    expect((await thv("registry", "info", "remote")).stdout).toMatch(
      /^URL: https:\/\/a\.example\/sse\n(.*\n)*.*X-Key \(required\)/m,
    );
    expect(await thv("registry", "info", "maps@9")).toMatchObject({
      code: 3,
      stderr: expect.stringMatching(/It has 1\.1\.0, 1\.0\.0/),
    });
    expect((await thv("registry", "info", "clock")).stderr).toMatch(/Its entry cannot be used: packages of NuGet/);
  });

  test("is converted, and what is lost is said", async () => {
    const path = await useOfficial();
    const out = join(home, "map.json");

    const { code, stderr } = await thv("registry", "convert", "--in", path, "--out", out, "--to", "toolhive");

    expect([code, stderr.split("\n").filter((line) => line.startsWith("Lost: ")).length]).toEqual([0, 2]);
    const map = JSON.parse(await readFile(out, "utf8"));
    expect(map.servers.maps).toMatchObject({ name: "com.example/maps", image: "npx://@example/maps@1.1.0" });
    expect(map.remote_servers.remote).toMatchObject({ url: "https://a.example/sse" });
    const back = JSON.parse((await thv("registry", "convert", "--in", out)).stdout);
    expect(back.data.servers.map(({ name }: { name: string }) => name)).toEqual([
      "com.example/maps",
      "com.example/remote",
    ]);
    await writeFile(path, "<html>");
    expect(await thv("registry", "convert", "--in", path)).toMatchObject({ code: 11 });
  });
});

describe("thv registry source", () => {
  const addSource = async (name: string, servers: object, ...more: string[]) => {
    const path = join(home, `${name}.json`);
    await writeFile(path, JSON.stringify({ version: "1.0.0", last_updated: "2026-03-01T00:00:00Z", servers }));
    return await thv("registry", "source", "add", name, path, ...more);
  };

  test("adds a registry beside the others, whose servers are listed and shown with it", async () => {
    const added = await addSource("team", { weather: WEATHER, time: WEATHER });
    const list = await thv("registry", "list");
    const info = await thv("registry", "info", "team/time");
    const first = await thv("registry", "info", "time");

    expect(added).toMatchObject({ code: 0, stdout: `The registry source "team" is ${home}/team.json (2 servers).\n` });
    expect(list.stdout).toMatch(/^NAME +DESCRIPTION +SOURCE +TIER +STARS +PULLS$/m);
    expect(list.stdout).toMatch(/^team\/time +DEPRECATED Tells .* team +Community/m);
    expect(list.stdout).toMatch(/^weather +DEPRECATED Tells .* team +Community/m);
    expect(info.stdout).toMatch(/^Source: team$/m);
    expect(info.stdout).toMatch(/^ {2}thv run --secret .* team\/time$/m);
    expect(first.stdout).toMatch(/^Source: bundled, July 2025$/m);
    expect(first.stderr).toBe(
      '"time" is the server of the source "default". Others have one of this name, too: thv registry info team/time\n',
    );
    const { stdout } = await thv("registry", "list", "--source", "team", "--format", "json");
    expect(JSON.parse(stdout)).toMatchObject([
      { name: "time", source: "team", reference: "time" },
      { name: "weather", source: "team", reference: "weather" },
    ]);
  });

  test("lists the sources with their state, and goes on when one is damaged", async () => {
    await addSource("team", { weather: WEATHER });
    await addSource("acme", { weather: WEATHER });
    await writeFile(join(home, "team.json"), "{");

    const list = await thv("registry", "source", "list");
    const { stdout } = await thv("registry", "source", "ls", "--format", "json");

    expect(list.stdout).toMatch(/^NAME +SERVERS +LIST OF +LAST READ +FROM$/m);
    expect(list.stdout).toMatch(/^default +29 +bundled, July 2025 +- +embedded$/m);
    expect(list.stdout).toMatch(/^team +- +- +- +\/.*team\.json$/m);
    expect(list.stdout).toMatch(/^acme +1 +March 1, 2026 +- /m);
    expect(list.stderr).toMatch(/^Warning: team: The registry .*team\.json has a problem: the file is not JSON/);
    expect(JSON.parse(stdout)).toMatchObject([{ name: "default" }, { problem: expect.any(String) }, { name: "acme" }]);
    expect((await thv("registry", "list")).stderr).toMatch(/^Warning: Source "team": The registry /m);
    expect((await thv("doctor", "--format", "json")).stdout).toMatch(/team: The registry .*is not JSON/);
    expect(await thv("registry", "list", "--source", "nope")).toMatchObject({
      stderr: expect.stringContaining("The registries are: default, team, acme"),
    });
  });

  test("says how to undo the removal of one, and refuses names of images and of servers that exist", async () => {
    await addSource("team", { weather: WEATHER });

    const removed = await thv("registry", "source", "remove", "team");

    expect(removed).toEqual({
      code: 0,
      stdout: 'The registry source "team" is removed.\n',
      stderr: `To undo it: thv registry source add team ${home}/team.json\n`,
    });
    expect(await thv("registry", "source", "rm", "team")).toMatchObject({
      stderr: expect.stringContaining('There is no registry named "team".'),
    });
    expect(await addSource("mcp", { weather: WEATHER })).toMatchObject({
      stderr: expect.stringContaining("images are named mcp/"),
    });
    expect((await readFile(configPath(), "utf8")).includes("mcp")).toBe(false);
  });
});
