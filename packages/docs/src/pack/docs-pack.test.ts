import { brotliCompressSync, brotliDecompressSync } from "node:zlib";
import { expect, test } from "vitest";
import { openPack } from "../library/open-pack.ts";
import { encodeTestPack, TEST_CONTENT } from "../testing/index.ts";
import { decodePack, PackError } from "./docs-pack.ts";

test("a pack has the content and the records that it was made of", async () => {
  const { content, readRecords } = decodePack(await encodeTestPack());

  expect(content).toEqual(TEST_CONTENT);
  const [first] = readRecords();
  expect(first).toMatchObject({
    objectID: "0-https://docs.example.org/toolhive/guides-cli/custom-permissions",
    url: "https://docs.example.org/toolhive/guides-cli/custom-permissions",
    type: "lvl1",
  });
});

test.each([
  ["nothing", () => new Uint8Array()],
  ["something else", () => brotliCompressSync("some text")],
  ["a pack that is cut", (pack: Buffer) => pack.subarray(0, pack.length / 2)],
])("%s is no documentation, and that is said", async (_what, change) => {
  const pack = await encodeTestPack();

  expect(() => decodePack(change(pack))).toThrow(new PackError("it is damaged, or no documentation"));
});

test("a pack of another format names both formats", async () => {
  const text = brotliDecompressSync(await encodeTestPack())
    .toString()
    .replace('"version":1', '"version":2');

  expect(() => decodePack(brotliCompressSync(text))).toThrow("it has format 2, and this program reads format 1");
});

test("without records the search says so, and the pages can be read", async () => {
  const library = openPack(await encodeTestPack({ isSearchable: false }));

  expect(library.findPage("faq")?.title).toBe("Questions");
  const query = {
    text: "x",
    filter: [],
    facets: [],
    offset: 0,
    limit: 1,
    typoTolerance: true,
    queryType: "prefixLast",
  } as const;
  expect(() => library.ask(query)).toThrow(new PackError("it has no index to search"));
});
