/** What the tests of `install.sh` share: downloads with a stand-in for thv, a server of them, and a home for each run. */
import { type ChildProcess, execFileSync, spawn, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { chmodSync, chownSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { fillIn, hashFiles } from "../install-scripts.mjs";

export const VERSION = "9.8.7";
const SOURCE = fileURLToPath(new URL("install.sh", import.meta.url));
/** Who installs where this is root: nothing on the machine belongs to this user. */
const ORDINARY_USER = 54_321;
export const IS_ROOT = process.getuid?.() === 0;
export const IS_LINUX = process.platform === "linux";
/** Whether mounts can be tried that other processes do not see. */
export const HAS_NAMESPACES = IS_LINUX && IS_ROOT && spawnSync("unshare", ["--mount", "true"]).status === 0;
/** For titles. */
export const ONLY_LINUX = IS_LINUX ? "" : " (skipped: the downloads of these tests are for Linux)";
export const ONLY_NAMESPACES = HAS_NAMESPACES ? "" : " (skipped: only root, who may make namespaces, can try it)";

/** A folder that an ordinary user may read, whichever user runs the tests. */
export function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "thv-install-"));
  chmodSync(folder, 0o755);
  return folder;
}

/** Writes `install.sh` as a release does, archives for this system, and their SHA256SUMS. @returns The folder. */
export function makeDownloads(folder: string, { body = "", version = VERSION, hasHashes = false } = {}): string {
  const contents = join(folder, `contents-${version}`);
  const downloads = join(folder, `downloads-${version}`);
  mkdirSync(contents);
  mkdirSync(downloads);
  writeFileSync(join(contents, "thv"), `#!/bin/sh\necho "thv v${version} $*"\nexit 0\n${body}`, { mode: 0o755 });
  writeFileSync(join(contents, "LICENSE"), "Apache-2.0\n");
  writeFileSync(join(contents, "THIRD-PARTY-NOTICES.txt"), "none\n");
  for (const processor of ["amd64", "arm64"]) {
    const archive = join(downloads, `thv_${version}_linux_${processor}.tar.gz`);
    execFileSync("tar", ["-czf", archive, "-C", contents, "thv", "LICENSE", "THIRD-PARTY-NOTICES.txt"]);
  }
  writeSums(downloads, version);
  const script = fillIn(readFileSync(SOURCE, "utf8"), {
    "DEFAULT_VERSION=''": `DEFAULT_VERSION='${version}'`,
    ...(hasHashes && { "DEFAULT_HASHES=''": `DEFAULT_HASHES='${hashFiles(downloads, version, "tar.gz")}'` }),
  });
  writeFileSync(join(downloads, "install.sh"), script);
  return downloads;
}

export function nameArchive(version = VERSION): string {
  return `thv_${version}_linux_${process.arch === "arm64" ? "arm64" : "amd64"}.tar.gz`;
}

function writeSums(downloads: string, version: string): void {
  const lines = ["amd64", "arm64"].map((processor) => {
    const name = `thv_${version}_linux_${processor}.tar.gz`;
    return `${digestFile(join(downloads, name))}  ${name}\n`;
  });
  writeFileSync(join(downloads, "SHA256SUMS"), lines.join(""));
}

export function digestFile(file: string): string {
  return createHash("sha256").update(readFileSync(file)).digest("hex");
}

/** A home of the user who installs. */
export function makeHome(folder: string): string {
  const home = mkdtempSync(join(folder, "home-"));
  if (IS_ROOT) chownSync(home, ORDINARY_USER, ORDINARY_USER);
  return home;
}

export interface Run {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  readonly home: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly shell?: readonly string[];
  /** Folder whose programs precede those of the system. */
  readonly stubs?: string;
  /** The whole PATH instead. */
  readonly path?: string;
  readonly asRoot?: boolean;
  readonly onStart?: (child: ChildProcess) => void;
}

/** Runs the script of the downloads as an ordinary user, with an environment of its own. */
export function runInstall(script: string, args: readonly string[], options: RunOptions): Promise<Run> {
  const { home, env, shell = ["sh"], stubs, path, asRoot = false, onStart } = options;
  const [program = "sh", ...before] = shell;
  const user = IS_ROOT && !asRoot ? { uid: ORDINARY_USER, gid: ORDINARY_USER } : {};
  const child = spawn(program, [...before, script, ...args], {
    cwd: home,
    env: {
      HOME: home,
      PATH: path ?? `${stubs === undefined ? "" : `${stubs}:`}/usr/sbin:/usr/bin:/sbin:/bin`,
      SHELL: "/bin/bash",
      ...env,
    },
    stdio: ["ignore", "pipe", "pipe"],
    ...user,
  });
  const output = { stdout: "", stderr: "" };
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    output.stdout += text;
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    output.stderr += text;
  });
  onStart?.(child);
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code) => resolve({ code: code ?? 1, ...output }));
  });
}

/** A program that precedes one of the system's in the PATH. @returns Its folder. */
export function makeStub(folder: string, name: string, script: string): string {
  const stubs = mkdtempSync(join(folder, "stubs-"));
  chmodSync(stubs, 0o755);
  writeFileSync(join(stubs, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  return stubs;
}

export async function serve(listener: RequestListener): Promise<{ address: string } & AsyncDisposable> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    address: `http://127.0.0.1:${port}`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Serves a folder; `change` may answer a request in its own way by returning true. */
export function serveFolder(folder: string, change: (...args: Parameters<RequestListener>) => boolean = () => false) {
  return serve((request, response) => {
    if (change(request, response)) return;
    try {
      response.end(readFileSync(join(folder, request.url ?? "")));
    } catch {
      response.writeHead(404).end();
    }
  });
}

/** Every path below a folder. */
export const listAll = (path: string) => readdirSync(path, { recursive: true }).map(String).sort();

/** Every path in the home of somebody who has installed. */
export const INSTALLED = [
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
