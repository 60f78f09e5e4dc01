/**
 * The container image of thv: the single file, the libraries of the system that it loads, the packet filter for when it is a sidecar,
 * and nothing else. No shell, no package manager; not root; it also runs with a read-only root file system. One archive for each processor, which holds
 * both an OCI image layout and the index that older versions of Docker load.
 */
import { copyFileSync, existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { readBrand } from "./brand.mjs";
import { unpackLibraries } from "./debian-libraries.mjs";
import { findExecutable } from "./executables.mjs";
import { writeImageArchive } from "./oci-archive.mjs";

/** The number that images without a user of their own usually have: it belongs to no user of the machine. */
const USER = 65532;
const HOME = "/home/thv";

/**
 * @param {import("./context.mjs").ReleaseContext} release
 * @returns {Promise<import("./context.mjs").Artifact[]>}
 */
export async function buildContainerImages(release) {
  return [await buildContainerImage(release, "amd64"), await buildContainerImage(release, "arm64")];
}

/**
 * @param {import("./context.mjs").ReleaseContext} release
 * @param {"amd64" | "arm64"} processor
 * @returns {Promise<import("./context.mjs").Artifact>}
 */
export async function buildContainerImage(release, processor) {
  const { out, version, work } = release;
  const { command, packages, product } = readBrand();
  const libraries = join(work, `image-${processor}-libraries`);
  const program = join(work, `image-${processor}-program`);
  await unpackLibraries(release, processor, libraries);
  writeFiles(libraries, {
    "etc/passwd": `root:x:0:0:root:/root:/sbin/nologin\n${command}:x:${USER}:${USER}::${HOME}:/sbin/nologin\n`,
    "etc/group": `root:x:0:\n${command}:x:${USER}:\n`,
    "etc/nsswitch.conf": "hosts: files dns\n",
  });
  writeFiles(program, { [`usr/lib/${command}/installation.json`]: `${JSON.stringify({ channel: "image" })}\n` });
  copyFileSync(findExecutable(release, processor), join(program, `usr/lib/${command}/${command}`));
  for (const folder of ["tmp", HOME.slice(1)]) mkdirSync(join(program, folder), { recursive: true });

  const file = `${command}_${version}_image_${processor}.tar`;
  await writeImageArchive(release, {
    file: join(out, file),
    reference: `${packages.image}:${version}`,
    processor,
    layers: [
      { folder: libraries },
      // What is written to these lies in volumes, which the user of the image may write.
      { folder: program, modes: { tmp: 0o1777, [HOME.slice(1)]: 0o777 } },
    ],
    config: {
      User: `${USER}:${USER}`,
      Env: [`PATH=/usr/lib/${command}:/usr/sbin`, `HOME=${HOME}`],
      Entrypoint: [`/usr/lib/${command}/${command}`],
      Cmd: ["version"],
      WorkingDir: HOME,
      Volumes: { [HOME]: {}, "/tmp": {} },
      Labels: {
        "org.opencontainers.image.title": product,
        "org.opencontainers.image.version": version,
        "org.opencontainers.image.licenses": "Apache-2.0",
      },
    },
  });
  return { file, kind: "container image", tried: await tryImage(release, processor, [libraries, program]) };
}

/** @param {string} folder @param {Readonly<Record<string, string>>} files */
function writeFiles(folder, files) {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
}

/**
 * Starts the program with nothing below `/` but what the image holds. That engines load and run the archive is shown by the
 * end-to-end tests.
 *
 * @param {import("./context.mjs").ReleaseContext} release
 * @param {"amd64" | "arm64"} processor
 * @param {readonly string[]} layers
 */
async function tryImage({ work, version, run }, processor, layers) {
  const own = { x64: "amd64", arm64: "arm64" }[process.arch];
  if (own !== processor) return `this machine's processor is ${own ?? process.arch}`;
  if (process.getuid?.() !== 0) return "only root changes its root folder";
  const root = join(work, `image-${processor}-root`);
  mkdirSync(root);
  for (const layer of layers) await run("cp", ["-a", `${layer}/.`, root]);
  const program = readdirSync(join(root, "usr/lib")).find((name) => existsSync(join(root, "usr/lib", name, name)));
  const said = await run(
    "chroot",
    [`--userspec=${USER}:${USER}`, root, `/usr/lib/${program}/${program}`, "--version"],
    {
      env: { HOME: "/tmp" },
    },
  );
  if (!said.includes(version))
    throw new Error(`The program of the image says ${JSON.stringify(said)} and not ${version}.`);
  // Without all of its libraries it does not start.
  await run("chroot", [root, "/usr/sbin/nft", "--version"]);
  return /** @type {const} */ (true);
}
