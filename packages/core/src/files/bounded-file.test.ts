import { execFileSync } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { readAuditConfig } from "../access/audit-config.ts";
import { readAuthzConfig } from "../access/authz-config.ts";
import { readCaCertificate } from "../net/ca-certificate.ts";
import { RegistryCache } from "../registry/catalog/registry-cache.ts";
import { RegistryCatalog } from "../registry/catalog/registry-catalog.ts";
import { readAuthToken } from "../tokens/issuer-http.ts";
import { loadTrustRoot } from "../verification/trust-root.ts";
import { readBoundedFile, readBoundedText, UnsuitableFile } from "./bounded-file.ts";

const isWindows = process.platform === "win32";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "bounded-"));
});
afterEach(() => rm(folder, { recursive: true }));

function makePipe(): string {
  const path = join(folder, "pipe");
  execFileSync("mkfifo", [path]);
  return path;
}

describe("a file of a bounded size", () => {
  test("is read whole", async () => {
    const path = join(folder, "file");
    await writeFile(path, "päper");

    expect(await readBoundedText(path, { maxBytes: 6 })).toBe("päper");
    await expect(readBoundedText(path, { maxBytes: 5 })).rejects.toThrow("it is larger than 5 bytes");
  });

  test("is none of the system's that say they are empty and are not", async () => {
    await expect(readBoundedFile("/proc/self/status", { maxBytes: 10 })).rejects.toThrow(UnsuitableFile);
  });

  test.each([
    ["UTF-8", Buffer.from("päper\r\n")],
    ["UTF-8 with a byte order mark", Buffer.from("\uFEFFpäper\r\n")],
    ["UTF-16 with one", Buffer.from("\uFEFFpäper\r\n", "utf16le")],
  ])("is text in %s, as editors and shells of Windows write it", async (_, bytes) => {
    const path = join(folder, "file");
    await writeFile(path, bytes);

    expect(await readBoundedText(path)).toBe("päper\r\n");
  });

  test("may be a pipe for who can wait", async () => {
    const path = makePipe();
    const [text] = await Promise.all([readBoundedText(path, { mayWait: true }), writeFile(path, "from a command")]);

    expect(text).toBe("from a command");
  });
});

/** Everything that reads a file whose path comes with a request or a setting. */
const READERS: readonly (readonly [string, (path: string) => Promise<unknown>])[] = [
  ["policies", readAuthzConfig],
  ["audit settings", readAuditConfig],
  ["the certificate of an issuer or a build", readCaCertificate],
  ["the token of an issuer", readAuthToken],
  ["a trust root", (trustedRootPath) => loadTrustRoot(undefined, { trustedRootPath, cacheDirectory: folder })],
  [
    "a registry",
    async (path) =>
      await new RegistryCatalog({
        loadConfig: async () => ({ registry_url: path, allow_private_registry_ip: false }),
        cache: new RegistryCache(folder),
        log: { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined },
      }).load(),
  ],
];

describe.skipIf(isWindows)("what is no regular file (skipped on Windows, which has no such paths)", () => {
  test.each(READERS)("is refused at once as %s", async (_, read) => {
    for (const path of [makePipe(), "/dev/zero", folder]) {
      await expect(read(path)).rejects.toThrow(/it is no regular file/);
    }
  });
});

test.each(READERS)("a file without an end is not read as %s", async (_, read) => {
  const path = join(folder, "large");
  await writeFile(path, Buffer.alloc(65 * 1024 * 1024, " "));

  await expect(read(path)).rejects.toThrow(/it is (larger|longer) than \d+/);
});
