/** Lists that policies and the choice of tools filter: what some client could read otherwise is not handed on. */
import { describe, expect, test } from "vitest";
import { filterLists, MAX_LISTED } from "./list-filter.ts";

const answer = (result: string) => `{"jsonrpc":"2.0","id":1,"result":${result}}`;
const filter = (text: string | Buffer) =>
  filterLists(typeof text === "string" ? Buffer.from(text) : text, (_action, name) => name === "open").toString();

function tooLong(): string {
  const open = Array.from({ length: MAX_LISTED }, () => '{"name":"open"}');
  return answer(`{"tools":[${open.join()},{"name":"secret"}]}`);
}

describe("a list with a forbidden entry", () => {
  test.each([
    ["tools", answer('{"tools":[{"name":"open"},{"name":"secret"}]}')],
    ["prompts", answer('{"prompts":[{"name":"open"},{"name":"secret"}]}')],
    ["resources", answer('{"resources":[{"uri":"open"},{"uri":"secret"}]}')],
    ["tools, spelled with escapes", answer('{"to\\u006fls":[{"name":"open"},{"name":"secret"}]}')],
  ])("loses it: %s", (_what, text) => {
    expect(filter(text)).toContain("open");
    expect(filter(text)).not.toContain("secret");
  });

  test.each([
    ["a member of another case", answer('{"Tools":[{"name":"secret"}]}')],
    ["a member with the long s", answer('{"tool\u017f":[{"name":"secret"}]}')],
    ["a member of another width", answer('{"\uff54ools":[{"name":"secret"}]}')],
    ["a member with a mark that some parsers leave out", answer('{"resource_templates":[{"uriTemplate":"secret"}]}')],
    ["a second member of another case", answer('{"tools":[],"TOOLS":[{"name":"secret"}]}')],
    ["a result of another case", '{"jsonrpc":"2.0","id":1,"Result":{"tools":[{"name":"secret"}]}}'],
    ["two results", '{"jsonrpc":"2.0","id":1,"result":{},"result":{"tools":[{"name":"secret"}]}}'],
    ["a result beside an error", '{"jsonrpc":"2.0","id":1,"error":{},"RESULT":{"tools":[{"name":"secret"}]}}'],
    ["a result and another version", '{"jsonrpc":"1.0","id":1,"result":{"tools":[{"name":"secret"}]}}'],
    ["a result without an id", '{"jsonrpc":"2.0","result":{"tools":[{"name":"secret"}]}}'],
    ["a comment", answer('{"tools":/**/[{"name":"secret"}]}')],
    ["a byte order mark", `\ufeff${answer('{"tools":[{"name":"secret"}]}')}`],
    ["UTF-16", Buffer.from(answer('{"tools":[{"name":"secret"}]}'), "utf16le")],
    ["more entries than policies are asked about", tooLong()],
    ["bytes that are no UTF-8", Buffer.from(answer('{"x":"\u00ff","tools":[{"name":"secret"}]}'), "latin1")],
  ])("is not handed on with %s", (_what, text) => {
    const shown = filter(text);

    expect(shown).not.toContain("secret");
    expect(shown).toContain("cannot be filtered");
  });

  test.each([
    ["Name", "tools"],
    ["NAME", "prompts"],
    ["URI", "resources"],
    ["uri_template", "resourceTemplates"],
  ])("loses an entry that has %s beside its name", (member, list) => {
    const name = list === "tools" || list === "prompts" ? "name" : list === "resources" ? "uri" : "uriTemplate";

    expect(filter(answer(`{"${list}":[{"${name}":"open","${member}":"secret"}]}`))).not.toContain("secret");
  });
});

test.each([
  ["members that nobody knows", answer('{"tools":[{"name":"open","Title":"x","x":{"Name":"y"}}],"Meta":1}')],
  ["what a tool returned", answer('{"content":[],"structuredContent":{"Tools":[1],"Result":{"name":1,"Name":2}}}')],
  ["another answer", answer('{"capabilities":{"tools":{}}}')],
  ["an error", '{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"Result"}}'],
  [
    "a request of the server",
    '{"jsonrpc":"2.0","id":1,"method":"sampling/createMessage","params":{"tools":[],"Tools":1}}',
  ],
  ["what is no message", '{"tools":[{"name":"secret"}]}'],
])("%s passes byte for byte", (_what, text) => {
  expect(filter(text)).toBe(text);
});
