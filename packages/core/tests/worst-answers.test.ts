/** What the worst answers of a registry and of an image registry cost, against plain ones of the same size. */
import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import { listen } from "@toolhive/http";
import { ByteParts } from "@toolhive/http/byte-parts";
import { expect, test } from "vitest";
import { RepositoryClient } from "../src/image-registry/repository-client.ts";
import { fetchRegistry } from "../src/registry/catalog/fetch-registry.ts";
import { startHttpsServer, TEST_CA } from "../src/registry/testing/https-server.ts";
import { compareCosts, compareGrowth, numberedTo, plainText, repeatTo, type WorstText } from "../src/testing/index.ts";
import { listProofs } from "../src/verification/image-proofs.ts";

const BYTES = Number(process.env.COSTS_BYTES ?? 1024 * 1024);
const MAX_MEMORY_RATIO = 4;

/** A body in pieces of one size, as they go over the wire. */
function inPieces(size: number): Buffer {
  const piece = `${size.toString(16)}\r\n${"[".repeat(size)}\r\n`;
  return Buffer.from(`HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n${piece.repeat(BYTES / size)}0\r\n\r\n`);
}

const LARGE = inPieces(64 * 1024);
const SINGLE = inPieces(1);
const sendRaw = (response: ServerResponse, bytes: Buffer) => response.socket?.end(bytes);

test("a registry that comes in single bytes", async () => {
  let bytes = LARGE;
  await using server = await startHttpsServer((_request, response) => sendRaw(response, bytes));
  const fetching = (given: Buffer) => async () => {
    bytes = given;
    await fetchRegistry(`${server.origin}/r.json`, { allowPrivate: true, ca: TEST_CA });
  };

  const { memory } = await compareCosts({
    entrance: "answer of a registry",
    input: "single bytes",
    bytes: BYTES,
    plain: fetching(LARGE),
    worst: fetching(SINGLE),
    runs: 1,
  });

  expect(memory).toBeLessThan(MAX_MEMORY_RATIO);
});

test("an image registry that answers in single bytes", async () => {
  let bytes = LARGE;
  const server = createServer((_request, response) => sendRaw(response, bytes));
  const port = await listen(server);
  const finding = (given: Buffer) => async () => {
    bytes = given;
    const source = { registry: `127.0.0.1:${port}`, path: "acme/image" };
    await new RepositoryClient(source, { signal: AbortSignal.timeout(60_000) })
      .findManifest("a")
      .catch(() => undefined);
  };
  try {
    const { memory } = await compareCosts({
      entrance: "answer of an image registry",
      input: "single bytes",
      bytes: BYTES,
      plain: finding(LARGE),
      worst: finding(SINGLE),
      runs: 1,
    });

    expect(memory).toBeLessThan(MAX_MEMORY_RATIO);
  } finally {
    server.close();
    await once(server, "close");
  }
});

const layers = (text: string) => `{"layers":[${text}]}`;
const PROOFS: readonly WorstText[] = [
  ["many referrers", (bytes) => `{"manifests":[${repeatTo(bytes, '{"digest":"a"},')}{"digest":"a"}]}`],
  [
    "many layers",
    (bytes) => layers(`${repeatTo(bytes, '{"digest":"a","mediaType":"b"},')}{"digest":"a","mediaType":"b"}`),
  ],
  ["layers of nothing", (bytes) => layers(`${repeatTo(bytes, "{},")}{}`)],
  [
    "annotations",
    (bytes) =>
      layers(`{"digest":"a","mediaType":"b","annotations":{${numberedTo(bytes, (index) => `"a${index}":""`)}}}`),
  ],
  [
    "a certificate of dashes",
    (bytes) =>
      layers(
        `{"digest":"a","mediaType":"application/vnd.dev.cosign.simplesigning.v1+json","annotations":{"dev.sigstore.cosign/certificate":"${repeatTo(bytes, "-")}","dev.cosignproject.cosign/signature":"a","dev.sigstore.cosign/bundle":"{\\"SignedEntryTimestamp\\":\\"\\",\\"Payload\\":{\\"body\\":\\"eyJraW5kIjoiYSIsImFwaVZlcnNpb24iOiJiIn0=\\",\\"integratedTime\\":1,\\"logIndex\\":1,\\"logID\\":\\"\\"}}"}}`,
      ),
  ],
];

test.each(PROOFS)("proofs of origin with %s", async (input, worst) => {
  const createReader = (text: string) => {
    const value: unknown = JSON.parse(text);
    const find = async () => value;
    return { findReferrers: find, findManifest: find, getBlob: async () => Buffer.from(text) };
  };

  const ratios = await compareGrowth({
    entrance: "proofs of an image registry",
    input,
    bytes: 128 * 1024,
    plain: (bytes) => `{"layers":"${plainText(bytes)}"}`,
    worst,
    limits: { processor: 400, memory: MAX_MEMORY_RATIO },
    read: (text) => listProofs(createReader(String(text)) as unknown as RepositoryClient, "sha256:a"),
  });

  expect.soft(ratios.processor).toBeLessThan(400);
  expect.soft(ratios.growth).toBeLessThan(3);
  expect.soft(ratios.memory).toBeLessThan(MAX_MEMORY_RATIO);
});

test("gathering single bytes costs no more memory than gathering large parts", async () => {
  const bytes = 4 * 1024 * 1024;
  const gather = (size: number) => () => {
    const parts = new ByteParts();
    const part = Buffer.alloc(size, "x");
    for (let at = 0; at < bytes; at += size) parts.add(part);
    return parts.take();
  };

  const ratios = await compareCosts({
    entrance: "a line in parts",
    input: "single bytes",
    bytes,
    plain: gather(64 * 1024),
    worst: gather(1),
  });

  expect(ratios.memory).toBeLessThan(4);
});
