/** `install.sh` against a server on loopback, with a stand-in for thv: what it puts where, and what it says. */
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, readFileSync, readlinkSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
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
  VERSION,
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

describe.skipIf(!IS_LINUX)(`install.sh installs${ONLY_LINUX}`, () => {
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

  test("what this script has the hash of, and nothing else, whatever the list beside the archive says", async () => {
    const released = makeDownloads(makeFolder(), { hasHashes: true });
    const own = join(released, "install.sh");
    rmSync(join(released, "SHA256SUMS"));
    const sound = await runInstall(own, ["--from", released], { home: makeHome(folder) });
    const archive = join(released, nameArchive());
    writeFileSync(archive, Buffer.concat([readFileSync(archive), Buffer.from("\n")]));
    writeFileSync(join(released, "SHA256SUMS"), `${digestFile(archive)}  ${nameArchive()}\n`);
    const home = makeHome(folder);

    const changed = await runInstall(own, ["--from", released], { home });
    const other = await runInstall(own, ["--from", released, "--version", "0.0.1"], { home });

    expect(sound).toMatchObject({ code: 0, stderr: "" });
    expect(changed).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("is not the file that this script describes"),
    });
    expect(listAll(home)).toEqual([]);
    expect(other.stdout).toContain("The SHA-256 of thv 0.0.1 comes from");
    rmSync(join(released, ".."), { recursive: true });
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

describe.skipIf(!IS_LINUX)(`install.sh says, when it has installed,${ONLY_LINUX}`, () => {
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

  test.skipIf(!HAS_NAMESPACES)(`that root installs for everybody in /usr/local${ONLY_NAMESPACES}`, async () => {
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
