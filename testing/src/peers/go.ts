/** Peers on Go SDKs: one program, built of `testing/peers/go` with the versions that its `go.mod` pins. */
import { existsSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { mustRun } from "../command.ts";
import { isInstalled } from "../engines/packages.ts";
import { findRepositoryRoot } from "../repository.ts";
import { fillFolder, findCacheFolder } from "./cache.ts";
import type { PeerToolchain } from "./toolchain.ts";

const SOURCES = join(findRepositoryRoot(), "testing/peers/go");
const MODULES: Readonly<Record<string, string>> = {
  "go-sdk": "github.com/modelcontextprotocol/go-sdk",
  "mcp-go": "github.com/mark3labs/mcp-go",
};

export const GO_PEERS: PeerToolchain = {
  async prepare(onProgress) {
    const program = await findFolder();
    if (existsSync(program) || !(await isInstalled("go"))) return;
    onProgress("building with the Go SDKs");
    await fillFolder(program, async (folder) => {
      await mustRun("go", ["build", "-trimpath", "-o", join(folder, "peers"), "."], { cwd: SOURCES });
    });
  },

  async findObstacle() {
    if (existsSync(await findFolder())) return undefined;
    return (await isInstalled("go")) ? "the Go SDKs could not be built" : "Go is not installed";
  },

  async findCommand(sdk) {
    return [join(await findFolder(), "peers"), sdk];
  },

  async readVersion(sdk) {
    const lines = (await readFile(join(SOURCES, "go.mod"), "utf8")).split("\n");
    const line = lines.map((each) => each.trim().split(" ")).find(([name]) => name === MODULES[sdk]);
    return line?.[1]?.replace(/^v/, "") ?? "";
  },
};

/** Of the versions and the sources of today. */
async function findFolder(): Promise<string> {
  return await findCacheFolder("go", SOURCES, (await readdir(SOURCES)).sort());
}
