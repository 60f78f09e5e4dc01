/** Peers on Python SDKs: each in an environment of its own, with the packages that `testing/peers/python/requirements` pins. */
import { existsSync } from "node:fs";
import { cp, readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { mustRun } from "../command.ts";
import { isInstalled } from "../engines/packages.ts";
import { findRepositoryRoot } from "../repository.ts";
import { fillFolder, findCacheFolder } from "./cache.ts";
import type { PeerToolchain } from "./toolchain.ts";

const SOURCES = join(findRepositoryRoot(), "testing/peers/python");
const REQUIREMENTS = join(SOURCES, "requirements");
/** Installs the others in seconds. */
const INSTALLER = "uv.txt";

export const PYTHON_PEERS: PeerToolchain = {
  async prepare(onProgress) {
    const environments = await findEnvironments();
    if (existsSync(environments) || !(await isInstalled("python3"))) return;
    onProgress("installing the Python SDKs");
    await fillFolder(environments, async (folder) => {
      for (const file of await listRequirements()) await cp(join(REQUIREMENTS, file), join(folder, file));
      await mustRun("python3", ["-m", "venv", "uv"], { cwd: folder });
      await mustRun("uv/bin/python", ["-m", "pip", "install", "-q", "-r", INSTALLER], { cwd: folder });
      for (const file of await listRequirements()) {
        if (file === INSTALLER) continue;
        const name = file.replace(/\.txt$/, "");
        await mustRun("uv/bin/uv", ["venv", "-q", "--python", "python3", name], { cwd: folder });
        const options = ["-q", "--compile-bytecode", "--python", name, "-r", file];
        await mustRun("uv/bin/uv", ["pip", "install", ...options], { cwd: folder });
      }
    });
  },

  async findObstacle() {
    if (existsSync(await findEnvironments())) return undefined;
    return (await isInstalled("python3"))
      ? "the packages of the Python SDKs could not be had"
      : "Python is not installed";
  },

  async findCommand(sdk) {
    return [join(await findEnvironments(), sdk, "bin/python"), "-B", join(SOURCES, "main.py"), sdk];
  },

  async readVersion(sdk) {
    const [name = ""] = sdk.split("-");
    const lines = (await readFile(join(REQUIREMENTS, `${sdk}.txt`), "utf8")).split("\n");
    return lines.find((line) => line.startsWith(`${name}==`))?.slice(name.length + 2) ?? "";
  },
};

/** Of the versions that are pinned today. */
async function findEnvironments(): Promise<string> {
  return await findCacheFolder("python", REQUIREMENTS, await listRequirements());
}

async function listRequirements(): Promise<string[]> {
  return (await readdir(REQUIREMENTS)).sort();
}
