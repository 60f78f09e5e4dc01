import { expect, test } from "vitest";
import { isSecretLike } from "../secrets/secret-like.ts";
import { importClientFile } from "./import-client-file.ts";
import { formatSchemaLine } from "./project-json-schema.ts";
import { readProject } from "./read-project.ts";

const TARGET = "/srv/shop/thv.yaml";
const imported = (settings: unknown) => importClientFile(JSON.stringify(settings), "mcp.json", TARGET);

test("servers of every form become a file that can be read, and has no line that only this machine can follow", () => {
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

  expect(text).toMatch(/^servers:\n/);
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
    { command: "docker", args: ["run", "--tmpfs", "/tmp", "a/b"] },
    "it has the option --tmpfs",
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
  ["[]", /neither "mcpServers" nor another member/],
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

test("the first line names the schema where the site has an address", () => {
  expect(formatSchemaLine("https://docs.example.com")).toBe(
    "# yaml-language-server: $schema=https://docs.example.com/schemas/project.schema.json",
  );
  expect(formatSchemaLine("http://localhost:3000")).toBeUndefined();
});

const one = (settings: unknown) => {
  const { text, secrets, skipped, notes } = imported({
    mcpServers: { srv: settings, good: { command: "npx", args: ["good"] } },
  });
  const request = readProject(text, TARGET).servers.find(({ name }) => name === "srv")?.request;
  return { request, secrets, skipped, notes, text };
};

test("a variable that docker run takes from its surroundings is a secret of its name", () => {
  const { request, secrets } = one({
    command: "docker",
    args: [
      "run",
      "-i",
      "--rm",
      "-e",
      "GITHUB_TOKEN",
      "-eHOST",
      "--env=UNITS=metric",
      "ghcr.io/github/github-mcp-server",
    ],
  });

  expect(secrets).toEqual([
    { name: "srv-github-token", target: "GITHUB_TOKEN", server: "srv" },
    { name: "srv-host", target: "HOST", server: "srv" },
  ]);
  expect(request).toMatchObject({ image: "ghcr.io/github/github-mcp-server", env_vars: ["UNITS=metric"] });
});

test("folders of the filesystem server are volumes, and paths of others are named", () => {
  const files = one({
    command: "npx",
    args: ["-y", "@modelcontextprotocol/server-filesystem", "/home/me/Documents", "/srv/maps"],
  });
  expect(files.request).toMatchObject({
    cmd_arguments: ["/home/me/Documents", "/srv/maps"],
    volumes: ["/home/me/Documents:/home/me/Documents", "/srv/maps:/srv/maps"],
  });
  expect(files.notes[0]).toEqual({ name: "srv", note: expect.stringContaining("may change /home/me/Documents") });

  const other = one({ command: "uvx", args: ["mcp-server-git", "--repository=/home/me/code"] });
  expect(other.notes).toEqual([
    { name: "srv", note: "its argument /home/me/code is a path of this machine, which it sees only as a volume" },
  ]);
});

test.each([
  [["-y", "mcp-remote", "https://mcp.example.com/sse", "--transport", "sse-only"], { transport: "sse" }],
  [["mcp-remote@latest", "https://mcp.example.com/mcp", "3334", "--debug"], {}],
  [
    ["mcp-remote", "https://mcp.example.com/mcp", "--header", `Authorization:\${AUTH}`, "--header", "X-Team: maps"],
    {
      header_forward: {
        add_plaintext_headers: { "X-Team": "maps" },
        add_headers_from_secret: { Authorization: "srv-authorization" },
      },
    },
  ],
])("a bridge to a remote server, %j, is that server", (args, expected) => {
  const { request, text } = one({ command: "npx", args, env: { AUTH: "Bearer hunter2" } });

  expect(request).toMatchObject({ image: expect.stringContaining("https://mcp.example.com/"), ...expected });
  expect(text).not.toContain("hunter2");
});

test.each([
  ["cmd", ["/c", "npx", "-y", "thing", "--verbose"], "npx://thing"],
  ["C:\\Windows\\System32\\cmd.exe", ["/C", "uvx", "thing"], "uvx://thing"],
  ["uvx", ["--from", "thing==1.2", "thing"], "uvx://thing==1.2"],
  ["uvx", ["--from=thing[all]", "thing", "--verbose"], "uvx://thing[all]"],
  ["npx", ["-y", "--package", "@acme/thing@1.0", "thing"], "npx://@acme/thing@1.0"],
  ["pnpm", ["dlx", "thing"], "npx://thing"],
  ["uv", ["tool", "run", "thing"], "uvx://thing"],
  ["go", ["run", "example.com/thing@latest"], "go://example.com/thing@latest"],
  ["uvx", ["--from", "git+https://example.com/x@v1", "thing"], "uvx://git+https://example.com/x@v1#thing"],
  ["uvx", ["--from", "thing", "other", "-v"], "uvx://thing#other"],
  ["npx", ["-y", "-p", "@acme/thing", "other"], "npx://@acme/thing#other"],
  ["npx", ["-y", "github:owner/repo#v1"], "npx://github:owner/repo@v1"],
  ["npx", ["thing@>=1 <2"], "npx://thing@>=1,<2"],
])("%s %j becomes %s", (command, args, image) => {
  expect(one({ command, args }).request).toMatchObject({ image });
});

test("what a package manager installs with a package, and a version of Python, are kept", () => {
  const args = ["--with", "mcp<2,zstd", "--python=3.11", "--with", "a>=1,<2", "thing", "--with", "own"];

  expect(one({ command: "uvx", args }).request).toMatchObject({
    image: "uvx://thing",
    with: ["mcp<2", "zstd", "a>=1,<2"],
    base_image: "python:3.11-slim",
    cmd_arguments: ["--with", "own"],
  });
  expect(one({ command: "npx", args: ["-p", "thing", "-p", "zod@^3", "thing"] }).request).toMatchObject({
    image: "npx://thing",
    with: ["zod@^3"],
  });
});

test.each([
  ["uvx", ["--from", "thing", "--other"], "it has the option --other"],
  ["uvx", ["--from", "thing", "$(x)"], "it starts $(x) of thing"],
  ["uvx", ["--python", "/usr/bin/python3", "thing"], "it has the option --python /usr/bin/python3"],
  ["uvx", ["--index-url", "https://x.example", "thing"], "it has the option --index-url"],
  ["cmd", ["/c", "node", "x.js"], "it is started by node"],
  ["cmd", [], "it is started by cmd"],
  ["npx", ["thing", `\${workspaceFolder}`], "its argument number 1 has a placeholder that only the client fills in"],
  ["npx", ["thing", `--dir=\${userHome}/x`], "its argument --dir has a placeholder"],
  ["npx", ["thing", `\${input:key}`], "its argument number 1 looks secret"],
])("%s %j is left out with its reason", (command, args, reason) => {
  expect(one({ command, args }).skipped).toEqual([{ name: "srv", reason: expect.stringContaining(reason) }]);
});

test("a variable with the client's folder is left out and named, and is no secret", () => {
  const { secrets, notes, request } = one({ command: "npx", args: ["x"], env: { ROOT: `\${workspaceFolder}/a` } });

  expect(secrets).toEqual([]);
  expect(notes).toEqual([{ name: "srv", note: expect.stringContaining("ROOT has a placeholder") }]);
  expect(request?.env_vars).toBeUndefined();
});
