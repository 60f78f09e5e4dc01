/** Peers on the Rust SDK: one program, built of `testing/peers/rust` with the versions that its manifest and lockfile pin. */
import { existsSync } from "node:fs";
import { cp, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { mustRun } from "../command.ts";
import { isInstalled } from "../engines/packages.ts";
import { findRepositoryRoot } from "../repository.ts";
import { fillFolder, findCacheFolder } from "./cache.ts";
import type { PeerToolchain } from "./toolchain.ts";

const SOURCES = join(findRepositoryRoot(), "testing/peers/rust");
const FILES = ["Cargo.lock", "Cargo.toml", "src/converse.rs", "src/main.rs", "src/offers.rs"] as const;

export const RUST_PEERS: PeerToolchain = {
  async prepare(onProgress) {
    const program = await findFolder();
    if (existsSync(program) || !(await isInstalled("cargo"))) return;
    onProgress("building with the Rust SDK");
    // The libraries that are built on the way take a hundred times the room of the program.
    const target = await mkdtemp(join(tmpdir(), "peers-rust-"));
    try {
      await fillFolder(program, async (folder) => {
        await mustRun("cargo", ["build", "--quiet", "--locked", "--target-dir", target], { cwd: SOURCES });
        await cp(join(target, "debug/peers"), join(folder, "peers"));
      });
    } finally {
      await rm(target, { recursive: true, force: true });
    }
  },

  async findObstacle() {
    if (existsSync(await findFolder())) return undefined;
    return (await isInstalled("cargo")) ? "the Rust SDK could not be built" : "Rust is not installed";
  },

  async findCommand(sdk) {
    return [join(await findFolder(), "peers"), sdk];
  },

  async readVersion(sdk) {
    const lines = (await readFile(join(SOURCES, "Cargo.toml"), "utf8")).split("\n");
    return lines.find((line) => line.startsWith(`${sdk} = `))?.match(/"=([^"]+)"/)?.[1] ?? "";
  },
};

/** Of the versions and the sources of today. */
async function findFolder(): Promise<string> {
  return await findCacheFolder("rust", SOURCES, FILES);
}
