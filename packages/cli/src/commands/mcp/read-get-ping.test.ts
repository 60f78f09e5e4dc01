/** What `thv mcp read`, `get` and `ping` send, print and refuse. */
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { McpFixture } from "../../testing/mcp-fixture.ts";
import { ServedThv } from "../../testing/served-thv.ts";

let context: ServedThv;
let server: McpFixture;
const sent: unknown[] = [];

beforeEach(async () => {
  sent.length = 0;
  context = await ServedThv.start();
  server = await McpFixture.start({
    capabilities: { resources: {}, prompts: {} },
    answers: {
      ping: () => ({}),
      "prompts/get": (params) => {
        sent.push(params);
        if (params.name === "absent") throw new Error("no such prompt");
        return {
          messages: [
            { role: "user", content: { type: "text", text: "Weather in Paris?" } },
            { role: "assistant", content: { type: "image", mimeType: "image/png", data: "AAAA" } },
          ],
        };
      },
      "resources/read": (params) => {
        sent.push(params);
        if (params.uri === "file:///absent") throw new Error("no such resource");
        return {
          contents: [
            { uri: "file:///a", text: "one" },
            { uri: "file:///b", mimeType: "image/png", blob: "AAAA" },
          ],
        };
      },
    },
  });
});
afterEach(async () => {
  await context[Symbol.asyncDispose]();
  await server[Symbol.asyncDispose]();
});

const mcp = (...argv: string[]) => context.call(["mcp", ...argv]);
const address = () => `${server.origin}/mcp`;

describe("mcp read", () => {
  test("prints the text of a resource, and the rest by type and size", async () => {
    expect(await mcp("read", address(), "file:///a")).toEqual({
      code: 0,
      stdout: "one\n[file:///b: image/png, 3 bytes]\n",
      stderr: "",
    });
    expect(sent).toMatchObject([{ uri: "file:///a" }]);
  });

  test("fails when the server refuses", async () => {
    expect(await mcp("read", address(), "file:///absent")).toMatchObject({
      code: 23,
      stderr: expect.stringMatching(/refused to read file:\/\/\/absent: .*no such resource/),
    });
  });
});

describe("mcp get", () => {
  test("prints each message behind its role, and sends every argument as text", async () => {
    expect(await mcp("get", address(), "weather", "--arg", "city=Paris", "--arg", "days=2")).toEqual({
      code: 0,
      stdout: "user: Weather in Paris?\nassistant: [image: image/png, 3 bytes]\n",
      stderr: "",
    });
    expect(sent).toMatchObject([{ name: "weather", arguments: { city: "Paris", days: "2" } }]);
  });

  test("fails when the server refuses", async () => {
    expect(await mcp("get", address(), "absent")).toMatchObject({
      code: 23,
      stderr: expect.stringMatching(/refused the prompt absent: .*no such prompt/),
    });
  });
});

describe("mcp ping", () => {
  test("says what answers, in which protocol and how fast", async () => {
    const { code, stdout } = await mcp("ping", address());

    expect(code).toBe(0);
    expect(stdout).toMatch(/^http:\S+ answers: fixture 1\.0\.0, protocol 2025-06-18, [0-9.]+ ms\.\n$/);
    expect(server.methods).toContain("ping");
  });

  test("fails at an address without a listener", async () => {
    expect(await mcp("ping", "http://127.0.0.1:9/mcp")).toMatchObject({ code: 8 });
  });
});
