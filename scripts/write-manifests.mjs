/**
 * `node scripts/write-manifests.mjs`: writes what of `deploy` is made from something else: the definitions of the kinds from
 * their schemas, and the plain manifests from the chart, with Helm. With `--check` it writes nothing and fails when a file differs.
 */
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { loadSource } from "./release/load-source.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const isCheck = process.argv.includes("--check");
/** As the tests fetch it, see testing/src/cluster/helm.ts. */
const helm =
  process.env.HELM ?? join(process.env.XDG_CACHE_HOME ?? join(homedir(), ".cache"), "toolhive-tests/helm-4.1.4");

/** @returns {string} The chart with its defaults, without the marks of Helm. */
function renderOperator() {
  const chart = join(root, "deploy/charts/toolhive-operator");
  const text = execFileSync(helm, ["template", "toolhive-operator", chart, "--namespace", "toolhive-system"], {
    encoding: "utf8",
  });
  const lines = text
    .split("\n")
    .filter((line) => !/^\s+(helm\.sh\/chart|app\.kubernetes\.io\/managed-by): /.test(line));
  return `# Written by scripts/write-manifests.mjs from deploy/charts/toolhive-operator.\n${lines.join("\n")}`;
}

const { createCrds, printCrd } = loadSource("operator/src/contract/crd.ts");
const files = {
  ...Object.fromEntries(
    Object.entries(createCrds()).map(([plural, definition]) => [
      `deploy/charts/toolhive-operator-crds/files/${plural}.yaml`,
      () => printCrd(definition),
    ]),
  ),
  ...(existsSync(helm) && { "deploy/kustomize/operator.yaml": renderOperator }),
};
if (!existsSync(helm)) console.log(`Without Helm (${helm}, or HELM) deploy/kustomize/operator.yaml is left alone.`);
for (const [path, make] of Object.entries(files)) {
  const file = join(root, path);
  const wanted = make();
  // Not there yet is as different as any other content.
  const current = existsSync(file) ? readFileSync(file, "utf8") : "";
  if (current === wanted) console.log(`${path} is up to date.`);
  else if (isCheck) {
    console.error(`${path} is out of date. Write it: node scripts/write-manifests.mjs`);
    process.exitCode = 1;
  } else {
    writeFileSync(file, wanted);
    console.log(`${path} written.`);
  }
}
