/** Which clients there are, where their files are, and what they take by their own means. */
import { describe, expect, test } from "vitest";
import { CLIENTS, findClient, findDefaultFile } from "./client-types.ts";
import { resolvePlace } from "./resolve-place.ts";

const SERVER = { name: "toolhive-docs", url: "https://docs.example.com/mcp" };

function install(id: string) {
  return findClient(id)?.install?.(SERVER);
}

describe("a server is offered by a client's own means", () => {
  test.each([
    ["vscode", "vscode:"],
    ["vscode-insider", "vscode-insiders:"],
  ])("%s opens an address with the name and the entry that thv would write", (id, scheme) => {
    const offered = install(id);
    const address = new URL(offered?.kind === "link" ? offered.address : "");

    expect(address.protocol + address.pathname).toBe(`${scheme}mcp/install`);
    expect(JSON.parse(decodeURIComponent(address.search.slice(1)))).toEqual({ ...SERVER, type: "http" });
  });

  test("Cursor opens an address with the name, and the entry in base64", () => {
    const offered = install("cursor");
    const address = new URL(offered?.kind === "link" ? offered.address : "");

    expect(address.href).toMatch(/^cursor:\/\/anysphere\.cursor-deeplink\/mcp\/install\?/);
    expect(address.searchParams.get("name")).toBe(SERVER.name);
    expect(JSON.parse(atob(address.searchParams.get("config") ?? ""))).toEqual({ url: SERVER.url, type: "http" });
  });

  test("Claude Code has a command", () => {
    expect(install("claude-code")).toEqual({
      kind: "command",
      command: "claude mcp add --transport http toolhive-docs https://docs.example.com/mcp",
    });
  });

  test("of a client that we know no such means of, nothing is offered", () => {
    expect(install("zed")).toBeUndefined();
  });
});

describe("the table of clients", () => {
  test("begins with the specification's six in the reference's order", () => {
    const ids = CLIENTS.map(({ id }) => id);

    expect(ids.slice(0, 6)).toEqual(["roo-code", "cline", "vscode-insider", "vscode", "cursor", "claude-code"]);
    expect(new Set(ids).size).toBe(ids.length);
  });

  test.each([
    ["RooCode", "roo-code"],
    ["VSCodeInsider", "vscode-insider"],
    ["ClaudeCode", "claude-code"],
    ["cursor", "cursor"],
    ["", undefined],
    ["emacs", undefined],
  ])("%j names %s", (name, id) => {
    expect(findClient(name)?.id).toBe(id);
  });

  test.each([
    ["linux", "/h/.config/Code/User/mcp.json"],
    ["darwin", "/h/Library/Application Support/Code/User/mcp.json"],
    ["win32", "C:\\h\\AppData\\Roaming\\Code\\User\\mcp.json"],
  ] as const)("on %s Visual Studio Code's servers are where it keeps them", (platform, path) => {
    const client = findClient("vscode");
    const file = client && findDefaultFile(client);

    expect(file && resolvePlace(file.path, { home: platform === "win32" ? "C:\\h" : "/h", platform })).toBe(path);
  });
});
