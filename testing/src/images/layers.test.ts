import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { joinModules, parseLdd } from "./layers.ts";

test("every library that ldd resolves is listed, the kernel's own is not", () => {
  const output = [
    "\tlinux-vdso.so.1 (0x00007ff6f0464000)",
    "\tlibdl.so.2 => /lib/x86_64-linux-gnu/libdl.so.2 (0x00007ff6f044e000)",
    "\tlibmissing.so => not found",
    "\t/lib64/ld-linux-x86-64.so.2 (0x00007ff6f0466000)",
  ].join("\n");

  expect(parseLdd(output)).toEqual(["/lib/x86_64-linux-gnu/libdl.so.2", "/lib64/ld-linux-x86-64.so.2"]);
});

test("a static program needs no library", () => {
  expect(parseLdd("\tnot a dynamic executable\n")).toEqual([]);
});

test("a server whose modules are joined needs no other package, and finds its own files where they were", async () => {
  const app = mkdtempSync(join(tmpdir(), "thv-joined-"));
  try {
    const modules = join(app, "node_modules");
    const server = join(modules, "@modelcontextprotocol/server-one");
    const files = {
      [join(modules, "older/index.js")]: 'module.exports = (file) => require("node:fs").readFileSync(file, "utf8");',
      [join(server, "package.json")]: '{ "type": "module" }',
      [join(server, "dist/index.js")]: 'await import("./transports/" + process.argv[2] + ".js");',
      [join(server, "dist/transports/stdio.js")]: 'import "../resources/docs.js"; console.log("stdio");',
      [join(server, "dist/transports/sse.js")]: 'import "../resources/docs.js"; console.log("sse");',
      [join(server, "dist/resources/docs.js")]:
        'import read from "older"; console.log(read(new URL("../docs/a.md", import.meta.url)));',
      [join(server, "dist/docs/a.md")]: "text",
    };
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, text);
    }

    await joinModules(app);
    rmSync(join(modules, "older"), { recursive: true });
    rmSync(join(server, "dist/resources/docs.js"));

    const start = (transport: string) =>
      execFileSync(process.execPath, [join(server, "dist/index.js"), transport], { encoding: "utf8" });
    expect([start("stdio"), start("sse")]).toEqual(["text\nstdio\n", "text\nsse\n"]);
  } finally {
    rmSync(app, { recursive: true });
  }
});
