/** What `install.sh` refuses, against a server on loopback: each time with the next step, and without a file that remains. */
import { execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { EventEmitter, once } from "node:events";
import { chmodSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  digestFile,
  HAS_NAMESPACES,
  INSTALLED,
  IS_LINUX,
  listAll,
  makeDownloads,
  makeFolder,
  makeHome,
  makeStub,
  nameArchive,
  ONLY_LINUX,
  ONLY_NAMESPACES,
  runInstall,
  serveFolder,
} from "./trial.ts";

let folder = "";
let downloads = "";
let script = "";

beforeAll(() => {
  folder = makeFolder();
  downloads = makeDownloads(folder);
  script = join(downloads, "install.sh");
});
afterAll(() => rmSync(folder, { recursive: true }));

describe.skipIf(!IS_LINUX)(`install.sh refuses, and leaves nothing behind,${ONLY_LINUX}`, () => {
  const archive = nameArchive();
  /** The older version that has to be there unchanged afterwards, or nothing. */
  const cases: [string, Parameters<typeof serveFolder>[1], RegExp][] = [
    [
      "a wrong checksum",
      ({ url }, response) => url === `/${archive}` && response.end("not it") !== undefined,
      new RegExp(
        `^Error: ${archive} is not the file that SHA256SUMS describes, so nothing was installed\\.\\n  expected [0-9a-f]{64}\\n  got      ${"[0-9a-f]{64}"} \\(6 bytes\\)\\nHint: Run the same command again\\.`,
      ),
    ],
    [
      "a truncated download",
      ({ url }, response) => {
        if (url !== `/${archive}`) return false;
        response.writeHead(200, { "content-length": 5_000 });
        response.write("begin", () => response.destroy());
        return true;
      },
      /^Error: The download of http:\S+ ended early: .*\nHint: Run the same command again\.\n$/,
    ],
    [
      "an archive that is not there",
      ({ url }, response) => url === `/${archive}` && response.writeHead(404).end() !== undefined,
      /^Error: http:\S+ could not be downloaded: .*404.*\nHint: Check the address/,
    ],
    [
      "an endless list of checksums",
      ({ url }, response) => {
        if (url !== "/SHA256SUMS") return false;
        const more = () => {
          while (!response.destroyed && response.write("x".repeat(65_536)));
        };
        response.on("drain", more);
        more();
        return true;
      },
      /^Error: http:\S+SHA256SUMS is larger than expected, so it was not read to its end\.\nHint: Check the address/,
    ],
    [
      "a list without the archive",
      ({ url }, response) =>
        url === "/SHA256SUMS" &&
        response.end(
          `${"a".repeat(64)}  thv_1.0.0_linux_amd64.tar.gz\n${"a".repeat(64)}  thv_1.0.0_linux_arm64.tar.gz\n`,
        ) !== undefined,
      /^Error: SHA256SUMS at http:\S+ has no thv_9\.8\.7_linux_\w+\.tar\.gz\.\nHint: Versions there for this system: 1\.0\.0 \n$/,
    ],
    [
      "a damaged list",
      ({ url }, response) => url === "/SHA256SUMS" && response.end(`abc  ${archive}\n`) !== undefined,
      /^Error: SHA256SUMS at http:\S+ is damaged: it has no SHA-256 of thv_/,
    ],
  ];

  test.each(cases)("%s", async (_title, change, message) => {
    await using server = await serveFolder(downloads, change);
    const home = makeHome(folder);

    const { code, stderr } = await runInstall(script, ["--from", server.address], { home });

    expect(code).toBe(1);
    expect(stderr).toMatch(message);
    expect(listAll(home)).toEqual([]);
  });

  test("a wrong checksum of an update: the older thv stays as it was", async () => {
    await using server = await serveFolder(downloads, ({ url }, response) => {
      return url === `/${archive}` && response.end("not it") !== undefined;
    });
    const home = makeHome(folder);
    await runInstall(script, ["--from", downloads], { home });
    const before = digestFile(join(home, ".local/lib/thv/thv"));

    const { code } = await runInstall(script, ["--from", server.address], { home });

    expect(code).toBe(1);
    expect(digestFile(join(home, ".local/lib/thv/thv"))).toBe(before);
    expect(listAll(home)).toEqual(INSTALLED);
  });

  test.each([
    ["SIGINT", 130],
    ["SIGTERM", 143],
    ["SIGHUP", 129],
  ] as const)("when %s ends it during the download, which ends too", async (signal, expected) => {
    const home = makeHome(folder);
    const events = new EventEmitter();
    const arrived = once(events, "arrived");
    const closed = once(events, "closed");
    await using server = await serveFolder(downloads, ({ url }, response) => {
      if (url !== `/${archive}`) return false;
      response.once("close", () => events.emit("closed"));
      response.writeHead(200, { "content-length": 5_000 }).write("begin");
      events.emit("arrived");
      return true;
    });

    const { code, stderr } = await runInstall(script, ["--from", server.address], {
      home,
      onStart: (child) => arrived.then(() => child.kill(signal)),
    });
    await closed;

    expect({ code, stderr }).toEqual({ code: expected, stderr: "Interrupted: nothing was installed.\n" });
    expect(listAll(home)).toEqual([]);
  });

  test.skipIf(!HAS_NAMESPACES)(`a prefix without space${ONLY_NAMESPACES}`, async () => {
    const home = makeHome(folder);
    // Noise, which the archive cannot shrink.
    const noise = `# ${randomBytes(1_000_000).toString("base64")}\n`;
    const big = makeDownloads(folder, { version: "9.9.9", body: noise });
    const command = `mount -t tmpfs -o size=256k none "$HOME" && { sh "$0" "$@"; code=$?; find "$HOME" -mindepth 1; exit $code; }`;
    const options = { home, asRoot: true, shell: ["unshare", "--mount", "sh", "-c", command] };
    const { code, stdout, stderr } = await runInstall(
      join(big, "install.sh"),
      ["--from", big, "--prefix", `${home}/local`],
      options,
    );

    expect(code).toBe(1);
    expect(stderr).toMatch(/^Error: There is no space left in \S+: \d+ KiB are free\.\nHint: Free 200 MiB there/);
    expect(stdout).not.toMatch(/^\//m);
  });

  test("a prefix that cannot be written to", async () => {
    const home = makeHome(folder);
    chmodSync(home, 0o555);

    const { code, stderr } = await runInstall(script, ["--from", downloads], { home });

    expect(code).toBe(1);
    expect(stderr).toMatch(
      /^Error: \S+\/\.local cannot be written to: .*\nHint: Choose another folder: --prefix FOLDER\n$/,
    );
  });

  test.each([
    [
      "an older GNU C library",
      "getconf",
      "echo glibc 2.17",
      /C library is 2\.17, and the executable needs 2\.28 or newer\.\nHint: Debian 10/,
    ],
    [
      "musl",
      "ldd",
      "echo 'musl libc (x86_64)' >&2; exit 1",
      /C library is musl, and the executable needs .* 2\.28 or newer\.\nHint: Use the npm package/,
    ],
    [
      "a processor that has no file",
      "uname",
      "case $1 in -s) echo Linux;; *) echo riscv64;; esac",
      /no file for the processor riscv64/,
    ],
    ["a system that has no file", "uname", "echo FreeBSD", /no file for FreeBSD/],
  ])("%s", async (_title, program, body, message) => {
    const home = makeHome(folder);
    const stubs = makeStub(folder, program, body);
    // musl has no such name, so its getconf answers nothing.
    if (program === "ldd") writeFileSync(join(stubs, "getconf"), "#!/bin/sh\nexit 1\n", { mode: 0o755 });

    const { code, stderr } = await runInstall(script, ["--from", downloads], { home, stubs });

    expect(code).toBe(1);
    expect(stderr).toMatch(message);
    expect(listAll(home)).toEqual([]);
  });

  test("a thv that does not start here", async () => {
    const home = makeHome(folder);
    const broken = makeDownloads(folder, { version: "9.0.0" });
    const contents = join(folder, "contents-9.0.0");
    writeFileSync(join(contents, "thv"), "#!/bin/sh\necho 'libatomic.so.1: cannot open' >&2\nexit 127\n");
    const name = nameArchive("9.0.0");
    execFileSync("tar", ["-czf", join(broken, name), "-C", contents, "thv"]);
    writeFileSync(join(broken, "SHA256SUMS"), `${digestFile(join(broken, name))}  ${name}\n`);

    const { code, stderr } = await runInstall(join(broken, "install.sh"), ["--from", broken], { home });

    expect(code).toBe(1);
    expect(stderr).toContain(`The thv of ${name} does not start here: libatomic.so.1: cannot open\n`);
    expect(listAll(home)).toEqual([]);
  });

  test.each([
    ["a folder", ".local/lib/thv/mine"],
    ["a program", ".local/bin/thv"],
  ])("%s that it did not write, also to uninstall", async (_title, path) => {
    const home = makeHome(folder);
    mkdirSync(join(home, path, ".."), { recursive: true });
    writeFileSync(join(home, path), "mine");
    const before = listAll(home);

    const installed = await runInstall(script, ["--from", downloads], { home });
    const removed = await runInstall(script, ["--uninstall"], { home });

    for (const { code, stderr } of [installed, removed]) {
      expect(code).toBe(1);
      expect(stderr).toMatch(/^Error: \S+ exists and was not put there by this script\.\nHint: /);
    }
    expect(listAll(home)).toEqual(before);
  });

  test.each([
    [["--form", "x"], "Error: install.sh does not know --form.\nHint: See: install.sh --help\n"],
    [["--prefix"], "Error: --prefix needs a value.\nHint: See: install.sh --help\n"],
    [["--from", "/x", "--version", "1;rm"], "Error: 1;rm is not a version.\nHint: Write it like 0.2.0\n"],
    [[], "Error: No address to download from was named.\nHint: Add: --from ADDRESS\n"],
    [
      ["--from", "/nowhere"],
      "Error: /nowhere/SHA256SUMS does not exist.\nHint: Name the folder that holds SHA256SUMS: --from FOLDER\n",
    ],
  ])("the arguments %j", async (args, message) => {
    const home = makeHome(folder);
    const { code, stderr } = await runInstall(script, args, { home });

    expect({ code, stderr }).toEqual({ code: 1, stderr: message });
    expect(listAll(home)).toEqual([]);
  });

  test("to run when only a part of it arrived", async () => {
    const home = makeHome(folder);
    const text = readFileSync(script, "utf8");
    const part = join(folder, "part.sh");
    writeFileSync(part, text.slice(0, text.lastIndexOf("main")));

    await runInstall(part, ["--from", downloads], { home });

    expect(listAll(home)).toEqual([]);
  });
});
