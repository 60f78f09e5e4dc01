import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { readEnvelope } from "./json-rpc.ts";
import { findElements, findMembers, findPath, splice } from "./json-scanner.ts";

/** Any JSON value as text, with white space and escapes as other writers may put them. */
const looseJson = fc
  .tuple(fc.jsonValue({ maxDepth: 4 }), fc.constantFrom(0, 1, "\t"))
  .map(([value, indent]) => JSON.stringify(value, undefined, indent));

const anyText = fc.string({ unit: "binary", maxLength: 200 });
const quotedText = anyText.map((text) => JSON.stringify(text));
const idText = fc.oneof(quotedText, fc.integer().map(String), fc.constantFrom("1.0", "12345678901234567890", "1e3"));
const space = fc.constantFrom("", " ", "\t", " \n ");

/** A message as text, with its members in any order, and the text of its id. */
const message = fc
  .record({ id: idText, result: looseJson, extra: quotedText, extraValue: looseJson, pad: space })
  .chain(({ id, result, extra, extraValue, pad }) =>
    fc
      .shuffledSubarray(
        [`"jsonrpc":${pad}"2.0"`, `"id"${pad}:${pad}${id}`, `"result":${pad}${result}`, `${extra}:${extraValue}`],
        { minLength: 4 },
      )
      .map((members) => ({ id, extra, text: `${pad}{${pad}${members.join(`${pad},${pad}`)}${pad}}${pad}` })),
  )
  .filter(({ extra }) => !["id", "jsonrpc", "method", "params", "result", "error"].includes(JSON.parse(extra)));

describe("rewriting an id", () => {
  test("changes the id and not one other byte", () => {
    fc.assert(
      fc.property(message, fc.nat(), ({ id, text }, newId) => {
        const bytes = Buffer.from(text);
        const envelope = readEnvelope(bytes);
        if (envelope?.id === undefined) throw new Error(`not read: ${text}`);

        const sent = splice(bytes, [{ span: envelope.id, bytes: Buffer.from(String(newId)) }]);
        const back = readEnvelope(sent);
        if (back?.id === undefined) throw new Error(`not read again: ${sent}`);

        expect(bytes.toString("utf8", envelope.id.start, envelope.id.end)).toBe(id);
        expect(JSON.parse(sent.toString())).toEqual({ ...JSON.parse(text), id: newId });
        expect(splice(sent, [{ span: back.id, bytes: Buffer.from(id) }]).equals(bytes)).toBe(true);
      }),
      { numRuns: 1000 },
    );
  });

  test("finds a progress token wherever it stands", () => {
    fc.assert(
      fc.property(looseJson, quotedText, idText, (before, name, token) => {
        fc.pre(!["_meta", "progressToken"].includes(JSON.parse(name)));
        const text = Buffer.from(`{${name}: ${before}, "_meta": {${name}:${before},"progressToken" :${token} }}`);

        const span = findPath(text, 0, ["_meta", "progressToken"]);

        expect(span === undefined ? undefined : text.toString("utf8", span.start, span.end)).toBe(token);
      }),
      { numRuns: 500 },
    );
  });
});

describe("scanning", () => {
  test("agrees with JSON.parse about where members and elements are", () => {
    fc.assert(
      fc.property(fc.dictionary(anyText, fc.jsonValue(), { noNullPrototype: true }), (record) => {
        const text = Buffer.from(JSON.stringify(record));
        for (const key of Object.keys(record)) {
          const span = findMembers(text, 0, [key])?.spans[0];
          if (span === undefined) {
            // Members are looked up by ASCII names only; other names are never wanted.
            expect(key).toMatch(/[^\x20-\x7e]/u);
            continue;
          }
          expect(text.toString("utf8", span.start, span.end)).toBe(JSON.stringify(record[key]));
        }
        const list = Buffer.from(JSON.stringify(Object.values(record)));
        const elements = findElements(list, 0)?.map(({ start, end }) => list.toString("utf8", start, end));
        expect(elements).toEqual(Object.values(record).map((value) => JSON.stringify(value)));
      }),
      { numRuns: 500 },
    );
  });

  test("never throws and never reads past the end, whatever the bytes", () => {
    fc.assert(
      fc.property(
        fc.uint8Array({ maxLength: 200 }),
        fc.constantFrom("", '{"jsonrpc":"2.0","id":1,"result":'),
        (bytes, head) => {
          const text = Buffer.concat([Buffer.from(head), bytes]);
          const envelope = readEnvelope(text);

          for (const span of [envelope?.id, envelope?.result, envelope?.params]) {
            if (span !== undefined) expect(span.end).toBeLessThanOrEqual(text.length);
          }
        },
      ),
      { numRuns: 2000 },
    );
  });

  test.each([
    ["a long string that ends in escaped backslashes", `{"a":"${"x".repeat(100)}\\\\","b":1}`, "1"],
    [
      "a long string with an escaped quote at the switch of methods",
      `{"a":"${"x".repeat(46)}\\"${"y".repeat(60)}","b":2}`,
      "2",
    ],
    ["a long string of escaped quotes", `{"a":"${'\\"'.repeat(200)}","b":3}`, "3"],
    ["a key written with escapes", '{"\\u0062":4}', "4"],
    ["brackets inside strings", '{"a":"}]","b":5}', "5"],
  ])("passes over %s", (_, text, expected) => {
    const span = findMembers(Buffer.from(text), 0, ["b"])?.spans[0];

    expect(span === undefined ? undefined : text.slice(span.start, span.end)).toBe(expected);
  });

  test.each([
    ["an open string", '{"jsonrpc":"2.0","id":1,"result":"x'],
    ["an open object", '{"jsonrpc":"2.0","id":1,"result":{}'],
    ["crossed brackets", '{"jsonrpc":"2.0","id":1,"result":[}]}'],
    ["text after the end", '{"jsonrpc":"2.0","id":1,"result":{}} x'],
    ["a missing comma", '{"jsonrpc":"2.0" "id":1,"result":{}}'],
    ["an id that occurs twice", '{"jsonrpc":"2.0","id":1,"\\u0069d":2,"result":{}}'],
    ["an id that is an object", '{"jsonrpc":"2.0","id":{},"result":{}}'],
    ["a response with result and error", '{"jsonrpc":"2.0","id":1,"result":{},"error":{}}'],
    ["another version", '{"jsonrpc":"1.0","id":1,"result":{}}'],
    ["a method that is a number", '{"jsonrpc":"2.0","id":1,"method":5}'],
  ])("takes %s for no message", (_, text) => {
    expect(readEnvelope(Buffer.from(text))).toBeUndefined();
  });
});
