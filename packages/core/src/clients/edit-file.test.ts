import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { editEntry } from "./edit-file.ts";
import { parseJsonWithComments } from "./edit-json.ts";

const JSON_FILE = { format: "json", servers: ["mcp", "servers"] } as const;
const TOML_FILE = { format: "toml", servers: ["mcp_servers"] } as const;
const YAML_FILE = { format: "yaml", servers: ["extensions"] } as const;
const ENTRY = { url: "http://127.0.0.1:1/mcp", type: "http" };

/** JSON as people write it: comments, odd spacing, trailing commas, both kinds of line ends. */
function written(value: unknown): fc.Arbitrary<string> {
  const gap = fc.constantFrom("", " ", "\n", "\n\t", " /* c, } */ ", " // note { \n", "\r\n  ");
  const join = (open: string, close: string, items: readonly fc.Arbitrary<string>[]): fc.Arbitrary<string> =>
    fc
      .tuple(
        fc.array(gap, { minLength: items.length * 2 + 1, maxLength: items.length * 2 + 1 }),
        fc.boolean(),
        ...items,
      )
      .map(([gaps, hasComma, ...texts]) => {
        const body = (texts as string[])
          .map((text, index) => `${gaps[index * 2]}${text}${gaps[index * 2 + 1]}`)
          .join(",");
        return `${open}${body}${items.length > 0 && hasComma ? "," : ""}${gaps.at(-1)}${close}`;
      });
  if (Array.isArray(value)) return join("[", "]", value.map(written));
  if (typeof value === "object" && value !== null) {
    const members = Object.entries(value).map(([key, item]) =>
      written(item).map((text) => `${JSON.stringify(key)}: ${text}`),
    );
    return join("{", "}", members);
  }
  return fc.constant(JSON.stringify(value) ?? "null");
}

const settings = fc
  .record(
    {
      "editor.fontSize": fc.jsonValue({ maxDepth: 2 }),
      mcp: fc.record(
        { inputs: fc.constant([]), servers: fc.dictionary(fc.constantFrom("a", "b", "c"), fc.constant({ url: "x" })) },
        { requiredKeys: [] },
      ),
      other: fc.jsonValue({ maxDepth: 2 }),
    },
    { requiredKeys: [] },
  )
  .filter((value) => !JSON.stringify(value).includes("__proto__"));

describe("a JSON file with comments", () => {
  test("gets an entry by one insertion, so that every byte of before is still there in its order", () => {
    fc.assert(
      fc.property(settings.chain(written), (text) => {
        const edited = editEntry(text, JSON_FILE, "mine", ENTRY);
        let start = 0;
        while (start < text.length && edited[start] === text[start]) start += 1;
        expect(edited.slice(start + edited.length - text.length)).toBe(text.slice(start));
        expect(parseJsonWithComments(edited)).toMatchObject({ mcp: { servers: { mine: ENTRY } } });
      }),
      { numRuns: 300 },
    );
  });

  test("that gets and loses an entry means the same as before", () => {
    fc.assert(
      fc.property(settings.chain(written), (text) => {
        const removed = editEntry(editEntry(text, JSON_FILE, "mine", ENTRY), JSON_FILE, "mine", undefined);
        const before = parseJsonWithComments(text) as { mcp?: { servers?: object } };
        const empty = { ...before, mcp: { servers: {}, ...before.mcp } };
        expect(parseJsonWithComments(removed)).toEqual(empty);
      }),
      { numRuns: 300 },
    );
  });

  test.each([
    ["tabs", '{\n\t// mine\n\t"a": 1\n}\n', '{\n\t"mcp": {\n\t\t"servers": {'],
    ["CRLF", '{\r\n    "a": 1\r\n}\r\n', '{\r\n    "mcp": {\r\n        "servers": {\r\n'],
    ["one line", '{"a":1}', '{ "mcp": {"servers":{"mine":'],
    ["no members", "{}", '{\n  "mcp": {\n    "servers": {\n      "mine": {'],
    ["nothing", "", '{\n  "mcp": {'],
    ["a byte order mark", '\uFEFF{\n  "a": 1\n}', '\uFEFF{\n  "mcp": {'],
  ])("with %s keeps its style", (_style, text, start) => {
    const edited = editEntry(text, JSON_FILE, "mine", ENTRY);

    expect(edited.startsWith(start)).toBe(true);
    if (text.includes("\r\n")) expect(edited.replaceAll("\r\n", "")).not.toContain("\n");
  });

  test("has a changed address replaced in place", () => {
    const text = '{"mcp": {"servers": {"mine": {"url": "old"}, /* keep */ "b": {}}}}';

    expect(editEntry(text, JSON_FILE, "mine", { url: "new" })).toBe(
      text.replace('{"url": "old"}', JSON.stringify({ url: "new" }, null, 2)),
    );
  });

  test("that says the same already is not touched", () => {
    const text = '{"mcp": {"servers": {"mine": {"url":"u"}}}} // end';

    expect(editEntry(text, JSON_FILE, "mine", { url: "u" })).toBe(text);
    expect(editEntry(text, JSON_FILE, "other", undefined)).toBe(text);
  });

  test.each(['{"a": }', "[]", '"text"', '{"mcp": 5}', '{"mcp": {"servers": []}}', "{", "null"])(
    "that holds %s is refused",
    (text) => {
      expect(() => editEntry(text, JSON_FILE, "mine", ENTRY)).toThrow();
    },
  );
});

describe("a TOML file", () => {
  const TEXT = [
    '# mine\nmodel = "o3" # keep',
    'notify = [\n  "[mcp_servers.mine]",\n]',
    'text = """\n[mcp_servers.mine]\n"""',
    "[mcp_servers.other]",
    'command = "npx" # [x]',
    "",
    "# about profiles",
    "[profiles.a]",
    'model = "x"',
    "",
  ].join("\n");

  test("gets its table at the end, and loses it again to the byte", () => {
    const edited = editEntry(TEXT, TOML_FILE, "mine", { url: "u" });

    expect(edited).toBe(`${TEXT}\n[mcp_servers.mine]\nurl = "u"\n`);
    expect(editEntry(edited, TOML_FILE, "mine", undefined)).toBe(TEXT);
  });

  test("has only the table of that name replaced or removed", () => {
    const replaced = editEntry(TEXT, TOML_FILE, "other", { url: "u" });

    expect(replaced).toContain('[mcp_servers.other]\nurl = "u"\n');
    expect(replaced).toContain('# about profiles\n[profiles.a]\nmodel = "x"\n');
    expect(editEntry(TEXT, TOML_FILE, "other", undefined)).toContain('"""\n# about profiles\n[profiles.a]');
  });

  test("quotes a name with a dot", () => {
    expect(editEntry("", TOML_FILE, "my.server", { url: "u" })).toBe('[mcp_servers."my.server"]\nurl = "u"\n');
  });

  test.each(['mcp_servers = {a = {url = "x"}}\n', "= 5\n", "mcp_servers = 5\n"])("that holds %j is refused", (text) => {
    expect(() => editEntry(text, TOML_FILE, "mine", { url: "u" })).toThrow();
  });
});

describe("a YAML file", () => {
  const VALUE = { enabled: true, type: "sse", name: "mine", uri: "http://127.0.0.1:1/sse#mine", timeout: 300 };
  const LINES =
    '    enabled: true\n    type: sse\n    name: mine\n    uri: "http://127.0.0.1:1/sse#mine"\n    timeout: 300\n';

  test.each([
    ["nothing", "", `extensions:\n  mine:\n${LINES}`],
    ["other settings", "A: 1 # keep\n", `A: 1 # keep\nextensions:\n  mine:\n${LINES}`],
    ["an empty mapping", "extensions: {}\nA: 1\n", `extensions:\n  mine:\n${LINES}A: 1\n`],
    ["nothing below the key", "extensions:\nA: 1\n", `extensions:\n  mine:\n${LINES}A: 1\n`],
    [
      "members with comments",
      "extensions: # list\n  dev: # one\n    enabled: true\n\nA:   1\n",
      `extensions: # list\n  mine:\n${LINES}  dev: # one\n    enabled: true\n\nA:   1\n`,
    ],
  ])("with %s gets the entry and keeps the rest", (_what, text, expected) => {
    expect(editEntry(text, YAML_FILE, "mine", VALUE)).toBe(expected);
  });

  test("loses the entry and keeps the rest to the byte", () => {
    const text = "extensions: # list\n  dev: # one\n    enabled: true\n\nA:   1\n";

    expect(editEntry(editEntry(text, YAML_FILE, "mine", VALUE), YAML_FILE, "mine", undefined)).toBe(text);
  });

  test("whose last entry goes keeps an empty mapping", () => {
    expect(editEntry(`extensions:\n  mine:\n${LINES}A: 1\n`, YAML_FILE, "mine", undefined)).toBe(
      "extensions: {}\nA: 1\n",
    );
  });

  test.each(["extensions: {a: {b: 1}}\n", "extensions: [1]\n", "a: [\n"])("that holds %j is refused", (text) => {
    expect(() => editEntry(text, YAML_FILE, "mine", VALUE)).toThrow();
  });
});

describe("a member that is taken out of JSON", () => {
  const without = (text: string) => editEntry(text, JSON_FILE, "mine", undefined);
  const wrap = (members: string) => `{"mcp":{"servers":{${members}}}}`;

  test.each([
    ["the first", wrap('"mine":{},"b":[1,2],"c":{"d":1}'), wrap('"b":[1,2],"c":{"d":1}')],
    ["the last", wrap('"b":[1,2],"mine":{}'), wrap('"b":[1,2]')],
    ["one between", wrap('"b":1,"mine":{} , "c":2'), wrap('"b":1, "c":2')],
    ["the only one", wrap(' "mine":{} '), wrap("")],
    ["the only one, with a comma", wrap('"mine":{},'), wrap("")],
    ["the last, with a comma", wrap('"b":1,"mine":{},'), wrap('"b":1,')],
    ["one before a comment", wrap('"mine":{}, /* b */ "b":1'), wrap(' /* b */ "b":1')],
    ["one with a comment before its comma", wrap('"mine":{} /* mine */ ,"b":1'), wrap('"b":1')],
  ])("%s leaves the rest of its line as it was written", (_name, text, rest) => {
    expect(without(text)).toBe(rest);
  });
});
