import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import type { ServerResponse } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { startHttpsServer, TEST_CA } from "../testing/https-server.ts";
import { EntryIcons } from "./entry-icons.ts";
import { readImage } from "./read-image.ts";

/** The headers of images, which is all that is read of them. */
function createPng(width: number, height: number): Buffer {
  const bytes = Buffer.alloc(33);
  Buffer.from("89504e470d0a1a0a0000000d49484452", "hex").copy(bytes);
  bytes.writeUInt32BE(width, 16);
  bytes.writeUInt32BE(height, 20);
  return bytes;
}

const JPEG = Buffer.from("ffd8ffe000044a46ffc0001108004000200301220002110103110100", "hex");

function createWebp(kind: string, body: string): Buffer {
  return Buffer.concat([
    Buffer.from("RIFF\0\0\0\0WEBP", "latin1"),
    Buffer.from(kind),
    Buffer.alloc(4),
    Buffer.from(body, "hex"),
  ]);
}

describe("readImage", () => {
  test.each([
    ["PNG", createPng(32, 64), { mediaType: "image/png", width: 32, height: 64 }],
    ["JPEG", JPEG, { mediaType: "image/jpeg", width: 32, height: 64 }],
    ["WebP", createWebp("VP8X", "000000001f00003f0000"), { mediaType: "image/webp", width: 32, height: 64 }],
    ["lossless WebP", createWebp("VP8L", "2f1fc00f00"), { mediaType: "image/webp", width: 32, height: 64 }],
    ["lossy WebP", createWebp("VP8 ", "0000009d012a20004000"), { mediaType: "image/webp", width: 32, height: 64 }],
  ])("knows %s by its header", (_kind, bytes, facts) => {
    expect(readImage(bytes)).toEqual(facts);
  });

  test.each([
    ["SVG", Buffer.from("<svg xmlns='http://www.w3.org/2000/svg' onload='alert(1)'/>")],
    ["a page", Buffer.from("<!doctype html><script>")],
    ["GIF", Buffer.from("GIF89a                        ")],
    ["a PNG that ends early", createPng(1, 1).subarray(0, 17)],
    ["a JPEG without a frame", Buffer.from("ffd8ffe0ffff0000000000000000", "hex")],
    ["nothing", Buffer.alloc(0)],
  ])("takes %s for none", (_kind, bytes) => {
    expect(readImage(bytes)).toBeUndefined();
  });

  test("ends for any bytes", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        readImage(Buffer.concat([Buffer.from("ffd8", "hex"), bytes]));
        readImage(Buffer.from(bytes));
      }),
    );
  });
});

describe("the icon of an entry", () => {
  let directory: string;
  let now = Date.now();

  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), "thv-icons-"));
    now = Date.now();
  });

  afterEach(async () => {
    await rm(directory, { recursive: true });
  });

  const newIcons = (allowPrivate = true) =>
    new EntryIcons({ stateDirectory: directory, ca: TEST_CA, allowPrivate, now: () => now });

  test("is fetched once by many, without a word on who asks, kept for the next process, and again after a week", async () => {
    await using web = await startHttpsServer((_request, response) => void response.end(createPng(32, 32)));
    const icons = newIcons();

    const found = await Promise.all(Array.from({ length: 5 }, () => icons.find(`${web.origin}/a.png`)));
    const again = await newIcons().find(`${web.origin}/a.png`);

    expect(found.every((icon) => icon?.mediaType === "image/png")).toBe(true);
    expect(again?.data.equals(createPng(32, 32))).toBe(true);
    expect(web.requests).toHaveLength(1);
    const sent = Object.keys(web.requests[0]?.headers ?? {}).sort();
    expect(sent).toEqual(["accept", "connection", "host"]);

    now += 8 * 24 * 60 * 60 * 1000;
    await newIcons().find(`${web.origin}/a.png`);
    expect(web.requests).toHaveLength(2);
  });

  const answers: [string, (response: ServerResponse) => void][] = [
    ["is an SVG with a program", (response) => void response.setHeader("Content-Type", "image/png").end("<svg/>")],
    ["is a page", (response) => void response.end("<html>")],
    ["is a huge picture in a small file", (response) => void response.end(createPng(60_000, 60_000))],
    ["has no size", (response) => void response.end(createPng(0, 32))],
    ["never ends", (response) => void response.write(Buffer.alloc(200_000))],
    ["is not there", (response) => void response.writeHead(404).end()],
    ["is elsewhere over http", (response) => void response.writeHead(302, { Location: "http://a.example/" }).end()],
    ["leads to itself", (response) => void response.writeHead(302, { Location: "/a.png" }).end()],
  ];
  test.each(answers)("that %s is not shown, and not asked for again soon", async (_what, answer) => {
    await using web = await startHttpsServer((_request, response) => answer(response));
    const icons = newIcons();

    expect(await icons.find(`${web.origin}/a.png`)).toBeUndefined();
    const asked = web.requests.length;
    expect(await icons.find(`${web.origin}/a.png`)).toBeUndefined();
    expect(web.requests).toHaveLength(asked);
  });

  test.each([
    "http://a.example/i.png",
    "data:image/png;base64,AA",
    "file:///etc/passwd",
    "https://u:p@a.example/",
    "x",
  ])("at %s is not asked for", async (address) => {
    expect(await newIcons().find(address)).toBeUndefined();
  });

  test("is not fetched from this machine or a private network", async () => {
    await using web = await startHttpsServer((_request, response) => void response.end(createPng(32, 32)));

    expect(await newIcons(false).find(`${web.origin}/a.png`)).toBeUndefined();
    expect(web.requests).toHaveLength(0);
  });

  test("is checked again when its copy was changed on disk", async () => {
    await using web = await startHttpsServer((_request, response) => void response.end(createPng(32, 32)));
    const address = `${web.origin}/a.png`;
    await newIcons().find(address);
    const [file = ""] = await readdir(join(directory, "registry-icons"));
    const path = join(directory, "registry-icons", file);
    const kept = JSON.parse(await readFile(path, "utf8"));
    await writeFile(path, JSON.stringify({ ...kept, data: Buffer.from("<svg/>").toString("base64") }));

    expect((await newIcons().find(address))?.mediaType).toBe("image/png");
    expect(web.requests).toHaveLength(2);
  });
});
