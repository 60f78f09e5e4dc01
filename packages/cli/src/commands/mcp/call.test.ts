/** What `thv mcp call` sends, prints and refuses. */
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { McpFixture } from "../../testing/mcp-fixture.ts";
import { ServedThv } from "../../testing/served-thv.ts";

let context: ServedThv;

beforeEach(async () => {
  context = await ServedThv.start();
});
afterEach(async () => {
  await context[Symbol.asyncDispose]();
});

const call = (...argv: string[]) => context.call(["mcp", "call", ...argv]);

function answerWith(answer: (params: Record<string, unknown>) => unknown): Promise<McpFixture> {
  return McpFixture.start({ answers: { "tools/call": answer } });
}

describe("mcp call", () => {
  test("sends the arguments and prints the text of the answer, and the rest by type and size", async () => {
    let sent: unknown;
    await using server = await answerWith((params) => {
      sent = params;
      return {
        content: [
          { type: "text", text: "one\ntwo" },
          { type: "image", mimeType: "image/png", data: Buffer.from("12345").toString("base64") },
          { type: "resource_link", name: "readme", uri: "file:///readme" },
          { type: "resource", resource: { uri: "file:///a", text: "embedded" } },
          { type: "resource", resource: { uri: "file:///b", blob: "AAAA" } },
        ],
      };
    });

    expect(await call(`${server.origin}/mcp`, "add", "--arguments", '{"a": [1, {"b": null}]}')).toEqual({
      code: 0,
      stdout: [
        "one",
        "two",
        "[image: image/png, 5 bytes]",
        "[link: file:///readme]",
        "embedded",
        "[file:///b: unknown type, 3 bytes]",
        "",
      ].join("\n"),
      stderr: "",
    });
    expect(sent).toMatchObject({ name: "add", arguments: { a: [1, { b: null }] } });
  });

  test("as JSON prints what the server returned, and as text what is structured when there is nothing else", async () => {
    const result = { content: [], structuredContent: { sum: 3 } };
    await using server = await answerWith(() => result);
    const address = `${server.origin}/mcp`;

    expect(JSON.parse((await call(address, "add", "--format", "json")).stdout)).toMatchObject(result);
    expect((await call(address, "add")).stdout).toBe('{\n  "sum": 3\n}\n');
  });

  test("fails when the tool reports an error, and when the server refuses the call", async () => {
    await using server = await answerWith(({ name }) => {
      if (name === "absent") throw new Error("no such tool");
      return { isError: true, content: [{ type: "text", text: "division by zero" }] };
    });
    const address = `${server.origin}/mcp`;

    const failed = await call(address, "divide");
    expect([failed.code, failed.stdout]).toEqual([23, ""]);
    expect(failed.stderr).toContain(`Error: The tool divide of ${address} reported an error: division by zero`);
    expect(await call(address, "absent")).toMatchObject({
      code: 23,
      stderr: expect.stringMatching(/refused the call of absent: .*no such tool/),
    });
    const { stderr } = await call(address, "divide", "--format", "json");
    expect(JSON.parse(stderr)).toMatchObject({ code: "CALL_FAILED" });
  });

  describe("at a workload whose network is filtered", () => {
    const at = (host: string, port: number | undefined, ago: number) => ({
      host,
      port,
      count: 1,
      lastAt: Date.now() - ago,
    });

    async function callFiltered(tool: string, denials: ReturnType<typeof at>[]) {
      await using server = await answerWith(({ name }) => {
        if (name === "absent") throw new Error("no such tool");
        return { isError: true, content: [{ type: "text", text: "fetch failed" }] };
      });
      await context.call(["run", "--name", "zip", "--isolate-network", "--permission-profile", "none", "mcp/echo:1"]);
      const { handlers, supervisor } = context.served;
      const getWorkload = handlers.getWorkload.bind(handlers);
      vi.spyOn(handlers, "getWorkload").mockImplementation(async (...args) => ({
        ...(await getWorkload(...args)),
        url: `${server.origin}/mcp`,
      }));
      const { network } = supervisor.get("zip");
      if (network) vi.spyOn(network, "listDenials").mockResolvedValue(denials);
      return await call("zip", tool);
    }

    test("says what was refused, and the command that allows it", async () => {
      const denials = [at("raw.test", 443, 100), at("dns.test", undefined, 30_000), at("old.test", 443, 3_600_000)];

      const { code, stderr } = await callFiltered("zip", denials);

      expect(code).toBe(23);
      expect(stderr).toBe(
        "Error: The tool zip of zip reported an error: fetch failed. Within the last minute, the network filter of zip refused raw.test:443, dns.test.\nHint: If it may reach that: thv permission allow zip raw.test:443\n",
      );
    });

    test("says it of a server that refuses the call, too", async () => {
      const { stderr } = await callFiltered("absent", [at("raw.test", 443, 100)]);

      expect(stderr).toMatch(
        /no such tool\. Within the last minute, .*\nHint: .*thv permission allow zip raw\.test:443\n$/,
      );
    });

    test("does not blame it for an error in a time in which nothing was refused", async () => {
      const { stderr } = await callFiltered("zip", [at("old.test", 443, 3_600_000)]);

      expect(stderr).toContain("fetch failed\nHint: Check the arguments");
    });
  });

  test("gives each argument the type that the tool asks for, over those in the JSON", async () => {
    const properties = {
      text: { type: "string" },
      count: { type: "integer" },
      share: { type: ["number", "null"] },
      isOn: { type: "boolean" },
      tags: { type: "array", items: { type: "string" } },
      place: { $ref: "#/$defs/Place" },
      unit: { anyOf: [{ type: "integer" }, { type: "string" }] },
      level: { enum: [1, 2] },
    };
    const inputSchema = { type: "object", properties, $defs: { Place: { type: "object" } } };
    const sent: unknown[] = [];
    await using server = await McpFixture.start({
      answers: {
        "tools/list": () => ({ tools: [{ name: "typed", inputSchema }] }),
        "tools/call": (params) => {
          sent.push(params.arguments);
          return { content: [] };
        },
      },
    });
    const pairs = [
      ...["text=12", "count=12", "share=null", "isOn=true", "tags=a", "tags=b=c", 'place={"city": "x"}'],
      ...["unit=m", "level=2", "other=[1]", "__proto__=x"],
    ];

    const { code, stderr } = await call(
      `${server.origin}/mcp`,
      "typed",
      ...["--json", '{"count": 1, "kept": true}'],
      ...pairs.flatMap((pair) => ["--arg", pair]),
    );

    expect([code, stderr]).toEqual([0, ""]);
    const typed = { text: "12", count: 12, share: null, isOn: true, tags: ["a", "b=c"], place: { city: "x" } };
    const others = { unit: "m", level: 2, other: [1], kept: true, ["__proto__"]: "x" };
    expect(sent).toEqual([{ ...typed, ...others }]);
    for (const wrong of ["count=1.5", "count=9007199254740993", "isOn=yes", "place=[]", "share="])
      expect(await call(`${server.origin}/mcp`, "typed", "--arg", wrong), wrong).toMatchObject({
        code: 2,
        stderr: expect.stringContaining("but the tool asks for"),
      });
    const twice = await call(`${server.origin}/mcp`, "typed", "--arg", "text=a", "--arg", "text=b");
    expect(twice.stderr).toContain("--arg text is given 2 times");
    expect((await call(`${server.origin}/mcp`, "typed", "--arg", "text")).stderr).toContain("must be NAME=VALUE");
    expect(sent).toHaveLength(1);
  });

  test("a tool that the server does not list is no puzzle: the error says so, with what may have been meant", async () => {
    await using server = await McpFixture.start({
      answers: {
        "tools/list": () => ({ tools: [{ name: "echo", inputSchema: { type: "object" } }] }),
        "tools/call": () => {
          throw new Error("no such tool");
        },
      },
      capabilities: { tools: {} },
    });
    const address = `${server.origin}/mcp`;

    expect(await call(address, "ecoh")).toMatchObject({
      stderr: expect.stringMatching(/offers no tool "ecoh"\.[\s\S]*Did you mean echo\?/),
    });
    expect((await call(address, "echo")).stderr).toContain("no such tool");
  });

  test.each(["[1]", "null", "{", "text"])("refuses the arguments %s and calls nothing", async (text) => {
    await using server = await answerWith(() => ({ content: [] }));

    expect(await call(`${server.origin}/mcp`, "add", "--arguments", text)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(`--arguments is not a JSON object: ${text}`),
    });
    expect(server.methods).toEqual([]);
  });

  test.each([
    ["ftp://127.0.0.1/mcp", 64, 'SERVER is "ftp://127.0.0.1/mcp", but an address must begin with http'],
    ["absent", 3, 'There is no server "absent"'],
    ["http://127.0.0.1:9/mcp", 8, "does not answer as an MCP server"],
  ])("to the server %s ends with exit code %i", async (server, code, message) => {
    expect(await call(server, "add")).toMatchObject({ code, stderr: expect.stringContaining(message) });
  });

  test("ends at its time limit", async () => {
    await using server = await answerWith(() => new Promise(() => undefined));

    expect(await call(`${server.origin}/mcp`, "add", "--timeout", "500ms")).toMatchObject({
      code: 8,
      stderr: expect.stringContaining("did not answer in time"),
    });
  });
});
