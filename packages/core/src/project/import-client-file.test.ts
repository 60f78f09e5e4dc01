import { expect, test } from "vitest";
import { importClientFile } from "./import-client-file.ts";
import { isSecretLike } from "./import-entry.ts";
import { SCHEMA_LINE } from "./project-json-schema.ts";
import { readProject } from "./read-project.ts";

const TARGET = "/srv/shop/thv.yaml";
const imported = (settings: unknown) => importClientFile(JSON.stringify(settings), "mcp.json", TARGET);

test("servers of every form become a file that can be read, and the first line names its schema", () => {
  const { text, servers, secrets, skipped } = imported({
    mcpServers: {
      memory: { command: "npx", args: ["-y", "@modelcontextprotocol/server-memory", "--verbose"] },
      fetch: { command: "/usr/bin/uvx", args: ["mcp-server-fetch"] },
      github: {
        command: "docker",
        args: [
          "run",
          "-i",
          "--rm",
          "-e",
          "GITHUB_TOKEN",
          "-v",
          "/srv/maps:/maps:ro",
          "-e",
          "UNITS=metric",
          "ghcr.io/github/github-mcp-server",
          "stdio",
        ],
        env: { GITHUB_TOKEN: "hunter2" },
      },
      far: {
        type: "sse",
        url: "https://mcp.example.com/events",
        headers: { Authorization: "Bearer hunter2", "X-Team": "maps" },
      },
      "My Server!": { command: "npx", args: ["thing"] },
    },
  });

  expect(text.split("\n")[0]).toBe(SCHEMA_LINE);
  expect(servers).toEqual(["memory", "fetch", "github", "far", "My-Server"]);
  expect(skipped).toEqual([]);
  expect(text).not.toContain("hunter2");
  expect(secrets).toEqual([
    { name: "github-github-token", target: "GITHUB_TOKEN", server: "github" },
    { name: "far-authorization", target: "Authorization", server: "far" },
  ]);
  expect(readProject(text, TARGET).servers.map(({ request }) => request)).toMatchObject([
    { image: "npx://@modelcontextprotocol/server-memory", cmd_arguments: ["--verbose"] },
    { image: "uvx://mcp-server-fetch" },
    {
      image: "ghcr.io/github/github-mcp-server",
      cmd_arguments: ["stdio"],
      env_vars: ["UNITS=metric"],
      secrets: [{ name: "github-github-token", target: "GITHUB_TOKEN" }],
      volumes: ["/srv/maps:/maps:ro"],
    },
    {
      image: "https://mcp.example.com/events",
      transport: "sse",
      header_forward: {
        add_plaintext_headers: { "X-Team": "maps" },
        add_headers_from_secret: { Authorization: "far-authorization" },
      },
    },
    { image: "npx://thing" },
  ]);
});

test("VS Code's form may have comments, and what it asks for is a secret", () => {
  const text = `{
    // Asked once.
    "inputs": [{ "id": "key", "type": "promptString" }],
    "servers": { "weather": { "command": "npx", "args": ["weather"], "env": { "KEY_ID": "\${input:key}", "UNITS": "metric" } } },
  }`;

  const { text: file, secrets } = importClientFile(text, "mcp.json", TARGET);

  expect(secrets).toEqual([{ name: "weather-key-id", target: "KEY_ID", server: "weather" }]);
  expect(file).toContain("UNITS: metric");
});

test.each([
  ["another program", { command: "node", args: ["server.js"] }, "it is started by node, and only npx"],
  [
    "an option without a counterpart",
    { command: "docker", args: ["run", "--network", "host", "a/b"] },
    "it has the option --network",
  ],
  [
    "a secret argument",
    { command: "npx", args: ["thing", "--api-key", "hunter2"] },
    "its argument --api-key looks secret",
  ],
  [
    "a key among the arguments",
    { command: "npx", args: ["thing", "sk-hunter2"] },
    "its argument number 1 looks secret",
  ],
  [
    "a secret in the address",
    { url: "https://example.com/mcp?api_key=hunter2" },
    "its url holds something that looks secret",
  ],
  [
    "a password in the address",
    { url: "https://me:hunter2@example.com/mcp" },
    "its url holds something that looks secret",
  ],
  ["an address of this machine", { url: "http://127.0.0.1:12345/mcp" }, "its url is an address of this machine"],
  ["nothing to start", {}, "it has neither a command nor a url"],
  ["what is switched off", { command: "npx", args: ["thing"], disabled: true }, "it is disabled there"],
  [
    "a mount that cannot be",
    { command: "docker", args: ["run", "-v", "/a:b", "a/b"] },
    "needs an absolute path in the container",
  ],
])("leaves out %s, and says why without its value", (_what, settings, reason) => {
  const { skipped } = imported({ mcpServers: { good: { command: "npx", args: ["good"] }, other: settings } });

  expect(skipped).toEqual([{ name: "other", reason: expect.stringContaining(reason) }]);
  expect(JSON.stringify(skipped)).not.toContain("hunter2");
});

test.each([
  ["{", /mcp\.json cannot be used: line 1 is not JSON/],
  ["[]", /neither "mcpServers" nor "servers"/],
  ['{"mcpServers":{}}', /has no server that can be imported/],
  ['{"mcpServers":{"a":{"command":"node"}}}', /no server that can be imported\. a: it is started by node/],
  ["[".repeat(100_000), /cannot be used/],
  [
    JSON.stringify({ servers: Object.fromEntries(Array.from({ length: 101 }, (_, index) => [`s${index}`, {}])) }),
    /names 101 servers, and a file has at most 100/,
  ],
])("refuses %.30s", (text, expected) => {
  expect(() => importClientFile(text, "mcp.json", TARGET)).toThrow(expected);
});

test.each([
  ["GITHUB_TOKEN", "x", true],
  ["API_KEY", "x", true],
  ["DB_PASSWORD", "x", true],
  ["DATABASE_URL", "postgres://db/x", true],
  ["ENDPOINT", "https://me:pw@example.com", true],
  ["SETTING", "ghp_abc", true],
  ["ID", "a1b2c3d4e5f6a7b8c9d0e1", true],
  ["TOKEN", "", false],
  ["UNITS", "metric", false],
  ["LOG_LEVEL", "debug", false],
  ["PORT", "8080", false],
  ["KEYBOARD", "us", false],
  ["FOLDER", "/home/me/some/long/folder/of/mine", false],
])("%s=%s looks secret: %s", (name, value, expected) => {
  expect(isSecretLike(name, value)).toBe(expected);
});
