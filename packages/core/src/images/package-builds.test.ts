/** Images of packages are built once, and removed with the last workload that uses them. */
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { TEST_CA } from "../registry/testing/https-server.ts";
import { PackageImages } from "./package-images.ts";

let directory: string;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "thv-images-"));
});

afterEach(async () => {
  await rm(directory, { recursive: true });
});

describe("PackageImages", () => {
  const images = (caCertificatePath = "", env = {}) =>
    new PackageImages({ caCertificatePath: async () => caCertificatePath, env });

  test("names the same image for the same package, and another one for everything that would be in it", async () => {
    const ca = join(directory, "ca.pem");
    await writeFile(ca, TEST_CA);
    const source = join(directory, "source");
    await mkdir(source);
    await writeFile(join(source, "main.go"), "package main\n");
    const folder = `go://${source}`;
    const before = await images().findReference({ package_target: folder });
    await writeFile(join(source, "main.go"), "package main // changed\n");

    const references = await Promise.all([
      images().findReference({ package_target: "npx://server" }),
      images().findReference({ package_target: "npx://server@1" }),
      images().findReference({ package_target: "uvx://server" }),
      images(ca).findReference({ package_target: "npx://server" }),
      images("", { TOOLHIVE_NPX_BASE_IMAGE: "x" }).findReference({ package_target: "npx://server" }),
      images().findReference({ package_target: folder }),
    ]);

    expect(await images().findReference({ package_target: "npx://server" })).toBe(references[0]);
    expect(new Set([before, ...references]).size).toBe(7);
    expect(references[0]).toMatch(/^toolhivelocal\/npx-server:[0-9a-f]{16}$/);
  });

  test("names another image for another base and for what is installed with the package", async () => {
    const find = (more: object) => images().findReference({ package_target: "uvx://server", ...more });

    const references = await Promise.all([{}, { base_image: "python:3.11" }, { with: ["mcp<2"] }].map(find));

    expect(new Set(references).size).toBe(3);
    expect(await find({ base_image: "", with: [] })).toBe(references[0]);
  });

  test.each([
    [{ base_image: "python:3.11\nRUN evil" }],
    [{ base_image: "$HOME" }],
    [{ with: ["--index-url=x"] }],
    [{ with: ["a; x"] }],
    [{ with: ["git+https://x.org/a"] }],
    [{ with: [""] }],
    [{ package_target: "go://example.com/a", with: ["b"] }],
  ])("refuses %j", async (more) => {
    await expect(images().findReference({ package_target: "uvx://server", ...more })).rejects.toMatchObject({
      code: "INVALID_ARGUMENT",
    });
  });

  test("takes no image for a package", async () => {
    expect(await images().findReference({ package_target: "mcp/everything:1" })).toBeUndefined();
  });

  test("refuses a certificate that cannot be used and a folder that is not there", async () => {
    await expect(images("/nowhere.pem").findReference({ package_target: "npx://server" })).rejects.toMatchObject({
      code: "INVALID_ARGUMENT",
      message: expect.stringContaining("/nowhere.pem"),
    });
    await expect(images().findReference({ package_target: "go:///nowhere/at/all" })).rejects.toMatchObject({
      code: "INVALID_ARGUMENT",
    });
  });
});
