/**
 * Sessions of servers that speak HTTP are remembered by caller, and none is forgotten for another caller's sake.
 */
import type { IncomingMessage } from "node:http";
import { describe, expect, test } from "vitest";
import type { Caller } from "../messages/caller.ts";
import { HttpSessions } from "./http-sessions.ts";

const ALICE: Caller = { id: "alice", claims: {} };
const callerNumber = (n: number): Caller => ({ id: `caller ${n}`, claims: {} });

const message = (headers: Record<string, string>, more: Partial<IncomingMessage> = {}): IncomingMessage =>
  ({ method: "POST", url: "/mcp", headers, statusCode: 200, ...more }) as unknown as IncomingMessage;

function open(sessions: HttpSessions, id: string, caller: Caller): void {
  sessions.recordSession(message({}), message({ "mcp-session-id": id }), caller);
}

function knows(sessions: HttpSessions, id: string, caller: Caller): boolean {
  try {
    sessions.check(message({ "mcp-session-id": id }), "/mcp", caller);
    return true;
  } catch {
    return false;
  }
}

describe("a session of a server that speaks HTTP", () => {
  test("is remembered however many another caller opens, and that caller's own oldest are not", () => {
    const sessions = new HttpSessions("streamable-http", false);
    open(sessions, "of alice", ALICE);

    for (let n = 0; n < 20_000; n++) open(sessions, `m${n}`, callerNumber(0));

    expect(knows(sessions, "of alice", ALICE)).toBe(true);
    expect(knows(sessions, "m0", callerNumber(0))).toBe(false);
    expect(knows(sessions, "m19999", callerNumber(0))).toBe(true);
  });

  test("is remembered when many callers have all they may have", () => {
    const sessions = new HttpSessions("streamable-http", false);
    open(sessions, "of alice", ALICE);

    for (let n = 0; n < 20_000; n++) open(sessions, `m${n}`, callerNumber(n % 20));

    expect(knows(sessions, "of alice", ALICE)).toBe(true);
    expect(knows(sessions, "m0", callerNumber(0))).toBe(false);
  });

  test("that was ended or used by nobody is forgotten, and never another's", () => {
    const sessions = new HttpSessions("streamable-http", false);
    open(sessions, "of alice", ALICE);
    open(sessions, "of alice", callerNumber(1));
    expect(knows(sessions, "of alice", callerNumber(1))).toBe(false);

    sessions.recordSession(message({ "mcp-session-id": "of alice" }, { method: "DELETE" }), message({}), ALICE);

    expect(knows(sessions, "of alice", ALICE)).toBe(false);
  });
});
