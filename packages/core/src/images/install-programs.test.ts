import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { NPM_INSTALLER, UV_INSTALLER } from "./install-programs.ts";

/** The package managers here are stand-ins: each makes the files that the real one makes, without a package registry. */
let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "thv-install-"));
});
afterEach(() => rmSync(directory, { recursive: true }));

function writeProgram(name: string, text: string) {
  mkdirSync(join(directory, "path"), { recursive: true });
  const path = join(directory, "path", name);
  writeFileSync(path, text);
  chmodSync(path, 0o755);
}

function run(command: readonly string[]) {
  const [program = "", ...args] = command;
  const env = { ...process.env, PATH: `${join(directory, "path")}${delimiter}${process.env.PATH}` };
  const { status, stdout, stderr } = spawnSync(program, args, { env, encoding: "utf8" });
  return { status, stdout, stderr };
}

/** @param packages Of each package, its programs and their files. */
function installNpm(packages: Record<string, Record<string, string>>, program: string, ...specifiers: string[]) {
  writeProgram(
    "npm",
    `#!${process.execPath}
const { mkdirSync, symlinkSync, writeFileSync } = require("node:fs");
const { dirname, join } = require("node:path");
console.log("npm", process.argv.slice(2).join(" "));
const at = process.argv[process.argv.indexOf("--prefix") + 1];
mkdirSync(process.argv[process.argv.indexOf("--cache") + 1]);
mkdirSync(join(at, "node_modules/.bin"), { recursive: true });
const packages = ${JSON.stringify(packages)};
for (const [name, programs] of Object.entries(packages))
  for (const [program, file] of Object.entries(programs)) {
    const path = join(at, "node_modules", name, file);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, "#!/bin/sh\\necho " + name + ":" + file + ' "$0" "$@"\\n', { mode: 0o755 });
    symlinkSync(path, join(at, "node_modules/.bin", program));
  }
for (const name of Object.keys(packages)) mkdirSync(join(at, "node_modules", name), { recursive: true });
writeFileSync(join(at, "package.json"), JSON.stringify({ dependencies: packages }));
`,
  );
  const script = join(directory, "install.cjs");
  writeFileSync(script, NPM_INSTALLER);
  const folder = join(directory, "into");
  return { folder, ...run([process.execPath, script, folder, program, ...specifiers]) };
}

/** @param programs In the folder of commands; those that begin with `.` only beside the package. */
function installUv(tool: string, programs: readonly string[], program: string, ...options: string[]) {
  writeProgram(
    "uv",
    `#!/bin/sh
echo "uv $*"
mkdir -p "$UV_TOOL_DIR/${tool}/bin" "$UV_TOOL_BIN_DIR"
for each in ${programs.join(" ")}; do
  path="$UV_TOOL_DIR/${tool}/bin/\${each#.}"
  printf '#!/bin/sh\\necho %s "$@"\\n' "\${each#.}" >"$path"
  chmod +x "$path"
  case $each in .*) ;; *) ln -s "$path" "$UV_TOOL_BIN_DIR/$each" ;; esac
done
`,
  );
  const script = join(directory, "install.sh");
  writeFileSync(script, UV_INSTALLER);
  const folder = join(directory, "into");
  return { folder, ...run(["sh", script, folder, program, ...options]) };
}

describe.skipIf(process.platform === "win32")("the installer for npm", () => {
  const start = (folder: string, ...args: string[]) => run(["sh", join(folder, "start"), ...args]).stdout.trim();

  test.each([
    ["its only program", { "@acme/weather": { forecast: "cli.js" } }, "", "@acme/weather@^1", "@acme/weather:cli.js"],
    ["the program with its name", { a: { b: "b.js", a: "a.js" } }, "", "a", "a:a.js"],
    ["one of several names of a file", { "@s/a": { x: "a.js", y: "a.js" } }, "", "@s/a", "@s/a:a.js"],
    ["the program that was named", { a: { b: "b.js", a: "a.js" } }, "b", "a@1", "a:b.js"],
    ["the package that Git brought", { a: { a: "a.js" } }, "", "github:who/what", "a:a.js"],
  ])("starts %s", (_what, packages, program, specifier, expected) => {
    const { folder, status, stdout } = installNpm(packages, program, specifier);

    expect(status).toBe(0);
    expect(stdout).toContain(`-- ${specifier}`);
    const [file = "", path = "", ...args] = start(folder, "an argument", "$x").split(" ");
    expect([file, ...args]).toEqual([expected, "an", "argument", "$x"]);
    // As with npx, a server sees that it was started by the link.
    expect(path).toContain("/node_modules/.bin/");
    // What npm keeps for later installations is not part of the image.
    expect(readdirSync(folder).sort()).toEqual(["node_modules", "package.json", "start"]);
  });

  test("starts the program of the first package, and others only when they are named", () => {
    const packages = { a: { one: "1.js" }, z: { two: "2.js", a: "3.js" } };

    expect(start(installNpm({ ...packages, a: { one: "1.js" } }, "two", "a", "z@1").folder)).toContain("z:2.js");
    rmSync(join(directory, "into"), { recursive: true });
    expect(start(installNpm({ a: { one: "1.js" }, z: { two: "2.js" } }, "", "github:x/a", "z@1").folder)).toContain(
      "a:1.js",
    );
  });

  test.each([
    ["has several programs", { a: { b: "b.js", c: "c.js" } }, "", "toolhive: the programs of the package are b,c"],
    ["has no program", { a: {} }, "", "toolhive: the package has no program"],
    ["has another program", { a: { b: "b.js" } }, "c", "toolhive: the programs of the package are b"],
  ])("fails for a package that %s", (_what, packages, program, text) => {
    expect(installNpm(packages, program, "a")).toMatchObject({ status: 1, stderr: expect.stringContaining(text) });
  });

  test("fails as npm fails", () => {
    const script = join(directory, "install.cjs");
    writeFileSync(script, NPM_INSTALLER);
    writeProgram("npm", "#!/bin/sh\necho npm error code E404 >&2\nexit 7\n");

    const made = run([process.execPath, script, join(directory, "into"), "", "nothing"]);

    expect(made).toMatchObject({ status: 7, stderr: "npm error code E404\n" });
  });

  test("prints the end of npm's log, which is gone afterwards, when npm fails", () => {
    const script = join(directory, "install.cjs");
    writeFileSync(script, NPM_INSTALLER);
    const log = [
      ...Array.from({ length: 40 }, (_, count) => `${count} info run a@1 install ${count}`),
      "40 silly audit none",
      `41 verbose stack ${"x".repeat(1_000)}`,
      "42 error code 1",
    ].join("\n");
    const at = '"$(echo "$*" | sed "s/.*--cache //; s/ .*//")/_logs"';
    writeProgram(
      "npm",
      `#!/bin/sh\nmkdir -p ${at}\ncat >${at}/b.log <<'END'\n${log}\nEND\n: >${at}/a.log\necho npm error code 1 >&2\nexit 1\n`,
    );

    const { status, stderr } = run([process.execPath, script, join(directory, "into"), "", "broken"]);

    expect(status).toBe(1);
    const lines = stderr.trimEnd().split("\n");
    expect(lines[0]).toBe("npm error code 1");
    expect(lines).toHaveLength(21);
    expect(lines.at(-2)).toBe("npm log: 39 info run a@1 install 39");
    expect(lines.at(-1)).toMatch(/^npm log: 41 verbose stack x{280,300}$/);
  });
});

describe.skipIf(process.platform === "win32")("the installer for uv", () => {
  const start = (folder: string, ...args: string[]) => run(["sh", join(folder, "start"), ...args]).stdout.trim();

  test.each([
    ["its only program", "office-word-mcp-server", ["word_mcp_server"], "", "word_mcp_server"],
    ["the program with its name", "a-b", ["x", "a-b"], "", "a-b"],
    ["the program with its name in another spelling", "a-b-c", ["x", "a_b_c"], "", "a_b_c"],
    ["the program that was named", "a", ["a", "b"], "b", "b"],
    ["a program of what the package needs", "a", ["a", ".other"], "other", "other"],
  ])("starts %s", (_what, tool, programs, program, expected) => {
    const { folder, status, stdout } = installUv(tool, programs, program, "--with", "mcp<2", "a>=1");

    expect(status).toBe(0);
    expect(stdout).toContain("uv tool install --no-cache --with mcp<2 a>=1");
    expect(start(folder, "an argument", "$x")).toBe(`${expected} an argument $x`);
  });

  test.each([
    ["has several programs", ["b", "c"], "", "toolhive: the programs of the package are b,c"],
    ["has no program", [], "", "toolhive: the package has no program"],
    ["has another program", ["b"], "c", "toolhive: the programs of the package are b"],
  ])("fails for a package that %s", (_what, programs, program, text) => {
    expect(installUv("a", programs, program, "a")).toMatchObject({ status: 1, stderr: expect.stringContaining(text) });
  });
});
