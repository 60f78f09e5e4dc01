/**
 * The programs of an OpenSearch node for tests: its published jars and the class that starts them, kept in the user's folder of
 * caches. Without them the tests that need a cluster are skipped, so nothing here fails a run.
 */
import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readFile, rename, rm } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { mustRun } from "../command.ts";
import { findObstacle, installPackages, isInstalled } from "../engines/packages.ts";
import { COPY_JARS, findJava } from "../java.ts";
import { findRepositoryRoot } from "../repository.ts";

/** Set to `no`, it spares a machine the Java packages. */
const SWITCH = "TOOLHIVE_TEST_OPENSEARCH";
const NEEDED = [
  { program: "javac", packageName: "default-jdk-headless" },
  { program: "mvn", packageName: "maven" },
] as const;

/** Folder with `lib/*.jar` and `classes`, of the version and the sources of today. */
export async function findOpenSearchPrograms(): Promise<string> {
  const sources = join(findRepositoryRoot(), "testing/opensearch");
  const hash = createHash("sha256").update(findVersion());
  for (const file of ["pom.xml", "TestNode.java"]) hash.update(await readFile(join(sources, file)));
  const caches = process.env.XDG_CACHE_HOME ?? join(homedir(), ".cache");
  return join(caches, "toolhive-tests", "opensearch", `${findVersion()}-${hash.digest("hex").slice(0, 12)}`);
}

/** Why no node can be started here, or `undefined`. For titles of skipped tests. */
export async function findOpenSearchObstacle(): Promise<string | undefined> {
  if (process.env[SWITCH] === "no") return `${SWITCH} is no`;
  if (!(await isInstalled(findJava("java")))) return "Java is not installed";
  if (existsSync(await findOpenSearchPrograms())) return undefined;
  return (await isInstalled("mvn")) ? "the jars of OpenSearch could not be had" : "Maven is not installed";
}

/** Installs and fetches what is missing and can be had. Never rejects: the tests say in their titles what was missing. */
export async function prepareOpenSearch(
  onProgress: (message: string) => unknown = (message) => process.stderr.write(`opensearch: ${message}\n`),
): Promise<void> {
  if (process.env[SWITCH] === "no") return;
  try {
    const folder = await findOpenSearchPrograms();
    const missing: string[] = [];
    for (const { program, packageName } of NEEDED) {
      if (!(await isInstalled(program === "javac" ? findJava("javac") : program))) missing.push(packageName);
    }
    if (missing.length > 0 && (await findObstacle()) === undefined) await installPackages(missing, { onProgress });
    if (existsSync(folder) || (missing.length > 0 && (await findObstacle()) !== undefined)) return;
    onProgress(`fetching OpenSearch ${findVersion()}`);
    await fetchPrograms(folder);
  } catch (error) {
    onProgress(error instanceof Error ? error.message : String(error));
  }
}

function findVersion(): string {
  return process.env.OPENSEARCH_VERSION ?? "2.19.6";
}

/** Makes the folder beside its place and moves it there whole. */
async function fetchPrograms(folder: string): Promise<void> {
  const sources = join(findRepositoryRoot(), "testing/opensearch");
  await mkdir(dirname(folder), { recursive: true });
  const made = await mkdtemp(`${folder}.`);
  try {
    const jars = [`-DoutputDirectory=${join(made, "lib")}`, "-DincludeScope=runtime"];
    await mustRun("mvn", [
      "-B",
      "-q",
      "-f",
      join(sources, "pom.xml"),
      `-Dopensearch.version=${findVersion()}`,
      COPY_JARS,
      ...jars,
    ]);
    const output = join(made, "classes");
    await mustRun(findJava("javac"), ["-d", output, "-cp", join(made, "lib/*"), join(sources, "TestNode.java")]);
    await rename(made, folder);
  } finally {
    await rm(made, { recursive: true, force: true });
  }
}
