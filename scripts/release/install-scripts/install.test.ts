/** `install.sh` against a server on loopback, with a stand-in for thv: what it puts where, and what it refuses. */
import { execFileSync, spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { EventEmitter, once } from "node:events";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  digestOf,
  IS_ROOT,
  makeDownloads,
  makeFolder,
  makeHome,
  makeStub,
  nameArchive,
  runInstall,
  serveFolder,
  VERSION,
} from "./trial.ts";

const isLinux = process.platform === "linux";
const hasNamespaces = isLinux && IS_ROOT && spawnSync("unshare", ["--mount", "true"]).status === 0;
const onlyLinux = isLinux ? "" : " (skipped: the downloads of these tests are for Linux)";

let folder = "";
let downloads = "";
let script = "";

beforeAll(() => {
  folder = makeFolder();
  downloads = makeDownloads(folder);
  script = join(downloads, "install.sh");
});
afterAll(() => rmSync(folder, { recursive: true }));

/** Every path below a folder. */
const listAll = (path: string) => readdirSync(path, { recursive: true }).map(String).sort();

const INSTALLED = [
  ".local",
  ".local/bin",
  ".local/bin/thv",
  ".local/lib",
  ".local/lib/thv",
  ".local/lib/thv/LICENSE",
  ".local/lib/thv/THIRD-PARTY-NOTICES.txt",
  ".local/lib/thv/installation.json",
  ".local/lib/thv/thv",
];

describe.skipIf(!isLinux)(`install.sh installs${onlyLinux}`, () => {
  const shells = [["dash"], ["bash", "--posix"], ["busybox", "sh"], ["zsh", "--emulate", "sh"]].map((shell) => ({
    shell,
    isThere: spawnSync(shell[0] ?? "", ["-c", ":"]).error === undefined,
  }));

  test.each(shells.filter(({ isThere }) => isThere))("from a server, without root, by $shell", async ({ shell }) => {
    await using server = await serveFolder(downloads);
    const home = makeHome(folder);

    const { code, stdout, stderr } = await runInstall(script, ["--from", server.address], { home, shell });

    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(listAll(home)).toEqual(INSTALLED);
    expect(readlinkSync(join(home, ".local/bin/thv"))).toBe("../lib/thv/thv");
    expect(readFileSync(join(home, ".local/lib/thv/installation.json"), "utf8")).toBe('{"channel":"install-script"}\n');
    expect(execFileSync(join(home, ".local/bin/thv"), ["list"], { encoding: "utf8" })).toBe(`thv v${VERSION} list\n`);
    expect(stdout).toContain(`Installed thv ${VERSION}: ${home}/.local/lib/thv, with a link ${home}/.local/bin/thv.`);
    expect(stdout).toContain(`To undo it: rm -r ${home}/.local/lib/thv ${home}/.local/bin/thv\n`);
  });

  test("with wget where there is no curl, and says which of them to install where neither is", async () => {
    await using server = await serveFolder(downloads);
    const home = makeHome(folder);
    const tools = makeStub(folder, "unused", "");
    const link = (name: string) => {
      const place = ["/usr/bin", "/bin"].map((each) => join(each, name)).find(existsSync);
      if (place === undefined) throw new Error(`This machine has no ${name}.`);
      symlinkSync(place, join(tools, name));
    };
    const needed =
      "sh uname getconf id dirname mkdir mktemp rm rmdir mv ln grep tail head cut sed awk tr wc df cp tar gzip chmod env sha256sum cat";
    for (const name of needed.split(" ")) link(name);

    const without = await runInstall(script, ["--from", server.address], { home, path: tools });
    link("wget");
    const { code, stderr } = await runInstall(script, ["--from", server.address], { home, path: tools });

    expect(without.code).toBe(1);
    expect(without.stderr).toMatch(/^Error: Neither curl nor wget is installed\.\nHint: /);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(listAll(home)).toEqual(INSTALLED);
  });

  test.each([
    ["a folder", (place: string) => ["--from", place], {}],
    ["an address with {version}", (place: string) => ["--from", place.replace(VERSION, "{version}")], {}],
    ["the variable THV_DOWNLOADS", () => [], { THV_DOWNLOADS: true }],
  ])("from %s", async (_title, args, env) => {
    const home = makeHome(folder);
    const variables = "THV_DOWNLOADS" in env ? { THV_DOWNLOADS: `file://${downloads}` } : {};

    const { code, stderr } = await runInstall(script, args(downloads), { home, env: variables });

    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(listAll(home)).toEqual(INSTALLED);
  });

  test("over http from another machine, with a warning", async () => {
    await using server = await serveFolder(downloads);
    const address = server.address.replace("127.0.0.1", "0.0.0.0");
    const home = makeHome(folder);

    const other = await runInstall(script, ["--from", address], { home });
    const own = await runInstall(script, ["--from", server.address], { home });

    expect(other.code).toBe(0);
    expect(other.stdout).toMatch(
      /^Warning: nothing proves that what comes from http:\/\/0\.0\.0\.0:\d+ was not changed/,
    );
    expect(own.stdout).not.toContain("Warning");
  });

  test("over an older one that runs, whose file it replaces and does not change", async () => {
    const home = makeHome(folder);
    const older = makeDownloads(folder, { version: "9.8.6" });
    await runInstall(join(older, "install.sh"), ["--from", older], { home });
    const thv = join(home, ".local/lib/thv/thv");
    const kept = join(home, "the file of before");
    execFileSync("ln", [thv, kept]);

    const { code } = await runInstall(script, ["--from", downloads], { home });

    expect(code).toBe(0);
    expect(readFileSync(thv, "utf8")).toContain(VERSION);
    expect(readFileSync(kept, "utf8")).toContain("9.8.6");
    expect(listAll(home).filter((path) => path.startsWith(".local"))).toEqual(INSTALLED);
  });

  test("into a prefix with a space and a quote, and removes it again", async () => {
    const home = makeHome(folder);
    const prefix = join(home, "it's mine");

    const { stdout } = await runInstall(script, ["--from", downloads, "--prefix", prefix], { home });
    expect(execFileSync(join(prefix, "bin/thv"), { encoding: "utf8" })).toBe(`thv v${VERSION} \n`);
    const undo = /^To undo it: (.*)$/m.exec(stdout)?.[1] ?? "";
    execFileSync("sh", ["-c", undo]);

    expect(listAll(prefix)).toEqual(["bin", "lib"]);
  });

  test("and --uninstall removes it; a second time there is nothing to do", async () => {
    const home = makeHome(folder);
    await runInstall(script, ["--from", downloads], { home });

    const first = await runInstall(script, ["--uninstall"], { home });
    const second = await runInstall(script, ["--uninstall"], { home });

    expect(first.stdout).toBe(
      `Removed ${home}/.local/bin/thv and ${home}/.local/lib/thv.\nYour servers and settings are still there.\n`,
    );
    expect(second).toMatchObject({ code: 0, stdout: expect.stringContaining("there is nothing to do") });
    expect(listAll(join(home, ".local"))).toEqual(["bin", "lib"]);
  });
});

describe.skipIf(!isLinux)(`install.sh says, when it has installed,${onlyLinux}`, () => {
  test.each([
    ["/bin/bash", (bin: string) => `  echo 'export PATH="${bin}:$PATH"' >>~/.bashrc && . ~/.bashrc\n`],
    ["/usr/bin/zsh", (bin: string) => `  echo 'export PATH="${bin}:$PATH"' >>~/.zshrc && . ~/.zshrc\n`],
    ["/usr/bin/fish", (bin: string) => `  fish_add_path ${bin}\n`],
    ["/bin/sh", (bin: string) => `  echo 'export PATH="${bin}:$PATH"' >>~/.profile && . ~/.profile\n`],
  ])("how %s gets a PATH with the prefix", async (shell, line) => {
    const home = makeHome(folder);
    const { stdout } = await runInstall(script, ["--from", downloads], { home, env: { SHELL: shell } });

    expect(stdout).toContain(`Your PATH does not have ${home}/.local/bin.`);
    expect(stdout).toContain(line(`${home}/.local/bin`));
  });

  test("nothing of the PATH when the PATH has it", async () => {
    const home = makeHome(folder);
    const path = `/usr/bin:/bin:${home}/.local/bin`;
    const { stdout } = await runInstall(script, ["--from", downloads], { home, path });

    expect(stdout).not.toContain("PATH");
  });

  test("that another thv is there, and which of them runs", async () => {
    const home = makeHome(folder);
    const other = makeStub(folder, "thv", "exit 0");
    const { code, stdout } = await runInstall(script, ["--from", downloads], {
      home,
      path: `${other}:/usr/bin:/bin:${home}/.local/bin`,
    });

    expect(code).toBe(0);
    expect(stdout).toContain(
      `Another thv is installed: ${other}/thv. The one that runs when you type thv is ${other}/thv.`,
    );
  });

  test.skipIf(!hasNamespaces)(
    `that root installs for everybody in /usr/local${hasNamespaces ? "" : " (skipped: only root, who may make namespaces, can try it)"}`,
    async () => {
      const home = makeHome(folder);
      const command = `mount -t tmpfs none /usr/local && sh "$0" "$@" && find /usr/local -mindepth 1 | sort`;
      const { code, stdout } = await runInstall(script, ["--from", downloads], {
        home,
        asRoot: true,
        shell: ["unshare", "--mount", "sh", "-c", command],
      });

      expect(code).toBe(0);
      expect(stdout).toMatch(/^Running as root: for every user of this system, in \/usr\/local\.\n/);
      expect(stdout.split("\n").filter((line) => line.startsWith("/"))).toEqual(
        INSTALLED.slice(1).map((path) => path.replace(".local", "/usr/local")),
      );
    },
  );
});

describe.skipIf(!isLinux)(`install.sh refuses, and leaves nothing behind,${onlyLinux}`, () => {
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
    const before = digestOf(join(home, ".local/lib/thv/thv"));

    const { code } = await runInstall(script, ["--from", server.address], { home });

    expect(code).toBe(1);
    expect(digestOf(join(home, ".local/lib/thv/thv"))).toBe(before);
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

  test.skipIf(!hasNamespaces)(
    `a prefix without space${hasNamespaces ? "" : " (skipped: only root, who may make namespaces, can try it)"}`,
    async () => {
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
    },
  );

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
    writeFileSync(join(broken, "SHA256SUMS"), `${digestOf(join(broken, name))}  ${name}\n`);

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

const hasShellcheck = spawnSync("shellcheck", ["--version"]).status === 0;
test.skipIf(!hasShellcheck)(
  `shellcheck finds nothing in install.sh${hasShellcheck ? "" : " (skipped: shellcheck is not installed)"}`,
  () => {
    const source = fileURLToPath(new URL("install.sh", import.meta.url));
    const { status, stdout } = spawnSync("shellcheck", [source], { encoding: "utf8" });
    expect({ status, stdout }).toEqual({ status: 0, stdout: "" });
  },
);
