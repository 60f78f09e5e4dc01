/** What clients take by their own means. */
import { describe, expect, test } from "vitest";
import { findClient } from "./client-types.ts";

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
