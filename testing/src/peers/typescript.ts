/** Peers on the TypeScript SDK: the packages of `testing/peers/typescript`, installed from its lockfile into the user's folder of caches. */
import { existsSync } from "node:fs";
import { cp, readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { mustRun } from "../command.ts";
import { findRepositoryRoot } from "../repository.ts";
import { digest, fillFolder, findCacheFolder } from "./cache.ts";
import type { PeerToolchain } from "./toolchain.ts";

const SOURCES = join(findRepositoryRoot(), "testing/peers/typescript");
const MANIFESTS = ["package.json", "package-lock.json"] as const;
/** The only SDK whose packages have several names. */
const LATER = { sdk: "sdk-2", name: "@modelcontextprotocol/server" } as const;

export const TYPESCRIPT_PEERS: PeerToolchain = {
  async prepare(onProgress) {
    const packages = await findPackages();
    if (!existsSync(packages)) {
      onProgress("installing the TypeScript SDKs");
      await fillFolder(packages, async (folder) => {
        for (const file of MANIFESTS) await cp(join(SOURCES, file), join(folder, file));
        await mustRun("npm", ["ci", "--ignore-scripts", "--no-audit", "--no-fund"], { cwd: folder });
      });
    }
    const programs = await findPrograms();
    if (existsSync(programs)) return;
    await fillFolder(programs, async (folder) => {
      for (const file of await listPrograms()) await cp(join(SOURCES, file), join(folder, file));
    });
  },

  async findObstacle() {
    return existsSync(await findPrograms()) ? undefined : "the npm packages of the TypeScript SDKs could not be had";
  },

  async findCommand(sdk) {
    return [process.execPath, join(await findPrograms(), "main.mjs"), sdk];
  },

  async readVersion(sdk) {
    const name = sdk === LATER.sdk ? LATER.name : sdk;
    const { dependencies } = JSON.parse(await readFile(join(SOURCES, "package.json"), "utf8")) as {
      dependencies: Readonly<Record<string, string>>;
    };
    return dependencies[name]?.replace(/^npm:.*@/, "") ?? "";
  },
};

/** Of the versions that are pinned today. */
async function findPackages(): Promise<string> {
  return await findCacheFolder("typescript", SOURCES, MANIFESTS);
}

/** Below the packages, which Node.js finds from there. */
async function findPrograms(): Promise<string> {
  return join(await findPackages(), `programs-${await digest(SOURCES, await listPrograms())}`);
}

async function listPrograms(): Promise<string[]> {
  return (await readdir(SOURCES)).filter((name) => name.endsWith(".mjs")).sort();
}
