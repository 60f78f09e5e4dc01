/** Servers that run and are not understood, or not reached, by what they wrote. */
import { describe, expect, test } from "vitest";
import { explainUnreachable, explainUnreadableOutput, explainWrongTransport } from "./explain-silence.ts";

describe("output of a server on stdio that is no message", () => {
  test.each([
    [
      "a message over several lines",
      ["{", '  "jsonrpc": "2.0",', '  "id": 1,', '  "result": {}', "}"],
      "over several lines",
    ],
    ["the same behind a byte order mark", ["\ufeff{", '\t"jsonrpc": "2.0"', "}"], "over several lines"],
    ["the form of a language server", ["Content-Length: 52", ""], "language servers"],
    ["text before a message", ['ready {"jsonrpc":"2.0","id":1,"result":{}}'], "other text"],
    ["a message behind a byte order mark", ['\ufeff{"jsonrpc":"2.0","id":1,"result":{}}'], "byte order mark"],
  ])("that is %s is called that", (_what, lines, said) => {
    expect(explainUnreadableOutput(lines)).toMatchObject({
      what: expect.stringContaining(said),
      hint: expect.stringContaining("one line"),
    });
  });

  test.each([
    ["nothing", []],
    ["a banner", ["server 1.0", "ready"]],
    ["JSON of something else", ["{", '  "level": "info"', "}"]],
    ["a log line with JSON", ['{"level":"info","text":"jsonrpc"}']],
  ])("that is %s is left as it is", (_what, lines) => {
    expect(explainUnreadableOutput(lines)).toBeUndefined();
  });
});

describe("a server on stdio", () => {
  test.each([
    "INFO:     Uvicorn running on http://127.0.0.1:8000 (Press CTRL+C to quit)",
    "Server listening at http://0.0.0.0:8000",
    "MCP server started on http://localhost:8000/mcp",
  ])("that writes %j seems to speak HTTP", (line) => {
    expect(explainWrongTransport(["loading", line, "waiting"])).toMatchObject({
      what: "it wrote that it listens on port 8000, so it seems to speak HTTP",
      hint: expect.stringContaining("--transport streamable-http --target-port 8000"),
    });
  });

  test.each(["connecting to http://localhost:5432", "server running on stdio", "listening"])(
    "that writes %j does not",
    (line) => {
      expect(explainWrongTransport([line])).toBeUndefined();
    },
  );
});

describe("a server that speaks HTTP", () => {
  test.each(["127.0.0.1", "localhost", "[::1]"])("that listens on %s alone is not reached from outside", (host) => {
    expect(explainUnreachable([`Uvicorn running on http://${host}:8000`], 8000)).toMatchObject({
      what: `it wrote that it listens on ${host}:8000, which nothing outside its container reaches`,
      hint: expect.stringContaining("0.0.0.0"),
    });
  });

  test.each([
    "listening on 127.0.0.1 3000",
    "listening on localhost, port 3000",
    "Server listening { host: '127.0.0.1', port: 3000 }",
    'level=info msg="server started" host=127.0.0.1 port=3000',
    "listening on ::1 port 3000",
    "listening on ::1:3000",
  ])("that writes %j is not reached from outside", (line) => {
    expect(explainUnreachable([line], 3000)?.what).toMatch(/:3000, which nothing outside its container reaches$/);
  });

  test("that listens on another port is expected there", () => {
    expect(explainUnreachable(["Listening on http://0.0.0.0:9000"], 8080)).toMatchObject({
      hint: "Run it with --target-port 9000.",
    });
  });

  test.each([
    ["where it is expected", ["listening on 0.0.0.0:8080"]],
    ["nowhere yet", ["loading"]],
  ])("that listens %s is not explained", (_where, lines) => {
    expect(explainUnreachable(lines, 8080)).toBeUndefined();
  });
});
