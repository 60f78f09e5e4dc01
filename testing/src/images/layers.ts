/**
 * The file system layers of the test images, built from what this machine has: base images cannot be assumed to be
 * reachable. Every layer is a tar archive whose bytes depend on its content only (sorted names, no times, no owners).
 */
import { chmod, cp, mkdir, readdir, readFile, realpath, symlink, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { build } from "esbuild";
import { mustRun } from "../command.ts";
import type { LayerName } from "./definitions.ts";

export interface LayerContext {
  readonly repository: string;
  readonly signal: AbortSignal;
}

/** Fills an empty folder with a layer's files. */
type LayerBuilder = (root: string, context: LayerContext) => Promise<void>;

const CERTIFICATES = ["/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt", "/etc/ssl/cert.pem"];

const ETC: Readonly<Record<string, string>> = {
  passwd: "root:x:0:0:root:/root:/sbin/nologin\nnode:x:1000:1000:node:/home/node:/sbin/nologin\n",
  group: "root:x:0:\nnode:x:1000:\n",
  "nsswitch.conf": "hosts: files dns\n",
};

/** Paths of the shared libraries that a program loads, as `ldd` prints them. */
export function parseLdd(output: string): string[] {
  return output
    .split("\n")
    .map((line) => /(?:=>\s+)?(\/\S+)\s+\(0x/.exec(line)?.[1])
    .filter((path) => path !== undefined);
}

async function copyInto(root: string, source: string, target = source): Promise<void> {
  const destination = join(root, target);
  await mkdir(dirname(destination), { recursive: true });
  await cp(await realpath(source), destination);
}

/** This machine's Node.js, the libraries it loads (and those that name resolution loads later), certificates, users. */
async function buildBase(root: string, { signal }: LayerContext): Promise<void> {
  const libraries = parseLdd(await mustRun("ldd", [process.execPath], { signal }));
  for (const library of libraries) await copyInto(root, library);
  const libc = libraries.find((path) => basename(path).startsWith("libc.so"));
  if (libc !== undefined) {
    const lazilyLoaded = (await readdir(dirname(libc))).filter((name) =>
      /^lib(nss_dns|nss_files|resolv)\.so/.test(name),
    );
    for (const name of lazilyLoaded) await copyInto(root, join(dirname(libc), name));
  }
  await copyInto(root, process.execPath, "/usr/local/bin/node");
  await chmod(join(root, "usr/local/bin/node"), 0o755);

  for (const [name, content] of Object.entries(ETC)) {
    await mkdir(join(root, "etc"), { recursive: true });
    await writeFile(join(root, "etc", name), content);
  }
  for (const bundle of CERTIFICATES) {
    const found = await readFile(bundle).catch(() => undefined); // distributions keep it in different places
    if (found === undefined) continue;
    await mkdir(join(root, "etc/ssl/certs"), { recursive: true });
    await writeFile(join(root, "etc/ssl/certs/ca-certificates.crt"), found);
    break;
  }
  await mkdir(join(root, "root"), { recursive: true });
  await mkdir(join(root, "tmp"));
  await chmod(join(root, "tmp"), 0o1777);
}

/** What ES modules need for dependencies in CommonJS, which call `require`. */
const REQUIRE = {
  js: 'import { createRequire as requireFrom } from "node:module"; const require = requireFrom(import.meta.url);',
};

/**
 * Joins the modules of each server in the place of its own, so that a start reads a few files instead of hundreds: that is half of its
 * processor time, and a run of all tests starts some 400 of them.
 *
 * @param app Where the packages are installed.
 */
export async function joinModules(app: string): Promise<void> {
  const packages = join(app, "node_modules/@modelcontextprotocol");
  const servers = (await readdir(packages)).filter((name) => name.startsWith("server-"));
  for (const dist of servers.map((name) => join(packages, name, "dist"))) {
    const programs = (await readdir(dist, { recursive: true })).filter((file) =>
      /^(?:index|transports\/\w+)\.js$/.test(file),
    );
    await build({
      absWorkingDir: dist,
      entryPoints: programs.sort(),
      bundle: true,
      splitting: true,
      // They find their own files from where their modules were.
      outbase: ".",
      outdir: ".",
      chunkNames: "transports/[name]-[hash]",
      allowOverwrite: true,
      minifyWhitespace: true,
      platform: "node",
      format: "esm",
      target: "node20.19",
      banner: REQUIRE,
      logLevel: "error",
    });
  }
}

/** Real MCP servers, at the versions of `testing/images/package-lock.json`. */
async function buildServers(root: string, { repository, signal }: LayerContext): Promise<void> {
  const app = join(root, "app");
  await mkdir(app, { recursive: true });
  for (const name of ["package.json", "package-lock.json"]) {
    await cp(join(repository, "testing/images", name), join(app, name));
  }
  await mustRun("npm", ["ci", "--omit=dev", "--ignore-scripts", "--no-audit", "--no-fund"], { cwd: app, signal });
  await joinModules(app);
  await mkdir(join(root, "projects"));
  await writeFile(join(root, "projects/welcome.txt"), "A file that the filesystem server may read and change.\n");
}

async function buildFixtures(root: string, { repository }: LayerContext): Promise<void> {
  await cp(join(repository, "testing/fixtures"), join(root, "app"), { recursive: true });
  await mkdir(join(root, "home/node"), { recursive: true });
  await symlink("/app", join(root, "home/node/app"));
}

/** The server that the conformance suite expects, with the SDKs that it is written on, as one file. */
export async function bundleConformanceFixture(repository: string): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [join(repository, "packages/proxy/conformance/serve-fixture.mjs")],
    bundle: true,
    write: false,
    platform: "node",
    format: "esm",
    target: "node20.19",
    banner: REQUIRE,
    logLevel: "error",
  });
  return outputFiles.map(({ text }) => text).join("");
}

async function buildConformance(root: string, { repository }: LayerContext): Promise<void> {
  await mkdir(join(root, "app"));
  await writeFile(join(root, "app/conformance.mjs"), await bundleConformanceFixture(repository));
}

/** This machine's packet filter and the libraries it loads. */
async function buildFilter(root: string, { signal }: LayerContext): Promise<void> {
  for (const library of parseLdd(await mustRun("ldd", ["/usr/sbin/nft"], { signal }))) await copyInto(root, library);
  await copyInto(root, "/usr/sbin/nft");
  await chmod(join(root, "usr/sbin/nft"), 0o755);
}

export const LAYERS: Readonly<Record<LayerName, LayerBuilder>> = {
  base: buildBase,
  servers: buildServers,
  fixtures: buildFixtures,
  filter: buildFilter,
  conformance: buildConformance,
};

/** Packs a folder. GNU tar on every Linux distribution; the options make equal content equal bytes. */
export async function packLayer(root: string, archive: string, signal: AbortSignal): Promise<void> {
  const reproducible = ["--format=gnu", "--sort=name", "--mtime=@0", "--owner=0", "--group=0", "--numeric-owner"];
  await mustRun("tar", [...reproducible, "-C", root, "-cf", archive, "."], { signal });
}
