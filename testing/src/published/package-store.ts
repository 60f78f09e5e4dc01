/**
 * What tests with published packages need: a base image that is made of this machine's programs, as no image registry can be
 * assumed to be reachable, and the packages' images of an earlier run. Both are kept in the user's folder of caches, so only the
 * first run needs the package registries.
 */
import { existsSync } from "node:fs";
import { cp, mkdir, mkdtemp, readdir, readFile, realpath, rename, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { mustRun, runCommand } from "../command.ts";
import { findObstacle, installPackages, isInstalled } from "../engines/packages.ts";
import type { TestEngine } from "../engines/start-engines.ts";
import { fillFolder, findCacheFolder } from "../peers/cache.ts";
import { findRepositoryRoot } from "../repository.ts";
import { type PackageManager, PINNED_SERVERS } from "./pinned-servers.ts";

/** Set to `no`, it spares a machine the packages. */
const SWITCH = "TOOLHIVE_TEST_PACKAGES";
const ROOT = findRepositoryRoot();
const OWN_FILES = ["testing/src/published/package-store.ts", "testing/src/published/pinned-servers.ts"];
/** They decide what is built: after a change of one, the packages are fetched again. */
const BUILDER = "packages/core/src/images";
const INSTALLER = "testing/peers/python/requirements/uv.txt";
const BASE_FILE = "base.tar";
const IMAGES_FILE = "images.tar";

/** Of what package managers use in the image. */
const BASE_IMAGE = "docker.io/toolhive-test/packages-base:test";
const CERTIFICATES = "/etc/ssl/certs/ca-certificates.crt";
/** What this machine trusts, in the image: package managers there have to trust it, too. */
const TRUSTED = "/etc/ssl/trusted.pem";
const BASE_ENV = {
  PATH: "/usr/local/go/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
  NODE_EXTRA_CA_CERTS: TRUSTED,
  SSL_CERT_FILE: TRUSTED,
  GOPATH: "/go",
};

/** For the supervisor that starts the packages. */
export const PACKAGE_ENV: Readonly<Record<string, string>> = {
  TOOLHIVE_NPX_BASE_IMAGE: BASE_IMAGE,
  TOOLHIVE_UVX_BASE_IMAGE: BASE_IMAGE,
  TOOLHIVE_GO_BASE_IMAGE: BASE_IMAGE,
};

/** Why no package of a manager can be started here, or `undefined`. For titles of skipped tests. */
export async function findPackageObstacle(manager: PackageManager): Promise<string | undefined> {
  if (process.env[SWITCH] === "no") return `${SWITCH} is no`;
  const folder = await findFolder();
  if (existsSync(join(folder, IMAGES_FILE))) return undefined;
  if (!existsSync(join(folder, BASE_FILE))) return "the base image could not be made";
  if (manager === "Go" && !(await isInstalled("go"))) return "Go is not installed";
  return await findUnreachable(manager);
}

/** Makes the base image where it is missing and can be made. Never rejects: the tests say in their titles what was missing. */
export async function preparePackages(
  onProgress: (message: string) => unknown = (message) => process.stderr.write(`packages: ${message}\n`),
): Promise<void> {
  if (process.env[SWITCH] === "no") return;
  try {
    const folder = await findFolder();
    if (existsSync(folder) || (await findObstacle()) !== undefined) return;
    if (!(await isInstalled("mmdebstrap"))) await installPackages(["mmdebstrap"], { onProgress });
    onProgress("making the base image of packages");
    await fillFolder(folder, makeBase);
  } catch (error) {
    onProgress(error instanceof Error ? error.message : String(error));
  }
}

/** Puts into an engine what earlier runs have kept: the base, and the packages' images where there are some. */
export async function loadPackages({ cli }: TestEngine): Promise<void> {
  const folder = await findFolder();
  const images = join(folder, IMAGES_FILE);
  if (existsSync(images)) return expectSuccess(await cli(["load", "--quiet", "--input", images]));
  const changes = Object.entries(BASE_ENV).flatMap(([name, value]) => ["--change", `ENV ${name}=${value}`]);
  expectSuccess(await cli(["import", ...changes, join(folder, BASE_FILE), BASE_IMAGE]));
}

/** Keeps the packages' images for the next run; the base is in them. */
export async function keepPackages({ cli }: TestEngine, references: readonly string[]): Promise<void> {
  const folder = await findFolder();
  const images = join(folder, IMAGES_FILE);
  // A file that decides what is built may have changed meanwhile: then these images are not those of today.
  if (existsSync(images) || !existsSync(folder)) return;
  const draft = `${images}.${process.pid}`;
  try {
    expectSuccess(await cli(["save", "--output", draft, BASE_IMAGE, ...references]));
    await rename(draft, images);
    await rm(join(folder, BASE_FILE), { force: true });
  } finally {
    await rm(draft, { force: true });
  }
}

function expectSuccess({ code, stderr }: { readonly code: number | null; readonly stderr: string }): void {
  if (code !== 0) throw new Error(stderr.trim().slice(-2000));
}

/** Asks the manager's own client on this machine for the first package of its kind. */
async function findUnreachable(manager: PackageManager): Promise<string | undefined> {
  const target = PINNED_SERVERS.find((server) => server.manager === manager)?.target ?? "";
  const specifier = target.replace(/^\w+:\/\//, "");
  const folder = await mkdtemp(join(tmpdir(), "packages-"));
  const commands: Readonly<Record<PackageManager, readonly [string, ...string[]]>> = {
    npm: ["npm", "view", specifier, "version"],
    PyPI: ["python3", "-m", "pip", "download", "--quiet", "--no-deps", "-d", folder, specifier.replace("@", "==")],
    Go: ["go", "list", "-m", specifier.replace(/\/examples\/.*@/, "@")],
  };
  const [program, ...args] = commands[manager];
  try {
    const { code } = await runCommand(program, args, { cwd: folder });
    return code === 0 ? undefined : `the package registry of ${manager} cannot be reached`;
  } catch {
    return `${program} cannot be started`;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Debian with Python, and this machine's Node.js, npm and Go, which Debian's libraries of the same release load. */
async function makeBase(folder: string): Promise<void> {
  const archive = join(folder, BASE_FILE);
  const added = await mkdtemp(join(tmpdir(), "packages-base-"));
  try {
    const release = await readFile("/etc/os-release", "utf8");
    const codename = /^VERSION_CODENAME=(\S+)/m.exec(release)?.[1] ?? "";
    const options = ["--quiet", "--variant=minbase", "--mode=root", "--dpkgopt=path-exclude=/usr/share/doc/*"];
    await mustRun("mmdebstrap", [...options, "--include=ca-certificates,python3", "--format=tar", codename, archive]);
    const local = join(added, "usr/local");
    await cp(process.execPath, join(local, "bin/node"));
    const npm = dirname(dirname(await realpath(await findProgram("npm"))));
    await cp(npm, join(local, "lib/node_modules/npm"), { recursive: true });
    await symlink("../lib/node_modules/npm/bin/npm-cli.js", join(local, "bin/npm"));
    await copyInstaller(join(local, "bin"));
    if (await isInstalled("go")) await copyGo(local);
    await cp(CERTIFICATES, join(added, TRUSTED));
    // Docker refuses an archive that has a path twice, so the folders of the base are left out.
    const list = `${added}.list`;
    await writeFile(list, await mustRun("find", [".", "-not", "-type", "d"], { cwd: added }));
    await mustRun("tar", ["--owner=0", "--group=0", "--numeric-owner", "-C", added, "-rf", archive, "-T", list]);
    await rm(list);
  } finally {
    await rm(added, { recursive: true, force: true });
  }
}

async function copyInstaller(bin: string): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "packages-uv-"));
  try {
    await mustRun("python3", ["-m", "venv", folder]);
    await mustRun(join(folder, "bin/python"), ["-m", "pip", "install", "-q", "-r", join(ROOT, INSTALLER)]);
    await cp(join(folder, "bin/uv"), join(bin, "uv"));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Without its own tests. */
async function copyGo(local: string): Promise<void> {
  const { GOROOT } = JSON.parse(await mustRun("go", ["env", "-json", "GOROOT"])) as { GOROOT: string };
  const unused = ["test", "doc", "api", "misc"].map((name) => join(GOROOT, name));
  const keep = (path: string) => !unused.includes(path) && !/\/testdata$|_test\.go$/.test(path);
  await cp(GOROOT, join(local, "go"), { recursive: true, verbatimSymlinks: true, filter: keep });
}

async function findProgram(name: string): Promise<string> {
  return (await mustRun("sh", ["-c", `command -v ${name}`])).trim();
}

/** Of the packages, the base and the builder of today. */
async function findFolder(): Promise<string> {
  const builder = (await readdir(join(ROOT, BUILDER))).filter(
    (file) => file.endsWith(".ts") && !file.includes(".test."),
  );
  const files = [...OWN_FILES, INSTALLER, ...builder.sort().map((file) => join(BUILDER, file))];
  const folder = await findCacheFolder(`packages-${process.version}`, ROOT, files);
  await mkdir(dirname(folder), { recursive: true });
  return folder;
}
