/** Peers on the Java SDK: the jars that `testing/peers/java/pom.xml` pins, and the classes beside it, compiled. */
import { existsSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { mustRun } from "../command.ts";
import { isInstalled } from "../engines/packages.ts";
import { COPY_JARS, findJava } from "../java.ts";
import { findRepositoryRoot } from "../repository.ts";
import { fillFolder, findCacheFolder } from "./cache.ts";
import type { PeerToolchain } from "./toolchain.ts";

const SOURCES = join(findRepositoryRoot(), "testing/peers/java");
const MANIFEST = "pom.xml";
/** The smallest heap and the compiler that starts fastest: a peer lives for seconds. */
const FLAGS = ["-Xshare:auto", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"];

export const JAVA_PEERS: PeerToolchain = {
  async prepare(onProgress) {
    const programs = await findFolder();
    if (existsSync(programs) || (await findMissing()) !== undefined) return;
    onProgress("fetching the Java SDK");
    await fillFolder(programs, async (folder) => {
      const jars = join(folder, "lib");
      await mustRun("mvn", ["-B", "-q", "-f", join(SOURCES, MANIFEST), COPY_JARS, `-DoutputDirectory=${jars}`]);
      const sources = (await listSources()).map((file) => join(SOURCES, file));
      await mustRun(findJava("javac"), ["-nowarn", "-d", join(folder, "classes"), "-cp", join(jars, "*"), ...sources]);
    });
  },

  async findObstacle() {
    if (!(await isInstalled(findJava("java")))) return "Java is not installed";
    if (existsSync(await findFolder())) return undefined;
    return (await findMissing()) ?? "the jars of the Java SDK could not be had";
  },

  async findCommand() {
    const folder = await findFolder();
    return [
      findJava("java"),
      ...FLAGS,
      "-cp",
      [join(folder, "classes"), join(folder, "lib/*")].join(delimiter),
      "Main",
    ];
  },

  async readVersion() {
    return /<mcp\.version>([^<]*)</.exec(await readFile(join(SOURCES, MANIFEST), "utf8"))?.[1] ?? "";
  },
};

async function findMissing(): Promise<string | undefined> {
  for (const [program, name] of [
    [findJava("javac"), "A Java compiler"],
    ["mvn", "Maven"],
  ] as const) {
    if (!(await isInstalled(program))) return `${name} is not installed`;
  }
  return undefined;
}

/** Of the versions and the sources of today. */
async function findFolder(): Promise<string> {
  return await findCacheFolder("java", SOURCES, [MANIFEST, ...(await listSources())]);
}

async function listSources(): Promise<string[]> {
  return (await readdir(SOURCES)).filter((name) => name.endsWith(".java")).sort();
}
