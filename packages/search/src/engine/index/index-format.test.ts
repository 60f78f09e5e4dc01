import { describe, expect, test } from "vitest";
import { createRecords, type Page, SITE } from "../../testing/small-engine.ts";
import { buildIndexData } from "./build-index-data.ts";
import { decodeIndex, encodeIndex } from "./index-format.ts";

describe("decodeIndex", () => {
  const file = Buffer.concat(encodeIndex(buildIndexData({ indexName: "docs", records: SITE.flatMap(createRecords) })));

  test("reads from any offset of a larger buffer", () => {
    const shifted = Buffer.concat([Buffer.alloc(3), file]).subarray(3);

    expect(decodeIndex(shifted).meta.recordCount).toBe(SITE.flatMap(createRecords).length);
  });

  test.each([
    ["empty", Buffer.alloc(0)],
    ["something else", Buffer.from("<!doctype html><html></html>")],
    ["cut", file.subarray(0, file.length - 100)],
    ["damaged", Buffer.concat([file.subarray(0, 500), Buffer.from([1, 2, 3]), file.subarray(503)])],
    ["another version", Buffer.concat([file.subarray(0, 7), Buffer.from([99]), file.subarray(8)])],
  ])("refuses a file that is %s", (_, bytes) => {
    expect(() => decodeIndex(bytes)).toThrow(expect.objectContaining({ name: "IndexFormatError" }));
  });

  test("equal records give an equal version, other records another", () => {
    const buildVersion = (pages: Page[]): string =>
      buildIndexData({ indexName: "docs", records: pages.flatMap(createRecords) }).meta.version;

    expect(buildVersion(SITE)).toBe(buildVersion(SITE));
    expect(buildVersion(SITE)).not.toBe(buildVersion(SITE.slice(1)));
  });
});
