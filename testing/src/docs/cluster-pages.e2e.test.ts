/**
 * Runs the commands of the pages about Kubernetes on a real cluster, as a reader has it: empty, or with the operator installed.
 * `UPDATE_DOCS=1` writes what they print into the output blocks that differ or are missing.
 */
import { chmod, mkdir, readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { findClusterPrograms } from "../cluster/cluster-programs.ts";
import { findHelm, findHelmObstacle } from "../cluster/helm.ts";
import { startImageRegistry } from "../cluster/image-registry.ts";
import { describeCluster, type TestCluster } from "../cluster/test-cluster.ts";
import { requireThv } from "../run-thv.ts";
import { ThrowawayHome } from "../throwaway-home.ts";
import { waitFor } from "../wait-for.ts";
import { listPages, ROOT } from "./pages.ts";
import { parsePage } from "./parse-page.ts";
import { runPage } from "./run-page.ts";

const pages = await Promise.all(
  (await listPages()).map(async (page) => ({ page, source: await readFile(join(ROOT, page), "utf8") })),
);
const executable = pages.filter(({ source }) => parsePage(source).steps.some(({ place }) => place === "cluster"));

/** A page's commands wait for pods that start and end. */
const PAGE_TIMEOUT_MS = 600_000;
const SYSTEM = "toolhive-system";
/** Namespaces that a page's values name. */
const TEAMS = ["team-a", "team-b"];
const INSTALLS = "helm upgrade --install toolhive-operator ";
const SET_UP = [
  "helm upgrade --install toolhive-operator-crds deploy/charts/toolhive-operator-crds",
  `${INSTALLS}deploy/charts/toolhive-operator --namespace ${SYSTEM} --create-namespace --wait`,
].join("\n");

describeCluster(
  "the commands on a cluster",
  (cluster) => {
    test.each(executable)(
      "of $page do what the page says",
      async ({ page, source }) => {
        requireThv();
        await using home = await ThrowawayHome.create();
        await using space = await cluster.createNamespace("page");
        await using _registry = await startImageRegistry(cluster.kubeconfig, await findMachine(cluster));
        await removeOperator(cluster);
        const env = await openEnvironment(cluster, home, space.name);
        await symlink(join(ROOT, "deploy"), join(home.workDirectory, "deploy"));
        // Those of the page before may still be ending, in which nothing can be made.
        await cluster.kubectl(["delete", "namespace", ...TEAMS, "--ignore-not-found", "--timeout=120s"]);
        for (const name of TEAMS) await cluster.kubectl(["create", "namespace", name]);
        try {
          const isInstalled = source.includes(INSTALLS);
          const setUp = isInstalled ? "" : `\`\`\`bash run=cluster hidden\n${SET_UP}\n\`\`\`\n`;

          const result = await runPage(`${setUp}${source}`, {
            cwd: home.workDirectory,
            env,
            place: "cluster",
            aliases: new Map([
              [home.path, "~"],
              [space.name, "default"],
            ]),
            isRecording: process.env.UPDATE_DOCS === "1",
          });
          const shown = result.source.slice(setUp.length);
          if (shown !== source) await writeFile(join(ROOT, page), shown);

          expect(result.failures.join("\n\n")).toBe("");
        } finally {
          await removeOperator(cluster);
          for (const name of [...TEAMS, SYSTEM]) {
            await cluster.kubectl(["delete", "namespace", name, "--ignore-not-found", "--wait=false"]);
          }
        }
      },
      PAGE_TIMEOUT_MS,
    );
  },
  findHelmObstacle(),
);

/** The address of the machine that the nodes reach, which is the API server's. */
async function findMachine(cluster: TestCluster): Promise<string> {
  const { stdout } = await cluster.kubectl(["config", "view", "--output", "jsonpath={.clusters[0].cluster.server}"]);
  return new URL(stdout).hostname;
}

/** Pages begin on a cluster that has nothing of it; other tests leave the definitions behind. */
async function removeOperator(cluster: TestCluster): Promise<void> {
  const { stdout } = await cluster.kubectl(["get", "customresourcedefinitions", "--output", "name"]);
  const definitions = stdout.split("\n").filter((name) => name.endsWith(".toolhive.stacklok.dev"));
  if (definitions.length > 0) await cluster.kubectl(["delete", ...definitions, "--ignore-not-found"]);
  await cluster.kubectl(["delete", "namespace", SYSTEM, "--ignore-not-found", "--timeout=60s"]);
  const roles = ["clusterrole,clusterrolebinding", "--selector=app.kubernetes.io/managed-by=Helm"];
  await cluster.kubectl(["delete", ...roles, "--ignore-not-found"]);
  const isGone = async () => (await cluster.kubectl(["get", "namespace", SYSTEM])).code !== 0;
  await waitFor(isGone, { what: `the namespace ${SYSTEM} to be gone`, deadlineMs: 60_000 });
}

/** What a reader has: kubectl and Helm by their names, and a context with a namespace. */
async function openEnvironment(cluster: TestCluster, home: ThrowawayHome, namespace: string) {
  const bin = join(home.path, "bin");
  await mkdir(bin, { recursive: true });
  const write = async (name: string, command: string) => {
    await writeFile(join(bin, name), `#!/bin/sh\nexec ${command} "$@"\n`);
    await chmod(join(bin, name), 0o755);
  };
  const own = process.env.TOOLHIVE_TEST_KUBECONFIG !== undefined;
  if (!own) await write("kubectl", `${join(findClusterPrograms(), "kube")} kubectl`);
  await write("helm", findHelm());
  const config = join(home.path, "kubeconfig");
  await writeFile(config, await readFile(cluster.kubeconfig, "utf8"), { mode: 0o600 });
  await cluster.kubectl(["--kubeconfig", config, "config", "set-context", "--current", `--namespace=${namespace}`]);
  return { ...home.env(), TERM: "dumb", KUBECONFIG: config };
}
