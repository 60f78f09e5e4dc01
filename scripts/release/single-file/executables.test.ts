import { createHash } from "node:crypto";
import { describe, expect, test } from "vitest";
import { removeSignature, signAdHoc } from "./mach-o.mjs";
import { NODE_VERSION, PLATFORMS } from "./node-binaries.mjs";
import { removeAuthenticode } from "./pe.mjs";

/** Bytes before the content, in which there is room for another load command. */
const HEADERS = 512;

/** The least that loader.h calls an executable: code in __TEXT, symbols in __LINKEDIT. */
function makeMachO(code: Buffer, symbols: Buffer): Buffer {
  const file = Buffer.alloc(HEADERS + code.length + symbols.length);
  for (const [index, value] of [0xfeedfacf, 0x0100000c, 0, 2, 2, 144, 0, 0].entries())
    file.writeUInt32LE(value, index * 4);
  const segments: [string, bigint, bigint, number][] = [
    ["__TEXT", 0n, BigInt(HEADERS + code.length), 32],
    ["__LINKEDIT", BigInt(HEADERS + code.length), BigInt(symbols.length), 104],
  ];
  for (const [name, offset, size, at] of segments) {
    file.writeUInt32LE(0x19, at);
    file.writeUInt32LE(72, at + 4);
    file.write(name, at + 8, "latin1");
    file.writeBigUInt64LE(0x4000n, at + 32);
    file.writeBigUInt64LE(offset, at + 40);
    file.writeBigUInt64LE(size, at + 48);
  }
  code.copy(file, HEADERS);
  symbols.copy(file, HEADERS + code.length);
  return file;
}

describe("an executable of macOS", () => {
  const bare = makeMachO(Buffer.alloc(9_000, 7), Buffer.alloc(200, 8));

  test("gets a signature with a digest of each page, which its commands and its last segment cover", () => {
    const signed = signAdHoc(bare, "thv");
    const [commands, commandBytes] = [signed.readUInt32LE(16), signed.readUInt32LE(20)];
    expect([commands, commandBytes]).toEqual([3, 160]);
    const [kind, , start, bytes] = [0, 4, 8, 12].map((at) => signed.readUInt32LE(32 + 144 + at));
    expect([kind, (start ?? 0) % 16, (start ?? 0) + (bytes ?? 0)]).toEqual([0x1d, 0, signed.length]);
    const linkedit = { offset: signed.readBigUInt64LE(104 + 40), size: signed.readBigUInt64LE(104 + 48) };
    expect(Number(linkedit.offset + linkedit.size)).toBe(signed.length);
    expect(Number(signed.readBigUInt64LE(104 + 32)) % 0x4000).toBe(0);

    const directory = signed.subarray((start ?? 0) + 20);
    expect([directory.readUInt32BE(0), directory.readUInt32BE(8)]).toEqual([0xfade0c02, 0x20400]);
    const [hashes, names, pages, limit] = [16, 20, 28, 32].map((at) => directory.readUInt32BE(at));
    expect(directory.toString("latin1", names, (names ?? 0) + 4)).toBe("thv\0");
    expect([limit, pages]).toEqual([start, Math.ceil((start ?? 0) / 4096)]);
    for (let page = 0; page < (pages ?? 0); page++) {
      const content = signed.subarray(page * 4096, Math.min(limit ?? 0, (page + 1) * 4096));
      const at = (hashes ?? 0) + page * 32;
      expect(directory.subarray(at, at + 32)).toEqual(createHash("sha256").update(content).digest());
    }
  });

  test("is as before once its signature is removed, but for padding, and can be signed again", () => {
    const signed = signAdHoc(bare, "thv");
    const removed = removeSignature(signed);
    expect([removed.readUInt32LE(16), removed.readUInt32LE(20)]).toEqual([2, 144]);
    expect(removed.subarray(HEADERS, bare.length)).toEqual(bare.subarray(HEADERS));
    expect(removeSignature(removed)).toBe(removed);
    expect(signAdHoc(removed, "thv")).toEqual(signed);
  });

  test.each([
    ["something else", Buffer.from("#!/bin/sh\n".repeat(9))],
    ["a file that ends early", bare.subarray(0, 8)],
    ["one without room behind the commands", Buffer.from(bare).fill(1, 32 + 144, HEADERS)],
  ])("that is %s is refused", (_, file) => {
    expect(() => signAdHoc(file, "thv")).toThrow();
  });
});

describe("an executable of Windows", () => {
  const makeExecutable = (signature: Buffer) => {
    const file = Buffer.alloc(1024);
    file.write("MZ", 0, "latin1");
    file.writeUInt32LE(0x80, 0x3c);
    file.write("PE\0\0", 0x80, "latin1");
    file.writeUInt16LE(0x20b, 0x80 + 24);
    const entry = 0x80 + 24 + 112 + 32;
    if (signature.length > 0) file.writeUInt32LE(1024, entry);
    file.writeUInt32LE(signature.length, entry + 4);
    return Buffer.concat([file, signature]);
  };

  test("loses its signature and the entry that points to it", () => {
    expect(removeAuthenticode(makeExecutable(Buffer.alloc(96, 9)))).toEqual(makeExecutable(Buffer.alloc(0)));
  });

  test("without one stays as it is, and something else is refused", () => {
    const plain = makeExecutable(Buffer.alloc(0));
    expect(removeAuthenticode(plain)).toBe(plain);
    expect(() => removeAuthenticode(Buffer.alloc(512))).toThrow("no executable of Windows");
    const followed = Buffer.concat([makeExecutable(Buffer.alloc(96, 9)), Buffer.alloc(64)]);
    expect(() => removeAuthenticode(followed)).toThrow("not at the end");
  });
});

test("every system gets the same version of Node.js", () => {
  expect(PLATFORMS).toEqual(["linux_amd64", "linux_arm64", "darwin_amd64", "darwin_arm64", "windows_amd64"]);
  expect(NODE_VERSION).toMatch(/^22\./);
});
