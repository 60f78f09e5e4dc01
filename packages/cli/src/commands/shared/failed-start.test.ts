import { expect, test } from "vitest";
import { describeFailedStart } from "./failed-start.ts";

test("a remote server that was not kept is not said to be asked again", () => {
  const message = "http://127.0.0.1:19309/mcp does not run: nothing answers at 127.0.0.1:19309.";
  const hint = "Start the server, or correct its port. It is asked again by itself.";
  const failure = describeFailedStart({
    name: "web",
    package: "http://127.0.0.1:19309/mcp",
    status: "unhealthy",
    remote: true,
    transport_type: "streamable-http",
    tool_type: "mcp",
    url: "http://127.0.0.1:14335/mcp",
    port: 14_335,
    created_at: "2026-01-01T00:00:00Z",
    error: { code: "SERVER_NOT_READY", message, hint },
  });

  expect(failure.message).toBe(`"web" was not kept: ${message}`);
  expect(failure.hint).toBe("Start the server, or correct its port.");
});
