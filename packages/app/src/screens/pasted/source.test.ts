import { readClientText } from "@toolhive/core/client-text";
import { describe, expect, it, test } from "vitest";
import { EMPTY_DRAFT, toRequest } from "../add/draft.ts";
import { applyChoices, NO_CHOICES, type PastedServer } from "./pasted-servers.ts";
import { recognise } from "./source.ts";

const NAMES: ReadonlySet<string> = new Set(["everything", "fetch"]);
const read = (text: string) => recognise(text, NAMES, (block) => readClientText(block, ""));
const paste = (value: unknown) => read(JSON.stringify(value));
function readOne(text: string): PastedServer {
  const source = read(text);
  const [server] = source.kind === "pasted" ? source.servers : [];
  if (server === undefined) throw new Error(JSON.stringify(source));
  return server;
}

describe("pasted JSON", () => {
  const TWO = {
    mcpServers: {
      a: { command: "npx", args: ["-y", "@acme/a"] },
      b: { url: "https://x.example.com/mcp" },
      c: { command: "node", args: ["server.js"] },
    },
  };

  it("offers each of its servers, and names those that cannot be added", () => {
    expect(paste(TWO)).toMatchObject({
      servers: [
        { name: "a", request: { name: "a", image: "npx://@acme/a" } },
        { name: "b", request: { name: "b", image: "https://x.example.com/mcp" } },
      ],
      skipped: [expect.stringContaining("c: it is started by node")],
    });
  });

  it("keeps what looks secret out of the settings, and offers it with its value", () => {
    const server = readOne(
      JSON.stringify({
        mcpServers: { s1: { command: "npx", args: ["x"], env: { API_KEY: "hunter2", UNITS: "metric" } } },
      }),
    );

    expect(server).toMatchObject({
      request: { env_vars: ["UNITS=metric"] },
      secrets: [{ name: "s1-api-key", target: "API_KEY", value: "hunter2" }],
    });
    expect(JSON.stringify(server.request)).not.toContain("hunter2");
    expect(applyChoices(server, { ...NO_CHOICES, secrets: { API_KEY: "mine" } })).toMatchObject({
      secrets: [{ name: "mine", target: "API_KEY" }],
    });
    expect(applyChoices(server, NO_CHOICES)).toBe(server.request);
  });

  it("may have comments and a member without its object, and names what it does not use", () => {
    const text = `"weather": {
      // Metric
      "command": "cmd", "args": ["/c", "npx", "-y", "@acme/weather"], "cwd": "/srv/x", "timeout": 60,
    },`;

    expect(readOne(text)).toMatchObject({
      request: { name: "weather", image: "npx://@acme/weather" },
      notes: [expect.stringContaining("cwd: its working folder /srv/x"), expect.stringContaining("timeout")],
    });
  });

  it("takes the default of a question that the editor would ask", () => {
    const inputs = [{ id: "region", type: "promptString", default: "eu" }];
    const servers = { aws: { command: "uvx", args: ["aws-mcp", `--region=\${input:region}`] } };

    expect(readOne(JSON.stringify({ inputs, servers }))).toMatchObject({ request: { cmd_arguments: ["--region=eu"] } });
  });

  it("does the same for headers", () => {
    const headers = { Authorization: "Bearer hunter2", "X-Team": "maps" };
    const server = readOne(JSON.stringify({ servers: { r1: { url: "https://x.example.com/mcp", headers } } }));

    expect(JSON.stringify(server.request)).not.toContain("hunter2");
    expect(applyChoices(server, { ...NO_CHOICES, secrets: { Authorization: "r1-authorization" } })).toMatchObject({
      header_forward: {
        add_plaintext_headers: { "X-Team": "maps" },
        add_headers_from_secret: { Authorization: "r1-authorization" },
      },
    });
  });

  it("asks for a variable that docker run takes from its surroundings", () => {
    const json = JSON.stringify({
      command: "docker",
      args: ["run", "-i", "--rm", "-e", "GITHUB_TOKEN", "acme/github"],
    });

    expect(readOne(json)).toMatchObject({
      request: { image: "acme/github" },
      secrets: [{ name: "github-github-token", target: "GITHUB_TOKEN" }],
    });
    // thv names it when it is added, and gives it a number when the name is taken.
    expect(readOne(json).request).not.toHaveProperty("name");
  });

  it.each([
    [{ command: "node" }, /started by node/],
    [{ timeout: 5 }, /no entry with a command/],
    [{}, /is empty/],
    [{ url: "https://me:hunter2@example.com" }, /looks secret/],
    [{ command: "npx", args: ["x", "--token", "hunter2"] }, /--token looks secret/],
  ])("is refused for %j with the reason, and without a value", (value, reason) => {
    const source = paste(value);

    expect(source).toEqual({ kind: "none", reason: expect.stringMatching(reason) });
    expect(JSON.stringify(source)).not.toContain("hunter2");
  });
});

describe("what the instructions of a server show", () => {
  test.each([
    ["$ docker run -i --rm mcp/fetch", "command", ["mcp/fetch"]],
    ["npx -y @acme/a\nuvx acme-b", "command", ["npx://@acme/a", "uvx://acme-b"]],
    ["```sh\nclaude mcp add a -- npx -y @acme/a\n```", "command", ["npx://@acme/a"]],
    ['[mcp_servers.a]\ncommand = "npx"\nargs = ["-y", "@acme/a"]', "settings", ["npx://@acme/a"]],
    ["extensions:\n  a:\n    cmd: uvx\n    args: [acme-a]\n    type: stdio", "settings", ["uvx://acme-a"]],
    [
      "vscode:mcp/install?%7B%22name%22%3A%22a%22%2C%22command%22%3A%22npx%22%2C%22args%22%3A%5B%22a%22%5D%7D",
      "link",
      ["npx://a"],
    ],
    ["thv run fetch", "command", ["fetch"]],
  ])("%j is %s", (text, form, images) => {
    const source = read(text);

    expect(source).toMatchObject({ kind: "pasted", form });
    expect(source.kind === "pasted" && source.servers.map(({ request: { image } }) => image)).toEqual(images);
  });

  test("a folder that is named can be made one that is only read, and one that is left open is asked for", () => {
    const text = "docker run -i -v /srv/maps:/maps -v $(pwd):/work:ro mcp/maps";
    const server = readOne(text);

    expect(server.request.volumes).toEqual(["/srv/maps:/maps"]);
    expect(applyChoices(server, NO_CHOICES).volumes).toEqual(["/srv/maps:/maps"]);
    const folders = {
      "/maps": { source: "/srv/maps", isReadOnly: true },
      "/work": { source: "/home/me/code", isReadOnly: true },
    };
    expect(applyChoices(server, { ...NO_CHOICES, folders }).volumes).toEqual([
      "/srv/maps:/maps:ro",
      "/home/me/code:/work:ro",
    ]);
    const none = { "/maps": { source: "", isReadOnly: false } };
    expect(applyChoices(server, { ...NO_CHOICES, folders: none })).not.toHaveProperty("volumes");
  });

  test("servers of one name are told apart", () => {
    const source = read("claude mcp add a -- npx -y @acme/a\nclaude mcp add a -- npx -y @acme/b");

    expect(source).toMatchObject({ servers: [{ name: "a" }, { name: "a-2", request: { name: "a-2" } }] });
  });

  test("several commands in one line are refused, with the way out", () => {
    expect(read("cd x && npx -y @acme/a")).toEqual({
      kind: "none",
      reason: '"&&" joins several commands: paste the line that starts the server alone.',
    });
  });
});

test.each([
  ["everythng", "everything"],
  ["fetsh", "fetch"],
  ["mcp/fetch", undefined],
  ["fetch:latest", undefined],
  ["weather", undefined],
])("%s is an image, and %s of the registry may be meant", (text, meant) => {
  expect(read(text)).toEqual({ kind: "image", request: { image: text }, ...(meant !== undefined && { meant }) });
});

it("what the form says is added to what was pasted, and goes before it", () => {
  const source = { image: "a/b", env_vars: ["UNITS=metric", "MODE=x"], secrets: [{ name: "k", target: "KEY" }] };
  const variables = [{ id: 1, name: "UNITS", value: "imperial" }];
  const secrets = [{ id: 1, name: "MORE", value: "other" }];

  expect(toRequest(source, { ...EMPTY_DRAFT, variables, secrets })).toMatchObject({
    env_vars: ["MODE=x", "UNITS=imperial"],
    secrets: [
      { name: "k", target: "KEY" },
      { name: "other", target: "MORE" },
    ],
  });
});
