import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { putInPlace } from "./put-in-place.mjs";

let website = "";

beforeEach(() => {
  website = mkdtempSync(path.join(tmpdir(), "thv-put-in-place-"));
});

afterEach(() => rmSync(website, { recursive: true }));

function write(folder: string, files: Record<string, string>): string {
  for (const [name, content] of Object.entries(files)) {
    const file = path.join(website, folder, name);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, content);
  }
  return path.join(website, folder);
}
const read = (file: string) => readFileSync(path.join(website, file), "utf8");
const NEW = { "build/index.html": "new", "site-manifest.json": "new", "server.mjs": "new", "hosts/nginx.conf": "new" };

test("the first build of a checkout is put in place", async () => {
  await putInPlace(write("dist/next", NEW), website);

  expect(readdirSync(path.join(website, "build"))).toEqual(["index.html"]);
  expect(readdirSync(path.join(website, "dist")).sort()).toEqual(["hosts", "server.mjs", "site-manifest.json"]);
});

test("a build replaces the whole site before it, and what else is in dist stays", async () => {
  write("build", { "index.html": "old", "gone/index.html": "old" });
  write("dist", { "site-manifest.json": "old", "hosts/nginx.conf": "old", "docs-facts.json": "kept" });

  await putInPlace(write("dist/next", NEW), website);

  expect(readdirSync(path.join(website, "build"))).toEqual(["index.html"]);
  expect(read("build/index.html")).toBe("new");
  expect(["site-manifest.json", "hosts/nginx.conf"].map((name) => read(`dist/${name}`))).toEqual(["new", "new"]);
  expect(readdirSync(path.join(website, "dist")).sort()).toEqual([
    "docs-facts.json",
    "hosts",
    "server.mjs",
    "site-manifest.json",
  ]);
});

test("a build without a site changes nothing", async () => {
  write("build", { "index.html": "old" });
  write("dist", { "site-manifest.json": "old" });

  await expect(putInPlace(write("dist/next", { "server.mjs": "new" }), website)).rejects.toThrow("ENOENT");

  expect(read("build/index.html")).toBe("old");
  expect(read("dist/site-manifest.json")).toBe("old");
});
