import { describe, expect, test } from "vitest";
import { readAllowedHosts } from "./allowed-hosts.ts";

describe("allowed hosts", () => {
  test("are kept in lower case, each once", () => {
    const problems: string[] = [];

    const names = readAllowedHosts(["Tools.Example.com", "tools.example.com", "box", "192.0.2.7", "my_box"], problems);

    expect(problems).toEqual([]);
    expect(names).toEqual(["tools.example.com", "box", "192.0.2.7", "my_box"]);
  });

  test.each([
    "https://tools.example.com",
    "tools.example.com:443",
    "a/b",
    "*",
    "*.example.com",
    "",
    "a..b",
    "a b",
    "é.example",
  ])("that are no names, such as %j, are refused by their name", (name) => {
    const problems: string[] = [];

    readAllowedHosts([name], problems);

    expect(problems).toEqual([
      `allowed host "${name}" is not a host name without scheme, port and path, such as tools.example.com`,
    ]);
  });

  test("are bounded in length and number", () => {
    const problems: string[] = [];
    readAllowedHosts(["a".repeat(100_000)], problems);
    readAllowedHosts(Array(51).fill("a"), problems);
    expect(problems.map((problem) => problem.length < 200)).toEqual([true, true]);
  });
});
