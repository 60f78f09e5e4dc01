/** The official client, in both eras of the protocol, on both transports. */

import { PassThrough } from "node:stream";
import { setImmediate } from "node:timers/promises";
import {
  Client,
  type JSONRPCMessage,
  ReadBuffer,
  StreamableHTTPClientTransport,
  serializeMessage,
  type Transport,
} from "@modelcontextprotocol/client";
import { afterEach, beforeAll, describe, expect, test } from "vitest";
import { DocsLibrary } from "../library/docs-library.ts";
import { estimateTokens } from "../library/tokens.ts";
import { openTestLibrary, TEST_CONTENT } from "../testing/index.ts";
import { createHttpAnswerer, MAX_MESSAGE_BYTES, PROTOCOL_REVISIONS, serveOnStreams } from "./serve.ts";

let library: DocsLibrary;
const errors: unknown[] = [];
const OPTIONS = { onError: (error: unknown) => errors.push(error) };
const ERAS = ["2025-11-25", "2026-07-28"] as const;
type Era = (typeof ERAS)[number];

beforeAll(async () => {
  library = await openTestLibrary();
});

const open: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close();
  errors.length = 0;
});

function createClient(era: Era): Client {
  const modern = { versionNegotiation: { mode: { pin: "2026-07-28" } } } as const;
  return new Client({ name: "docs-tests", version: "1.0.0" }, era === "2026-07-28" ? modern : {});
}

async function connectHttp(era: Era, served = library): Promise<Client> {
  const answer = createHttpAnswerer(served, {
    ...OPTIONS,
    describeOutage: (error) => (error instanceof Error ? `outage: ${error.message}` : undefined),
  });
  const transport = new StreamableHTTPClientTransport(new URL("http://docs.example.org/mcp"), {
    fetch: async (url, init) => await answer(new Request(url, init)),
  });
  const client = createClient(era);
  await client.connect(transport);
  open.push(() => client.close());
  return client;
}

/** The client's end of two pipes. */
class PipeTransport implements Transport {
  onmessage?: NonNullable<Transport["onmessage"]>;
  onclose?: () => void;
  readonly input = new PassThrough();
  readonly output = new PassThrough();
  readonly #buffer = new ReadBuffer();

  async start(): Promise<void> {
    this.output.on("data", (chunk: Buffer) => {
      this.#buffer.append(chunk);
      for (let message = this.#buffer.readMessage(); message !== null; message = this.#buffer.readMessage()) {
        this.onmessage?.(message);
      }
    });
  }

  async send(message: JSONRPCMessage): Promise<void> {
    this.input.write(serializeMessage(message));
  }

  async close(): Promise<void> {
    this.input.end();
    this.onclose?.();
  }
}

async function connectStdio(era: Era): Promise<Client> {
  const transport = new PipeTransport();
  const stop = new AbortController();
  const streams = { input: transport.input, output: transport.output, signal: stop.signal };
  const ended = serveOnStreams(library, streams, OPTIONS);
  const client = createClient(era);
  await client.connect(transport);
  open.push(async () => {
    await client.close();
    await ended;
  });
  return client;
}

const WAYS = ERAS.flatMap((era) => [
  { name: `HTTP, ${era}`, era, connect: connectHttp },
  { name: `stdio, ${era}`, era, connect: connectStdio },
]);

async function callForText(client: Client, name: string, args: Record<string, unknown>) {
  const answer = await client.callTool({ name, arguments: args });
  const [content] = answer.content;
  return {
    text: content?.type === "text" ? content.text : "",
    isError: answer.isError === true,
    structure: answer.structuredContent,
  };
}

describe.each(WAYS)("on $name", ({ era, connect }) => {
  test("says what it is, and offers four tools that only read", async () => {
    const client = await connect(era);

    expect(client.getServerVersion()).toMatchObject({ name: "toolhive-docs", version: "0.2.0" });
    expect(client.getInstructions()?.match(/\.(?:\s|$)/g)).toHaveLength(3);
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(["search_docs", "read_page", "explain_error", "describe_command"]);
    for (const tool of tools) {
      expect(tool.annotations).toMatchObject({ readOnlyHint: true, openWorldHint: false });
      expect(tool.outputSchema?.type).toBe("object");
    }
  });

  test("answers each tool with text and the same as a structure", async () => {
    const client = await connect(era);

    const found = await callForText(client, "search_docs", { query: "isolate-network profile", form: "cli", limit: 2 });
    expect(found.text).toContain("[1] Limit permissions");
    expect(found.structure).toMatchObject({
      sections: [{ path: "/toolhive/guides-cli/custom-permissions#allow-only-some-hosts" }],
    });
    const page = await callForText(client, "read_page", { path: "/toolhive/faq" });
    expect(page.structure).toMatchObject({ title: "Questions", address: "https://docs.example.org/toolhive/faq" });
    const explained = await callForText(client, "explain_error", {
      error: "Error: Port 80 on ::1 is in use by another program.",
    });
    expect(explained.text).toContain("thv run --proxy-port 8081 fetch");
    expect(explained.structure).toMatchObject({ exit_code: 7 });
    const described = await callForText(client, "describe_command", { name: "thv run --transport" });
    expect(described.text).toContain("--transport string: How it speaks; one of stdio, sse; default stdio");
    expect(described.structure).toMatchObject({ kind: "command", name: "thv run" });
    expect(
      (await callForText(client, "describe_command", { name: "GET /api/v1beta/workloads/x" })).structure,
    ).toMatchObject({ kind: "operation" });
    const operation = await callForText(client, "describe_command", { name: "POST /api/v1beta/workloads" });
    expect(operation.text).toContain(
      [
        "- image (body, required, text): What to run. Not empty.",
        "- limits (body, object):",
        "- limits.cpus (body, number): Processors. Default: `2`.",
        "- answer 201: It is created",
      ].join("\n"),
    );
    expect((await callForText(client, "describe_command", { name: "--debug" })).structure).toMatchObject({
      kind: "flag",
    });
  });

  test("has every page as a resource, and completes their paths", async () => {
    const client = await connect(era);

    const { resources } = await client.listResources();
    expect(resources).toHaveLength(library.content.pages.length);
    expect(resources[4]).toMatchObject({ uri: "docs:///toolhive/faq", title: "Questions", mimeType: "text/markdown" });
    const { resourceTemplates } = await client.listResourceTemplates();
    expect(resourceTemplates.map(({ uriTemplate }) => uriTemplate)).toEqual(["docs:///{+path}"]);
    const { contents } = await client.readResource({ uri: "docs:///toolhive/faq" });
    expect(contents[0]).toMatchObject({ mimeType: "text/markdown", text: library.findPage("faq")?.markdown });
    const ref = { type: "ref/resource", uri: "docs:///{+path}" } as const;
    const { completion } = await client.complete({ ref, argument: { name: "path", value: "toolhive/guides" } });
    expect(completion.values).toEqual([
      "toolhive/guides-cli/custom-permissions",
      "toolhive/guides-ui/network-isolation",
    ]);
    await expect(client.readResource({ uri: "docs:///toolhive/fag" })).rejects.toThrow("/toolhive/faq");
  });
});

describe("an operation with a large body", () => {
  const [createWorkload, ...others] = TEST_CONTENT.operations;
  if (createWorkload === undefined) throw new Error("The tests' content has no operation.");
  const FIELDS = Array.from({ length: 60 }, (_, index) => ({
    name: index % 2 === 0 ? `field_${index}` : `field_${index - 1}.inner`,
    type: "text",
    required: index === 0,
    description: `The first sentence on it. ${"Another sentence with many words. ".repeat(4)}`,
  }));
  const large = new DocsLibrary(
    { ...TEST_CONTENT, operations: [{ ...createWorkload, body: FIELDS }, ...others] },
    () => {
      throw new Error("Nothing is searched here.");
    },
  );

  test("is described in short, within the tokens of an answer", async () => {
    const client = await connectHttp("2026-07-28", large);

    const { text } = await callForText(client, "describe_command", { name: "POST /api/v1beta/workloads" });

    expect(estimateTokens(text)).toBeLessThanOrEqual(1_500);
    expect(text).toContain("- field_0 (body, required, text): The first sentence on it.\n");
    expect(text).toContain('ask describe_command for "POST /api/v1beta/workloads FIELD"');
  });

  test("is described whole for the field that is asked for", async () => {
    const client = await connectHttp("2026-07-28", large);

    const { text } = await callForText(client, "describe_command", { name: "POST /api/v1beta/workloads field_2" });

    expect(text).toContain("- field_2.inner (body, text): The first sentence on it. Another sentence");
    expect(text).not.toContain("field_4");
    expect(text).not.toContain("Shortened.");
  });
});

describe("wrong arguments are answered by what is allowed", () => {
  test.each([
    ["search_docs", { query: "x", form: "Kubernets" }, 'one of cli, ui, kubernetes, api. Did you mean "kubernetes"?'],
    ["search_docs", { query: "x", limit: 11 }, "a whole number from 1 to 10"],
    ["search_docs", { query: "  " }, '"query" is empty'],
    ["search_docs", {}, '"query" is missing'],
    ["search_docs", { query: ["x"] }, "must be a text"],
    ["search_docs", { query: "x".repeat(100_001) }, "has 100001 characters, and at most 100000 are read"],
    ["search_docs", { qurey: "x", query: "y" }, 'Did you mean "query"?'],
    ["read_page", { path: "toolhive/guides-cli/custom-permision" }, "Near: /toolhive/guides-cli/custom-permissions"],
    ["read_page", { path: "toolhive/newer-page" }, 'no page "toolhive/newer-page" in version v0.2.0'],
    ["read_page", { path: "toolhive/faq", from: 9_999 }, "Nothing stands behind 9999"],
    [
      "read_page",
      { path: "toolhive/guides-cli/custom-permissions", section: "Nowhere" },
      "It has: Allow only some hosts; Check it",
    ],
    ["read_page", { path: "toolhive/faq", max_tokens: 100 }, "from 200 to 4000"],
    ["explain_error", { error: "all is well" }, "No known error fits"],
    ["describe_command", { name: "thv rum" }, "Near: thv run"],
  ])("%s %j", async (name, args, expected) => {
    const client = await connectHttp("2026-07-28");

    const { text, isError } = await callForText(client, name, args);

    expect(isError).toBe(true);
    expect(text).toContain(expected);
    expect(text.length).toBeLessThan(1_000);
  });
});

test("a long page comes in pieces, and the caller may lower their size", async () => {
  const client = await connectHttp("2026-07-28");

  const first = await callForText(client, "read_page", { path: "reference/cli/thv_run", max_tokens: 300 });
  const next = (first.structure as { next: number }).next;
  const second = await callForText(client, "read_page", { path: "reference/cli/thv_run", max_tokens: 300, from: next });

  expect(estimateTokens(first.text)).toBeLessThan(340);
  expect(first.text).toContain(`from ${next}`);
  expect(second.text).toMatch(/^\| Option \| Meaning \|/);
});

test("while there is nothing to search that is said, and pages are read all the same", async () => {
  const broken = new DocsLibrary(library.content, () => {
    throw new Error("of version 2");
  });
  const client = await connectHttp("2026-07-28", broken);

  expect(await callForText(client, "search_docs", { query: "x" })).toMatchObject({
    isError: true,
    text: "outage: of version 2",
  });
  expect((await callForText(client, "read_page", { path: "faq" })).text).toContain("Short answers");
});

test("nobody keeps a stream open for changes that never come", async () => {
  const answer = createHttpAnswerer(library, OPTIONS);

  const response = await answer(
    new Request("http://docs.example.org/mcp", { headers: { accept: "text/event-stream" } }),
  );

  expect(response.status).toBe(405);
});

test.each(["at once", "later"])(
  "a caller who takes its question back and leaves %s is not waited for",
  async (when) => {
    const answer = createHttpAnswerer(library, OPTIONS);
    const leaving = new AbortController();
    const headers = { "content-type": "application/json", accept: "application/json, text/event-stream" };
    const request = new Request("http://docs.example.org/mcp", { method: "POST", headers, signal: leaving.signal });
    const call = {
      jsonrpc: "2.0",
      id: 1,
      method: "tools/call",
      params: { name: "search_docs", arguments: { query: "run" } },
    };
    const cancel = { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 1 } };

    const answering = answer(request, [call, cancel]);
    if (when === "later") await setImmediate();
    leaving.abort();

    expect((await answering).status).toBe(499);
  },
);

describe("a client that subscribes to changes of lists", () => {
  const LISTEN = {
    jsonrpc: "2.0",
    id: 7,
    method: "subscriptions/listen",
    params: {
      notifications: { toolsListChanged: true, resourcesListChanged: true, resourceSubscriptions: ["docs:/a"] },
      _meta: {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": { name: "docs-tests", version: "1.0.0" },
        "io.modelcontextprotocol/clientCapabilities": {},
      },
    },
  } as const;
  const GRANTED = { method: "notifications/subscriptions/acknowledged", params: { notifications: {} } };

  test("over HTTP is granted none, as nothing changes, and its stream ends", async () => {
    const answer = createHttpAnswerer(library, OPTIONS);
    const headers = {
      accept: "application/json, text/event-stream",
      "content-type": "application/json",
      "mcp-protocol-version": "2026-07-28",
      "mcp-method": LISTEN.method,
    };

    const response = await answer(
      new Request("http://docs.example.org/mcp", { method: "POST", headers, body: JSON.stringify(LISTEN) }),
    );
    const messages = (await response.text())
      .split("\n")
      .filter((line) => line.startsWith("data: "))
      .map((line) => JSON.parse(line.slice("data: ".length)));

    expect(messages).toMatchObject([GRANTED, { id: LISTEN.id, result: { resultType: "complete" } }]);
  });

  test("over pipes is granted none, and gets its other answers", async () => {
    const transport = new PipeTransport();
    const stop = new AbortController();
    const streams = { input: transport.input, output: transport.output, signal: stop.signal };
    const ended = serveOnStreams(library, streams, OPTIONS);
    const seen: JSONRPCMessage[] = [];
    transport.onmessage = (message) => seen.push(message);
    await transport.start();

    await transport.send(LISTEN);
    await transport.send({ ...LISTEN, id: 8, method: "tools/list", params: { _meta: LISTEN.params._meta } });

    await expect.poll(() => seen.length).toBe(2);
    expect(seen).toMatchObject([GRANTED, { id: 8, result: { tools: expect.any(Array) } }]);
    stop.abort();
    await ended;
  });
});

test("a message above the bound ends the connection, and nothing else", async () => {
  const transport = new PipeTransport();
  const ended = serveOnStreams(
    library,
    { input: transport.input, output: transport.output, signal: new AbortController().signal },
    OPTIONS,
  );

  transport.input.write("x".repeat(MAX_MESSAGE_BYTES + 1));
  await expect.poll(() => errors.length).toBeGreaterThan(0);
  transport.input.end();

  await ended;
});

test("a signal ends it while its client still listens", async () => {
  const transport = new PipeTransport();
  const stop = new AbortController();
  const ended = serveOnStreams(
    library,
    { input: transport.input, output: transport.output, signal: stop.signal },
    OPTIONS,
  );

  stop.abort();

  await ended;
});

test("both eras are named", () => {
  expect(PROTOCOL_REVISIONS).toEqual(expect.arrayContaining([...ERAS]));
});
