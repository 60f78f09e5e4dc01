import { describe, expect, test } from "vitest";
import { chooseFileEncoding, chooseRange, entityTag } from "./negotiate.ts";
import type { SiteFile } from "./site-manifest.ts";

const file: SiteFile = {
  path: "page.html",
  type: "text/html",
  etag: "abc",
  bytes: 1000,
  encoded: { br: 300, gzip: 400 },
  isImmutable: false,
};

describe("chooseFileEncoding", () => {
  test.each([
    ["gzip, br", "br"],
    ["br;q=0, gzip;q=0.5", "gzip"],
    [undefined, undefined],
  ] as const)("Accept-Encoding %s gives %s", (header, encoding) => {
    expect(chooseFileEncoding(header, file)).toBe(encoding);
  });

  test("only those that the build made", () => {
    expect(chooseFileEncoding("br, gzip", { ...file, encoded: { gzip: 400 } })).toBe("gzip");
    expect(chooseFileEncoding("br, gzip", { ...file, encoded: {} })).toBeUndefined();
  });
});

test("each encoding has an entity tag of its own", () => {
  expect([entityTag(file, undefined), entityTag(file, "br")]).toEqual(['"abc"', '"abc-br"']);
});

describe("chooseRange", () => {
  test.each([
    ["bytes=0-99", { kind: "part", first: 0, last: 99 }],
    ["bytes=900-", { kind: "part", first: 900, last: 999 }],
    ["bytes=-10", { kind: "part", first: 990, last: 999 }],
    ["bytes=-5000", { kind: "part", first: 0, last: 999 }],
    ["bytes=990-5000", { kind: "part", first: 990, last: 999 }],
    ["bytes=1000-", { kind: "unsatisfiable" }],
    ["bytes=-0", { kind: "unsatisfiable" }],
    ["bytes=5-1", { kind: "whole" }],
    ["bytes=0-1,5-6", { kind: "whole" }],
    ["lines=1-2", { kind: "whole" }],
    ["bytes=-", { kind: "whole" }],
    [undefined, { kind: "whole" }],
  ] as const)("Range %s of 1000 bytes is %o", (header, choice) => {
    expect(chooseRange(header, 1000)).toEqual(choice);
  });
});
