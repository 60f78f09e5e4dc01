import { describe, expect, test } from "vitest";
import { tokenize } from "./tokenize.ts";

function splitTerms(text: string): string[] {
  const terms: string[] = [];
  tokenize(text, (term) => terms.push(term));
  return terms;
}

function findPositions(text: string): Record<string, number> {
  const positions: Record<string, number> = {};
  tokenize(text, (term, _start, _end, position) => {
    positions[term] = position;
  });
  return positions;
}

describe("tokenize", () => {
  test.each([
    ["Run an MCP server", ["run", "an", "mcp", "server"]],
    ["list-registered", ["listregistered", "list", "registered"]],
    ["thv_config_set-ca-cert", ["thvconfigsetcacert", "thv_config_set-ca-cert", "thv", "config", "set", "ca", "cert"]],
    ["podTemplateSpec", ["podtemplatespec", "pod", "template", "spec"]],
    ["MCPServerSpec", ["mcpserverspec", "mcp", "server", "spec"]],
    ["v0.1.9", ["v019", "v0", "1", "9"]],
    ["--permission-profile", ["--permission-profile", "permissionprofile", "permission", "profile"]],
    ["-f", ["-f", "f"]],
    ["Café über Straße", ["cafe", "uber", "strasse"]],
    ["POST /api/v1beta/workloads", ["post", "api", "v1beta", "workloads"]],
    ["1Password, k8s", ["1password", "k8s"]],
    ["容器", ["容", "器"]],
    ["שלום عالم", ["שלום", "عالم"]],
    ["🙂 — …", []],
    ["", []],
  ])("%j yields %j", (text, terms) => {
    expect(splitTerms(text)).toEqual(terms);
  });

  test("a dash between words or at the end is no flag", () => {
    expect(splitTerms("a--b --- c- -")).toEqual(["a", "b", "c"]);
  });

  test("flags are found after brackets, quotes and backticks", () => {
    expect(splitTerms('(`--all`) [-a] "--format=json"').filter((term) => term.startsWith("-"))).toEqual([
      "--all",
      "-a",
      "--format",
    ]);
  });

  test("parts of a compound have positions of their own and the whole that of the first", () => {
    expect(findPositions("use set-ca-cert now")).toEqual({ use: 0, setcacert: 1, set: 1, ca: 2, cert: 3, now: 4 });
  });

  test("offsets point into the text as it was written", () => {
    const text = "Ünder --ca-cert.";
    const slices: string[] = [];

    tokenize(text, (_term, start, end) => slices.push(text.slice(start, end)));

    expect(slices).toEqual(["Ünder", "--ca-cert", "ca-cert", "ca", "cert"]);
  });

  test("very long words are cut", () => {
    expect(splitTerms("x".repeat(10_000))).toEqual(["x".repeat(64)]);
  });
});
