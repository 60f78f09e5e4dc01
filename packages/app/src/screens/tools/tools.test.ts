/** What a server offers as a list, how it is called, and what its answers consist of. */
import { describe, expect, test } from "vitest";
import { measureBase64, readAnswer } from "./answer-parts.ts";
import { applyNews, type CallNews, describeMessage, NEW_CALL, withoutQuestion } from "./call-state.ts";
import { findOffers, readOffers, writeCommand } from "./offers.ts";
import { readTabSearch } from "./tools-search.ts";
import { expandTemplate, listVariables } from "./uri-template.ts";

const SCHEMA = { type: "object", properties: { message: { type: "string" } } };

describe("what a server offers", () => {
  test("has a title, hints that the server gives, and the call that tries it", () => {
    const [tool, plain] = readOffers({
      tools: [
        {
          name: "echo",
          annotations: { title: "Echo it", readOnlyHint: true, destructiveHint: false },
          description: "Says it again.",
          inputSchema: SCHEMA,
        },
        { name: "plain" },
      ],
    });

    expect(tool).toMatchObject({ id: "echo", title: "Echo it", hints: ["readOnly"], schema: SCHEMA });
    expect(tool?.request({ message: "x" })).toEqual({
      method: "tools/call",
      params: { name: "echo", arguments: { message: "x" } },
    });
    expect(plain).toMatchObject({ title: "plain", hints: [], schema: undefined });
  });

  test("asks for the arguments of a prompt and the variables of a template", () => {
    const [prompt] = readOffers({
      prompts: [{ name: "p", arguments: [{ name: "city", required: true }, { name: "x" }] }],
    });
    const [resource, template] = readOffers({
      resources: [{ name: "r", uri: "file:///r" }],
      resource_templates: [{ name: "t", uriTemplate: "demo://{kind}/{id}" }],
    });

    expect(prompt?.schema).toMatchObject({ properties: { city: { type: "string" }, x: {} }, required: ["city"] });
    expect(prompt?.request({ city: "Rome" })).toEqual({
      method: "prompts/get",
      params: { name: "p", arguments: { city: "Rome" } },
    });
    expect(resource?.request({})).toEqual({ method: "resources/read", params: { uri: "file:///r" } });
    expect(template?.schema).toMatchObject({ required: ["kind", "id"] });
    expect(template?.request({ kind: "a b", id: "1/2" })).toMatchObject({ params: { uri: "demo://a%20b/1%2F2" } });
  });

  test("is found by all words of its name and description; a name that comes twice is shown once", () => {
    const offers = readOffers({
      tools: [
        { name: "list_files", description: "Shows a folder." },
        { name: "read_file", title: 3, annotations: null },
        { name: "list_files", description: "Another." },
      ],
    });

    expect(offers.map(({ description }) => description)).toEqual(["Shows a folder.", undefined]);
    expect(findOffers(offers, "FOLDER list").map(({ id }) => id)).toEqual(["list_files"]);
    expect(findOffers(offers, "nothing")).toEqual([]);
  });

  test("has the command that does the same, quoted for a shell", () => {
    const [tool, hyphen] = readOffers({ tools: [{ name: "it's" }, { name: "--x" }] });
    const [prompt] = readOffers({ prompts: [{ name: "p" }] });
    if (!tool || !hyphen || !prompt) throw new Error("nothing was read");

    expect(writeCommand("it", tool, {})).toBe(`thv mcp call it 'it'\\''s'`);
    expect(writeCommand("it", tool, { a: "b c" })).toBe(`thv mcp call it 'it'\\''s' --json '{"a":"b c"}'`);
    expect(writeCommand("it", hyphen, { a: 1 })).toBe(`thv mcp call --json '{"a":1}' -- it --x`);
    expect(writeCommand("it", prompt, {})).toBe("thv mcp list prompts --server it");
  });

  test("is named by an address, of which nonsense is left out", () => {
    expect(readTabSearch({ kind: "prompts", item: 3 })).toEqual({ kind: "prompts", item: "3" });
    expect(readTabSearch({ kind: "x", item: {} })).toEqual({});
  });
});

test.each([
  ["a/{x}", ["x"], { x: "1 2/3" }, "a/1%202%2F3"],
  ["a{/x,y*}", ["x", "y"], { x: "1", y: "2" }, "a/1/2"],
  ["a{+x}", ["x"], { x: "b/c d" }, "ab/c%20d"],
  ["a{?x,y}{&z:3}", ["x", "y", "z"], { x: "1", z: "3" }, "a?x=1&z=3"],
  ["a{x}", ["x"], {}, "a"],
  ["a{}", [], {}, "a{}"],
])("the template %s has the variables %j and expands", (template, variables, values, expanded) => {
  expect(listVariables(template)).toEqual(variables);
  expect(expandTemplate(template, values)).toBe(expanded);
});

describe("an answer", () => {
  test("renders each part by its type", () => {
    const { parts, isError, structured } = readAnswer({
      isError: true,
      structuredContent: { a: 1 },
      content: [
        { type: "text", text: "<b>hi</b>" },
        { type: "image", mimeType: "image/PNG", data: "AAAA" },
        { type: "audio", mimeType: "audio/wav", data: "AAAA" },
        { type: "resource_link", uri: "javascript:alert(1)", name: "n" },
        { type: "resource", resource: { uri: "file:///a", text: "t" } },
        { type: "resource", resource: { uri: "file:///b", blob: "AAAA", mimeType: "application/zip" } },
      ],
    });

    expect([isError, structured]).toEqual([true, { a: 1 }]);
    expect(parts).toEqual([
      { kind: "text", text: "<b>hi</b>" },
      { kind: "image", type: "image/png", data: "AAAA" },
      { kind: "audio", type: "audio/wav", data: "AAAA" },
      { kind: "link", uri: "javascript:alert(1)", title: "n", description: undefined },
      { kind: "text", text: "t", from: "file:///a" },
      { kind: "file", type: "application/zip", data: "AAAA", uri: "file:///b" },
    ]);
  });

  test("of a prompt says who speaks, and of a resource where it is from", () => {
    const message = { role: "user", content: { type: "text", text: "hi" } };
    expect(readAnswer({ messages: [message] }).parts).toEqual([{ kind: "text", text: "hi", from: "user" }]);
    expect(readAnswer({ contents: [{ uri: "x:y", text: "t" }] }).parts).toEqual([
      { kind: "text", text: "t", from: "x:y" },
    ]);
  });

  test("that is not as the protocol has it is shown as JSON, and makes no address of its own", () => {
    for (const content of [
      null,
      3,
      [],
      { type: "image", data: '"><script>', mimeType: "image/png" },
      { type: "new" },
    ]) {
      expect(readAnswer({ content: [content] }).parts).toEqual([{ kind: "json", value: content }]);
    }
    const sneaky = { type: "image", data: "AAAA", mimeType: "text/html;x" };
    expect(readAnswer({ content: [sneaky] }).parts).toMatchObject([{ kind: "file" }]);
    for (const result of [undefined, null, "x", { other: 1 }]) {
      expect(readAnswer(result).parts).toEqual([{ kind: "json", value: result }]);
    }
    expect(readAnswer({ structuredContent: 1 })).toMatchObject({ parts: [], structured: 1 });
    expect([measureBase64("AAAA"), measureBase64("AA=="), measureBase64("")]).toEqual([3, 1, 0]);
  });
});

describe("a call", () => {
  const question: CallNews = { type: "question", question_id: "q", method: "elicitation/create", params: {} };

  test("is made of the lines of its stream, and asks nothing anymore when it has ended", () => {
    const going = applyNews(NEW_CALL, [
      { type: "begin", call_id: "c" },
      { type: "message", direction: "out", at: "2026-01-01T00:00:00.000Z", message: { id: 1 } },
      question,
    ]);
    expect(going).toMatchObject({ callId: "c", messages: [{ id: 0 }], questions: [{ question_id: "q" }] });
    expect(withoutQuestion(going, "q").questions).toEqual([]);

    const ended = applyNews(going, [{ type: "end", ms: 5, result: {} }]);
    expect(ended).toMatchObject({ callId: "c", questions: [], end: { ms: 5 } });
  });

  test("names its messages, whatever they are", () => {
    const all = [{ method: "tools/call", id: 3 }, { id: 3, result: {} }, { id: "x", error: {} }, null, 4];
    expect(all.map(describeMessage)).toEqual(["tools/call", "result 3", 'error "x"', "object", "number"]);
  });
});
