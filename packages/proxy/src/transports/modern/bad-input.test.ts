/** Protocol revision 2026-07-28: what a request may not hold, and what its client gets. */
import { describe, expect, test } from "vitest";
import { call, echo, META } from "../../testing/modern-call.ts";
import { openPair } from "../../testing/open-pair.ts";

describe("bad input", () => {
  const named = { params: { name: "x" } };
  test.each([
    ["a missing MCP-Protocol-Version", named, { "mcp-protocol-version": "" }, 400, -32020],
    ["another MCP-Protocol-Version", named, { "mcp-protocol-version": "2025-11-25" }, 400, -32020],
    ["a missing Mcp-Method", named, { "mcp-method": "" }, 400, -32020],
    ["another Mcp-Method", named, { "mcp-method": "tools/list" }, 400, -32020],
    ["a missing Mcp-Name", named, { "mcp-name": "" }, 400, -32020],
    ["another Mcp-Name", named, { "mcp-name": "y" }, 400, -32020],
    ["no capabilities", { meta: { [`${META}clientCapabilities`]: 5 } }, {}, 400, -32602],
    [
      "an unknown revision",
      { meta: { [`${META}protocolVersion`]: "2099-01-01" } },
      { "mcp-protocol-version": "2099-01-01" },
      400,
      -32022,
    ],
  ])("with %s is refused", async (_, options, headers, status, code) => {
    await using pair = await openPair({ onRequest: echo });

    const response = await call(pair.endpoint, "tools/call", { ...options, headers });

    expect(response.status).toBe(status);
    expect(await response.json()).toMatchObject({ id: 1, error: { code } });
    expect(pair.server.seen).toHaveLength(0);
  });

  test.each(["ping", "logging/setLevel", "resources/subscribe", "initialize"])(
    "%s is not found, because the revision has it no more",
    async (method) => {
      await using pair = await openPair({ onRequest: echo });

      const response = await call(pair.endpoint, method);

      expect(response.status).toBe(404);
      expect(await response.json()).toMatchObject({ id: 1, error: { code: -32601 } });
    },
  );

  describe("in a header that repeats an argument", () => {
    const TOOLS =
      '{"tools":[{"name":"x","inputSchema":{"properties":{"a":{"properties":{"region":{"type":"string","x-mcp-header":"Region"},"n":{"type":"integer","x-mcp-header":"N"}}}}}}]}';
    const region = (value: string): Record<string, string> => ({ "mcp-param-region": value });

    test.each([
      ["the same text", region("eu"), { region: "eu" }, 200],
      ["its base64 form", region("=?base64?ZXU=?="), { region: "eu" }, 200],
      ["a number written differently", { "mcp-param-n": "7.0" }, { n: 7 }, 200],
      ["nothing where the argument is absent", {}, {}, 200],
      ["nothing where the argument is given", {}, { region: "eu" }, 400],
      ["another text", region("us"), { region: "eu" }, 400],
      ["broken base64", region("=?base64?ZXU?="), { region: "eu" }, 400],
    ])("takes %s or refuses it", async (_, headers, argument, status) => {
      await using pair = await openPair({ onRequest: ({ method }) => (method === "tools/list" ? TOOLS : "{}") });
      await call(pair.endpoint, "tools/list");

      const response = await call(pair.endpoint, "tools/call", {
        params: { name: "x", arguments: { a: argument } },
        headers,
      });

      expect(response.status).toBe(status);
      if (status === 400) expect(await response.json()).toMatchObject({ error: { code: -32020 } });
    });
  });

  test("of a method that the server does not know is a 404 with the server's own error", async () => {
    await using pair = await openPair();
    const response = call(pair.endpoint, "no/such");
    const { id } = await pair.server.receive("no/such");

    pair.server.write(`{"jsonrpc":"2.0","id":${id},"error":{"code":-32601,"message":"unknown"}}`);

    expect((await response).status).toBe(404);
    expect(await (await response).json()).toEqual({
      jsonrpc: "2.0",
      id: 1,
      error: { code: -32601, message: "unknown" },
    });
  });

  test("takes a name that is no header text in its base64 form", async () => {
    await using pair = await openPair({ onRequest: echo });
    const name = `=?base64?${Buffer.from("größe").toString("base64")}?=`;

    const response = await call(pair.endpoint, "tools/call", {
      params: { name: "größe" },
      headers: { "mcp-name": name },
    });

    expect(await response.json()).toMatchObject({ result: { params: { name: "größe" } } });
  });
});
