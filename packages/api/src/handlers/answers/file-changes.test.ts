import { describe, expect, test } from "vitest";
import { hideValues, showFileChange } from "./file-changes.ts";

const SECRET = "ghp_secret";

describe("the values of a client's file", () => {
  test.each([
    [
      "mcp.json",
      `{\n  // uses ${SECRET}\n  "servers": {\n    "mine": { "env": { "TOKEN": "${SECRET}" }, "args": ["--token", "a\\"${SECRET}"] },\n    "echo": { "url": "http://127.0.0.1:1234/mcp", "type": "http" }\n  }\n}\n`,
      `{\n  // …\n  "servers": {\n    "mine": { "env": { "TOKEN": "…" }, "args": ["…", "…"] },\n    "echo": { "url": "http://127.0.0.1:1234/mcp", "type": "http" }\n  }\n}\n`,
    ],
    ["mcp.json", `{"a":{"token":'${SECRET}',"n":12,"b":true}}`, `{"a":{"token":'…',"n":12,"b":true}}`],
    ["mcp.json", `{"url":"http://127.0.0.1:1/mcp?key=${SECRET}"}`, `{"url":"…"}`],
    ["mcp.json", `{"url":"http://${SECRET}@127.0.0.1:1/mcp"}`, `{"url":"…"}`],
    ["mcp.json", `{"cut off":"${SECRET}`, `{"cut off":"…"`],
    [
      "config.toml",
      `# ${SECRET}\n[mcp_servers."my server"]\n"quoted key" = "${SECRET}"\nargs = ["${SECRET}", '${SECRET}']\ntext = """\n${SECRET}\n"""\nurl = "http://127.0.0.1:9/mcp"\n`,
      `# …\n[mcp_servers."my server"]\n"quoted key" = "…"\nargs = ["…", '…']\ntext = """…"""\nurl = "http://127.0.0.1:9/mcp"\n`,
    ],
    [
      "config.yaml",
      `# ${SECRET}\nextensions:\n  mine:\n    envs:\n      TOKEN: ${SECRET}\n    args:\n      - ${SECRET}\n      - "${SECRET}"\n    text: |\n      ${SECRET}\n    enabled: true\n  echo:\n    uri: http://127.0.0.1:9/mcp\n    type: streamable_http\n    flow: {a: ${SECRET}}\n`,
      `…\nextensions:\n  mine:\n    envs:\n      TOKEN: …\n    args:\n      - …\n      - …\n    text: …\n      …\n    enabled: true\n  echo:\n    uri: http://127.0.0.1:9/mcp\n    type: streamable_http\n    flow: …\n`,
    ],
  ])("are hidden in %s, but for what is ours: %#", (path, text, shown) => {
    expect(hideValues(text, path)).toBe(shown);
    expect(hideValues(text, path)).not.toContain("secret");
  });

  test("are shown where they are the words of our own entries, for a client that starts a program", () => {
    const own = ["C:\\bin\\node.exe", "/usr/bin/thv", "proxy", "stdio"];
    const entries = {
      weather: { command: own[0], args: [...own.slice(1), "weather"] },
      mine: { command: "my-server", args: ["--token", SECRET], env: { TOKEN: SECRET } },
    };

    const text = hideValues(JSON.stringify({ mcpServers: entries }), "claude_desktop_config.json", own);

    expect(JSON.parse(text)).toEqual({
      mcpServers: {
        weather: entries.weather,
        mine: { command: "…", args: ["…", "…"], env: { TOKEN: "…" } },
      },
    });
  });

  test("are shown to the user's own program alone", () => {
    const change = { client: "vscode", path: "/a/mcp.json", before: `{"a":"${SECRET}"}` };

    expect(showFileChange(change, { isPrivate: true })).toEqual(change);
    expect(showFileChange(change, { isPrivate: false })).toEqual({ ...change, before: '{"a":"…"}' });
  });
});
