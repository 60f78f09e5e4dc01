/** What the worst searches cost, against a plain one of the same size. The bound of a body is 64 KiB. */
import { once } from "node:events";
import { connect } from "node:net";
import {
  compareCosts,
  compareGrowth,
  nestTo,
  numberedTo,
  plainText,
  repeatTo,
  WORST_JSON,
  type WorstText,
} from "@toolhive/core/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { FIXTURE_SEGMENT } from "../testing/fixture-site.ts";
import {
  buildFixtureIndex,
  createTestFolder,
  startTestServer,
  type TestFolder,
  type TestServer,
} from "../testing/search-server.ts";

const BYTES = 60 * 1024;

let folder: TestFolder;
let server: TestServer;
beforeAll(async () => {
  folder = await createTestFolder();
  // A busy machine may need longer than readers have for a megabyte in single bytes.
  const bodyTimeoutMs = 120_000;
  server = await startTestServer({ indexFile: await buildFixtureIndex(folder.path), cacheBytes: 0, bodyTimeoutMs });
});
afterAll(async () => {
  await server[Symbol.asyncDispose]();
  await folder[Symbol.asyncDispose]();
});

const search = (members: string) => `{"requests":[{"indexName":"${FIXTURE_SEGMENT}",${members}}]}`;
const query = (text: string) => search(`"query":"${text}"`);

const BODIES: readonly WorstText[] = [
  ...WORST_JSON,
  ...WORST_JSON.map(
    ([name, make]): WorstText => [`filters with ${name}`, (bytes) => search(`"facetFilters":${make(bytes)}`)],
  ),
  ["a word without an end", (bytes) => query(repeatTo(bytes, "a"))],
  ["many words", (bytes) => query(repeatTo(bytes, "a "))],
  ["many different words", (bytes) => query(numberedTo(bytes, (index) => `w${index}`, " "))],
  ["words nearly right", (bytes) => query(repeatTo(bytes, "conteiner "))],
  ["signs", (bytes) => query(repeatTo(bytes, "-"))],
  ["quotes", (bytes) => query(repeatTo(bytes, '\\"'))],
  ["words in quotes", (bytes) => query(repeatTo(bytes, '\\"a\\" '))],
  ["marks on letters", (bytes) => query(repeatTo(bytes, "\u0301"))],
  ["letters that are one", (bytes) => query(repeatTo(bytes, "\ufb01"))],
  ["letters that become eighteen", (bytes) => query(repeatTo(bytes, "\ufdfa"))],
  ["letters of other alphabets", (bytes) => query(repeatTo(bytes, "字"))],
  ["filters", (bytes) => search(`"filters":"${repeatTo(bytes, "a:b AND ")}a:b"`)],
  ["filters in each other", (bytes) => search(`"filters":"${nestTo(bytes, "(", "a:b", ")")}"`)],
  ["filters that are none", (bytes) => search(`"filters":"${repeatTo(bytes, " ")}x"`)],
  ["params", (bytes) => search(`"params":"${repeatTo(bytes, "a&")}"`)],
  ["escaped params", (bytes) => search(`"params":"query=${repeatTo(bytes, "%41")}"`)],
  ["names of attributes", (bytes) => search(`"attributesToRetrieve":[${numberedTo(bytes, (index) => `"${index}"`)}]`)],
  ["many searches", (bytes) => `{"requests":[${repeatTo(bytes, "{},")}{}]}`],
];

test.each(BODIES)("a search with %s", async (input, worst) => {
  const ratios = await compareGrowth({
    entrance: "search",
    input,
    bytes: BYTES,
    plain: (bytes) => search(`"userToken":"${plainText(bytes)}"`),
    worst,
    limits: { processor: 8, memory: 4 },
    read: async (body) => await (await server.post("/1/indexes/*/queries", String(body))).arrayBuffer(),
  });

  expect.soft(ratios.processor).toBeLessThan(8);
  expect.soft(ratios.growth).toBeLessThan(3);
  expect.soft(ratios.memory).toBeLessThan(4);
});

test("events in single bytes need little more memory than in large pieces", async () => {
  const bytes = 1024 * 1024;
  const send = (size: number) => {
    const piece = `${size.toString(16)}\r\n${"[".repeat(size)}\r\n`;
    const head = `POST /1/events HTTP/1.1\r\nHost: ${server.host}\r\nTransfer-Encoding: chunked\r\n\r\n`;
    const request = Buffer.from(`${head}${piece.repeat(bytes / size)}0\r\n\r\n`);
    return async () => {
      const [host, port] = server.host.split(":");
      const socket = connect(Number(port), host);
      socket.write(request);
      const [answer] = (await once(socket, "data")) as [Buffer];
      expect(String(answer)).toContain("HTTP/1.1 400");
      socket.destroy();
    };
  };

  const ratios = await compareCosts({
    entrance: "body in pieces, search",
    input: "single bytes",
    bytes,
    plain: send(64 * 1024),
    worst: send(1),
    runs: 1,
  });

  expect(ratios.memory).toBeLessThan(4);
});
