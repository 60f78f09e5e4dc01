/** Every JSON and YAML sample of a page is what the program takes, or says why it cannot be checked. */
import { expect, test } from "vitest";
import { listWrittenPages } from "./pages.ts";
import { type CodeBlock, parseText } from "./parse-text.ts";
import { checkSample } from "./samples.ts";

const samples = listWrittenPages().flatMap(({ file, source }) =>
  parseText(source, file.endsWith(".mdx") ? "mdx" : "md")
    .code.filter(({ language }) => language === "json" || language === "yaml")
    .map((block) => ({ where: `${file}:${block.line}`, block })),
);

test.each(samples)("the sample at $where is what its schema says", ({ block }) => {
  expect(checkSample(block)).toEqual([]);
});

const block = (meta: string, content: string, language = "json"): CodeBlock => ({ language, meta, content, line: 1 });

test.each([
  ["without a schema", block("", "{}"), "says neither"],
  ["with a schema there is none of", block('schema="other"', "{}"), "there is none of"],
  ["that is not JSON", block('schema="registry"', "{"), "is not json"],
  ["with a member the API does not know", block('schema="body:createWorkload"', '{"image":"a","colour":1}'), "colour"],
  [
    "of a profile with a wrong port",
    block('schema="permission-profile"', '{"network":{"outbound":{"allow_port":[0]}}}'),
    "allow_port",
  ],
  [
    "of a resource with a misspelt field",
    block('schema="MCPServer.spec"', "image: a\ntransprot: sse", "yaml"),
    "transprot",
  ],
  [
    "of a resource with a transport there is none of",
    block('schema="MCPServer.spec"', "image: a\ntransport: tcp", "yaml"),
    "transport",
  ],
  ["of a chart with a misspelt value", block('schema="helm-values"', "operator:\n  rback: {}", "yaml"), "rback"],
  [
    "of a client's entry of another form",
    block('schema="client:cursor"', '{"mcpServers":{"everything":{"uri":"http://127.0.0.1:1/mcp"}}}'),
    "differs",
  ],
  [
    "of a message with both a method and a result",
    block('schema="mcp-message"', '{"jsonrpc":"2.0","method":"a","result":{}}'),
    "method and result",
  ],
  ["of settings with a wrong share", block('schema="config"', "otel:\n  sampling-rate: 2", "yaml"), "sampling-rate"],
])("a sample %s is found", (_, sample, problem) => {
  expect(checkSample(sample).join("\n")).toContain(problem);
});
