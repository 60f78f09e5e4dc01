import { describe, expect, test } from "vitest";
import { isMessage, saysProblem } from "./query-words.ts";

describe("a query", () => {
  test.each([
    "Error: connect ECONNREFUSED 127.0.0.1:8080",
    'error: the server doesn\'t have a resource type "mcpservers"',
    "npm error 404 not found",
  ])("that a program has printed is a message: %s", (text) => {
    expect(isMessage(text)).toBe(true);
    expect(saysProblem(text)).toBe(true);
  });

  test.each([
    "my editor doesn't connect to the servers",
    "why can't I stop it",
    "docker not running",
    "secrets missing",
  ])("in plain words that something does not work is no message, and says a problem: %s", (text) => {
    expect(isMessage(text)).toBe(false);
    expect(saysProblem(text)).toBe(true);
  });

  test.each(["group tools", "stop a server", "audit log", "thv run"])("for a task says no problem: %s", (text) => {
    expect(saysProblem(text)).toBe(false);
  });
});
