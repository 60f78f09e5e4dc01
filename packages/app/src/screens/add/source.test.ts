import { describe, expect, it } from "vitest";
import { EMPTY_DRAFT, toRequest } from "./draft.ts";
import { recognise, withSecrets } from "./source.ts";

const paste = (value: unknown, chosen?: string) => recognise(JSON.stringify(value), new Set(), chosen);

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
      request: { name: "a", image: "npx://@acme/a" },
      names: ["a", "b"],
      skipped: [expect.stringContaining("c: it is started by node")],
    });
    expect(paste(TWO, "b")).toMatchObject({ request: { name: "b", image: "https://x.example.com/mcp" } });
    expect(paste(TWO, "gone")).toMatchObject({ request: { name: "a" } });
  });

  it("keeps what looks secret out of the settings, and offers it with its value", () => {
    const source = paste({
      mcpServers: { s1: { command: "npx", args: ["x"], env: { API_KEY: "hunter2", UNITS: "metric" } } },
    });

    expect(source).toMatchObject({
      request: { env_vars: ["UNITS=metric"] },
      secrets: [{ name: "s1-api-key", target: "API_KEY", value: "hunter2" }],
    });
    expect("request" in source && JSON.stringify(source.request)).not.toContain("hunter2");
    expect(withSecrets(source, { API_KEY: "mine" })).toMatchObject({
      request: { secrets: [{ name: "mine", target: "API_KEY" }] },
    });
    expect(withSecrets(source, {})).toBe(source);
  });

  it("may have comments and a member without its object, and names what it does not use", () => {
    const text = `"weather": {
      // Metric
      "command": "cmd", "args": ["/c", "npx", "-y", "@acme/weather"], "cwd": "/srv/x", "timeout": 60,
    },`;

    expect(recognise(text, new Set())).toMatchObject({
      request: { name: "weather", image: "npx://@acme/weather" },
      notes: [expect.stringContaining("cwd: its working folder /srv/x"), expect.stringContaining("timeout")],
    });
  });

  it("takes the default of a question that the editor would ask", () => {
    const inputs = [{ id: "region", type: "promptString", default: "eu" }];
    const servers = { aws: { command: "uvx", args: ["aws-mcp", `--region=\${input:region}`] } };

    expect(paste({ inputs, servers })).toMatchObject({ request: { cmd_arguments: ["--region=eu"] } });
  });

  it("does the same for headers", () => {
    const headers = { Authorization: "Bearer hunter2", "X-Team": "maps" };
    const source = paste({ servers: { r1: { url: "https://x.example.com/mcp", headers } } });

    expect("request" in source && JSON.stringify(source.request)).not.toContain("hunter2");
    expect(withSecrets(source, { Authorization: "r1-authorization" })).toMatchObject({
      request: {
        header_forward: {
          add_plaintext_headers: { "X-Team": "maps" },
          add_headers_from_secret: { Authorization: "r1-authorization" },
        },
      },
    });
  });

  it("asks for a variable that docker run takes from its surroundings", () => {
    const source = paste({ command: "docker", args: ["run", "-i", "--rm", "-e", "GITHUB_TOKEN", "acme/github"] });

    expect(source).toMatchObject({
      request: { image: "acme/github" },
      secrets: [{ name: "server-github-token", target: "GITHUB_TOKEN" }],
    });
  });

  it.each([
    [{ command: "node" }, /started by node/],
    [{}, /no entry with a command/],
    [{ url: "https://me:hunter2@example.com" }, /looks secret/],
    [{ command: "npx", args: ["x", "--token", "hunter2"] }, /--token looks secret/],
  ])("is refused for %j with the reason, and without a value", (value, reason) => {
    const source = paste(value);

    expect(source).toEqual({ kind: "none", reason: expect.stringMatching(reason) });
    expect(JSON.stringify(source)).not.toContain("hunter2");
  });
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
