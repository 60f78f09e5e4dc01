import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import {
  compareAnswers,
  countLists,
  describeFailure,
  formatDirectCommand,
  type Server,
  selectServers,
} from "./tried-server.ts";

const read = (name: string) => JSON.parse(readFileSync(new URL(name, import.meta.url), "utf8"));
const EMPTY = { tools: [], prompts: [], resources: [] };

describe("formatDirectCommand", () => {
  test.each([
    ["npx://@a/b", "npx --yes -- @a/b"],
    ["npx://@a/b#tool", "npx --yes -p @a/b -- tool"],
    ["uvx://a", "uvx --python 3.13 a"],
    ["uvx://a#tool", "uvx --python 3.13 --from a tool"],
    ["go://example.com/a", "go run example.com/a@latest"],
  ])("%s is what people type without a container", (given, command) => {
    const direct = formatDirectCommand(given);
    expect([direct.command, ...direct.args].join(" ")).toBe(command);
  });

  test("another scheme is an error", () => {
    expect(() => formatDirectCommand("docker://a")).toThrow("docker://a is not a package");
  });
});

test("lists are compared as JSON, and a difference names the entry", () => {
  const one = { ...EMPTY, tools: [{ name: "a", description: "x" }], call: "result" };

  expect(compareAnswers(one, structuredClone(one))).toEqual([]);
  expect(compareAnswers(one, { ...one, tools: [{ name: "a", description: "y" }] })).toEqual(["tools: a"]);
  expect(compareAnswers(one, { ...one, tools: [] })).toEqual(["tools: 1 and 0"]);
  expect(compareAnswers(one, { ...one, call: "error" })).toEqual(["call: result and error"]);
});

test("a list that is an error counts nothing, and is no empty list", () => {
  const failing = { ...EMPTY, resources: [{ error: -32603 }] };

  expect(countLists(failing)).toEqual({ tools: 0, prompts: 0, resources: 0 });
  expect(compareAnswers(failing, EMPTY)).toEqual(["resources: 1 and 0"]);
  expect(compareAnswers(failing, { ...EMPTY, resources: [{ error: -1 }] })).toEqual(["resources: error -32603"]);
});

describe("describeFailure", () => {
  test.each([
    [
      "thv's own sentence",
      { stderr: "The server's last output:\n  | boom failed\nError: It exited.\nHint: x" },
      "It exited.",
    ],
    ["the last line with a reason", { message: "closed", stderr: "Error: no key\n  at f (x.js:1)\nbye" }, "no key"],
    ["no address", { message: "request to https://registry.example/a failed" }, "request to its address failed"],
    ["no folder", { message: "cannot open /home/me/x/state.db" }, "cannot open …/state.db"],
    [
      "that it was ended at its limit of time",
      { message: "Command failed: thv run uvx://slow", killed: true },
      "the command did not end in time",
    ],
    ["nothing said", { message: "" }, "no output"],
  ])("keeps %s", (_, error, expected) => {
    expect(describeFailure(error)).toBe(expected);
  });

  test("is bounded", () => {
    expect(describeFailure(new Error(`failed ${"x".repeat(5000)}`)).length).toBeLessThan(300);
  });
});

describe("selectServers", () => {
  const servers: Server[] = [{ package: "npx://one" }, { package: "uvx://two" }];

  test("all, some by a part of their names, or those without a result", () => {
    const results = new Map([["npx://one", { package: "npx://one" }]]);

    expect(selectServers(servers, results, [])).toEqual(servers);
    expect(selectServers(servers, results, ["tw"])).toEqual([servers[1]]);
    expect(selectServers(servers, results, ["--missing"])).toEqual([servers[1]]);
    expect(() => selectServers(servers, results, ["three"])).toThrow('No server\'s package contains "three"');
  });
});

test("a hundred servers are named once each, and every result is of one of them", () => {
  const { servers } = read("servers.json") as { servers: Server[] };
  const names = servers.map((server) => server.package);

  expect(names).toHaveLength(100);
  expect(new Set(names).size).toBe(100);
  const results = (read("results.json") as { servers: Server[] }).servers.map((server) => server.package);
  expect(results.filter((name) => !names.includes(name))).toEqual([]);
});
