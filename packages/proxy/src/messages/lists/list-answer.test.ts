/** The quick reading of an answer says only what the full one and all clients say, whatever a server sends. */
import { PropertyBudget } from "@toolhive/core/testing";
import fc from "fast-check";
import { expect, test } from "vitest";
import { readAsAnyClient } from "../../testing/list-readers.ts";
import { findMembers, skipString } from "../json-scanner.ts";
import { KnownNames } from "../member-names.ts";
import { hasLookAlike, isPlainWithout, readListAnswer } from "./list-answer.ts";

const RUNS = 5_000;
const MEMBERS = ["tools", "nextCursor"] as const;
const NAMES = new KnownNames(MEMBERS);
const LIST = '[{"name":"evil","description":"EVIL"}]';

const SPACE = fc.oneof(
  { weight: 40, arbitrary: fc.constantFrom("", " ", "\n", "\t \r\n") },
  { weight: 1, arbitrary: fc.constantFrom("\u00a0", "\ufeff", "/**/") },
);
const COLON = fc.oneof(
  { weight: 40, arbitrary: fc.constant(":") },
  { weight: 1, arbitrary: fc.constantFrom("", "=", "::") },
);
const KEY = fc.oneof(
  { weight: 12, arbitrary: fc.constantFrom('"content"', '"isError"', '"structuredContent"', '"_meta"', '"a\\"b"') },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      ...['"tools"', '"too\\u006cs"', '"Tools"', '"too_ls"', '"tool\u017f"', '"too\uff4cs"', '"tools\\u0000"'],
      ...['"nextCursor"', '"NextCursor"', "'tools'", "tools", '"tools', '""', '"\\q"', '"to\\'],
    ),
  },
);
const TEXT = fc.oneof(fc.string(), fc.constantFrom('say "tools":[', "\\", "\\\\", '\\"', "x".repeat(60), "é\u2028"));
const VALUE = fc.oneof(
  { weight: 16, arbitrary: TEXT.map((text) => JSON.stringify(text)) },
  { weight: 8, arbitrary: TEXT.map((text) => JSON.stringify([{ type: "text", text: JSON.stringify({ text }) }])) },
  { weight: 4, arbitrary: fc.constantFrom("1", "null", "{}", "[]", '{"tools":[]}', LIST) },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      "",
      "}",
      "]",
      '"',
      "[}",
      '{"a"',
      "1 2",
      "/**/1",
      '\u00a0"',
      '1"',
      "true[",
      ',"tools":[]',
    ),
  },
);
const OBJECT = fc
  .array(fc.tuple(SPACE, KEY, SPACE, COLON, SPACE, VALUE), {
    maxLength: 5,
  })
  .map((members) => `{${members.map((parts) => parts.join("")).join(",")}}`);
const HEAD = fc.oneof(
  { weight: 3, arbitrary: fc.constant('"jsonrpc":"2.0","id":1') },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      ...['"id":"1","jsonrpc":"2.0"', '"jsonrpc":"2.0"', '"jsonrpc":"1.0","id":1', '"jsonrpc":"2.0","id":null'],
      ...['"jsonrpc":"2.0","id":1,"id":2', '"jsonrpc":"2.0","id":1,"method":"tools/list"', '"id":1,"error":{}'],
      ...['"jsonrpc":"2.0","id":1,"Result":{"tools":[{"name":"evil"}]}', `"a":0`],
    ),
  },
);
const RESULT_KEY = fc.oneof(
  { weight: 6, arbitrary: fc.constant('"result"') },
  { weight: 1, arbitrary: fc.constantFrom('"re\\u0073ult"', '"Result"', '"result":{},"result"', '"results"') },
);
const MESSAGE = fc
  .tuple(
    HEAD,
    RESULT_KEY,
    SPACE,
    fc.oneof({ weight: 5, arbitrary: OBJECT }, { weight: 1, arbitrary: VALUE }),
    SPACE,
    fc.boolean(),
  )
  .map(([head, key, before, result, after, isLast]) =>
    isLast ? `{${head},${key}:${before}${result}${after}}` : `{${key}:${before}${result}${after},${head}}`,
  );
const FORM = fc.constantFrom<(text: string) => Buffer>(
  ...Array.from({ length: 20 }).map(() => (text: string) => Buffer.from(text)),
  (text) => Buffer.from(`\ufeff${text}`),
  (text) => Buffer.from(`[${text}]`),
  (text) => Buffer.from(`${text}${text}`),
  (text) => Buffer.from(`${text.slice(0, -1)},"tools":${LIST}}`),
  (text) => Buffer.from(text.replace(/\}$/, "")),
  (text) => Buffer.from(text, "utf16le"),
  (text) => Buffer.from(text, "latin1"),
);
/** One byte of it is another one. */
const DAMAGE = fc.option(fc.tuple(fc.nat(), fc.nat({ max: 255 })), { nil: undefined, freq: 4 });
const ANSWER = fc.tuple(MESSAGE, FORM, DAMAGE).map(([text, form, damage]) => {
  const bytes = form(text);
  if (damage !== undefined && bytes.length > 0) bytes[damage[0] % bytes.length] = damage[1];
  return bytes;
});

test("an answer that is plain without a list has none by the full reading, and for every client", async () => {
  let plain = 0;
  const budget = new PropertyBudget(RUNS);
  const holds = budget.limit(async (bytes: Buffer) => {
    if (!isPlainWithout(bytes, NAMES)) return;
    plain += 1;
    const answer = readListAnswer(bytes);
    expect(answer.kind).toBe("result");
    if (answer.kind !== "result") return;
    expect(findMembers(bytes, answer.result.start, MEMBERS)?.spans).toEqual([undefined, undefined]);
    expect(hasLookAlike(bytes, answer.result.start, NAMES)).toBe(false);
    expect(readAsAnyClient(bytes, undefined)).toEqual([]);
  });
  await fc.assert(fc.asyncProperty(ANSWER, holds), budget.parameters);
  // Else the property held because nothing was plain, or everything was.
  expect([plain > budget.tried / 20, plain < (budget.tried * 19) / 20]).toEqual([true, true]);
});

test.each([
  '{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"say \\"tools\\""}],"isError":false}}',
  ' { "result" : { } , "id" : "a" , "jsonrpc" : "2.0" } ',
])("an answer as servers write it is read once: %s", (text) => {
  expect(isPlainWithout(Buffer.from(text), NAMES)).toBe(true);
});

test("the end of a text is found behind any number of escapes", async () => {
  const PIECE = fc.constantFrom("x", "x".repeat(47), "x".repeat(200), '"', "\\", "\n", '\\"', "é");
  await fc.assert(
    fc.asyncProperty(fc.array(PIECE, { maxLength: 40 }), async (pieces) => {
      const text = JSON.stringify(pieces.join(""));
      const bytes = Buffer.from(text);
      expect(skipString(Buffer.from(`${text},"`), 0)).toBe(bytes.length);
      expect(skipString(bytes.subarray(0, -1), 0)).toBe(-1);
    }),
    { numRuns: 2_000 },
  );
});
