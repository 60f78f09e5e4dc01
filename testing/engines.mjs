/**
 * Real engines with the test images, in a network of their own: `npm run engines -w @toolhive/testing` prints how to reach
 * them and keeps them until Ctrl-C; `npm run cluster` starts a Kubernetes cluster beside them. `node testing/engines.mjs COMMAND ARGUMENT…` runs a command in their network, where
 * `startEngines` finds them, and ends with its code. `node testing/engines.mjs --install` only installs what they need and prints
 * whose engines the tests will use, `engines: private` or `engines: host`;
 * `--build-newest-docker` only builds the engine that has no package, and `--build-cluster` the Kubernetes of the tests.
 */
import { spawn } from "node:child_process";
import { rm } from "node:fs/promises";
import { basename } from "node:path";
import { build } from "esbuild";

// Of this process alone: several run at once.
const bundle = new URL(`../.cache/testing/engines-${process.pid}.mjs`, import.meta.url);
await build({
  stdin: {
    contents: [
      `export * from "./engines/start-engines.ts";`,
      `export * from "./engines/private-network.ts";`,
      `export { buildNewestDocker } from "./matrix/newest-docker.ts";`,
      `export * from "./windows/prepare-windows.ts";`,
      `export * from "./cluster/wanted-cluster.ts";`,
      `export { fetchHelm } from "./cluster/helm.ts";`,
      `export * from "./cluster/cluster-programs.ts";`,
      `export { prepareBareDebian } from "./bare-debian/bare-debian.ts";`,
    ].join("\n"),
    resolveDir: new URL("src", import.meta.url).pathname,
  },
  bundle: true,
  // A program of its own that has to be where it was installed.
  external: ["esbuild"],
  platform: "node",
  format: "esm",
  target: "node20.19",
  logLevel: "error",
  outfile: bundle.pathname,
});
/** @type {typeof import("./src/engines/start-engines.ts") & typeof import("./src/cluster/cluster-programs.ts") & typeof import("./src/cluster/wanted-cluster.ts") & typeof import("./src/cluster/helm.ts") & typeof import("./src/engines/private-network.ts") & typeof import("./src/matrix/newest-docker.ts") & typeof import("./src/windows/prepare-windows.ts") & typeof import("./src/bare-debian/bare-debian.ts")} */
const {
  startEngines,
  prepareEngines,
  describeStarted,
  wrapInNetwork,
  buildNewestDocker,
  prepareWindows,
  prepareBareDebian,
  buildCluster,
  fetchHelm,
  findClusterObstacle,
  findClusterPrograms,
  offerCluster,
  wantCluster,
} = await import(bundle.href);
await rm(bundle);

if (process.argv[2] === "--install") {
  console.log(`engines: ${await prepareEngines()}`);
  await prepareWindows();
  await prepareBareDebian();
  process.exit();
}
if (process.argv[2] === "--build-cluster") {
  const onProgress = (/** @type {string} */ message) => process.stderr.write(`cluster: ${message}\n`);
  await buildCluster(onProgress);
  await fetchHelm(onProgress);
  process.exit();
}
if (process.argv[2] === "--build-newest-docker") {
  await buildNewestDocker();
  process.exit();
}
const begin = performance.now();
const started = await startEngines();
const { engines, network } = started;
const command = process.argv.slice(2).filter((argument) => argument !== "--cluster");
const { directory } = started;
const endCluster = process.argv.includes("--cluster") ? await startClusterBeside() : async () => undefined;

async function close() {
  await endCluster();
  await started.close();
}

/** @returns Ends it. */
async function startClusterBeside() {
  const obstacle = await findClusterObstacle();
  if (obstacle !== undefined || directory === undefined || network === undefined) {
    await started.close();
    console.error(`No Kubernetes cluster can be started here: ${obstacle ?? "the engines are this machine's"}.`);
    process.exit(1);
  }
  const onProgress = (/** @type {string} */ message) => process.stderr.write(`cluster: ${message}\n`);
  const end = await offerCluster({ directory, runName: basename(directory), network, onProgress });
  const kubeconfig = await wantCluster(directory);
  const kubectl = `${findClusterPrograms()}/kube kubectl`;
  console.log(`\n  export KUBECONFIG=${kubeconfig}\n  alias kubectl="${kubectl}"  # in a shell in their network`);
  return end;
}
if (command.length === 0) {
  console.log(
    `Ready after ${((performance.now() - begin) / 1000).toFixed(1)} s. Ctrl-C ends them. In another terminal:\n`,
  );
  // Servers' ports are there only.
  if (network !== undefined) console.log(`  ${wrapInNetwork(network, ["bash"]).join(" ")}  # a shell in their network`);
  for (const { kind, host } of engines) console.log(`  export DOCKER_HOST=${host}  # ${kind}`);
  for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, close);
} else {
  const [program, ...args] = network === undefined ? command : wrapInNetwork(network, command);
  const child = spawn(program, args, { stdio: "inherit", env: { ...process.env, ...describeStarted(started) } });
  // Ctrl-C reaches it as well; the engines go when it is gone.
  for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => child.kill(signal));
  child.once("exit", async (code) => {
    await close();
    process.exitCode = code ?? 1;
  });
}
