/** Starts a Kubernetes cluster for a test run: etcd, API server, controllers, scheduler and one node, in a network of its own. */
import { spawn } from "node:child_process";
import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { nameClusterGroup } from "../engines/cgroups.ts";
import { wrapInNetwork } from "../engines/private-network.ts";
import { writeClusterImages } from "./cluster-images.ts";
import { findClusterPrograms, findClusterScripts } from "./cluster-programs.ts";

export interface StartedCluster extends AsyncDisposable {
  /** Path of an administrator's kubeconfig. */
  readonly kubeconfig: string;
  close(): Promise<void>;
}

export interface StartClusterOptions {
  /** A folder that is removed with the run; the cluster's own is made below it. */
  readonly directory: string;
  /** The run that the processes and control groups belong to. */
  readonly runName: string;
  /**
   * A process in the network that the cluster becomes part of. Absent: it has no node, and only its control plane runs, on
   * 127.0.0.1.
   */
  readonly network?: number;
  /** Those that run, as `--controllers` of the controller manager has them. Default: all. */
  readonly controllers?: string;
  readonly onProgress: (message: string) => void;
  readonly signal: AbortSignal;
}

/** Milliseconds for its clean end; after that its processes are ended with the run. */
const END_WITHIN_MS = 20_000;

/** @throws {Error} With the end of the logs when it does not become ready; nothing stays behind then. */
export async function startCluster({
  directory,
  runName,
  network,
  controllers,
  onProgress,
  signal,
}: StartClusterOptions): Promise<StartedCluster> {
  const images = join(directory, "i");
  await mkdir(images, { recursive: true });
  if (network !== undefined) onProgress("writing the images of the cluster's node");
  const archives = network === undefined ? [] : await writeClusterImages(images, signal);
  signal.throwIfAborted();
  onProgress("starting a Kubernetes cluster");
  // The kernel ends it when this process is killed.
  const script = [
    "setpriv",
    "--pdeathsig",
    "TERM",
    "bash",
    join(findClusterScripts(), "up.sh"),
    join(directory, "k"),
  ] as const;
  const [program, ...args] = network === undefined ? script : wrapInNetwork(network, script);
  const child = spawn(program, args, {
    stdio: ["ignore", "pipe", "pipe"],
    env: {
      ...process.env,
      KUBE_CACHE: findClusterPrograms(),
      IMAGES: archives.join(" "),
      CGROUP: nameClusterGroup(runName),
      ...(network === undefined && { NODES: "0" }),
      ...(controllers !== undefined && { CONTROLLERS: controllers }),
    },
  });
  const exited = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  const close = async () => {
    if (child.exitCode !== null) return;
    child.kill("SIGTERM");
    const patience = setTimeout(() => child.kill("SIGKILL"), END_WITHIN_MS);
    await exited;
    clearTimeout(patience);
  };
  const complaints: string[] = [];
  createInterface({ input: child.stderr }).on("line", (line) => {
    complaints.push(line);
    if (complaints.length > 40) complaints.shift();
  });
  try {
    const kubeconfig = await new Promise<string>((resolve, reject) => {
      child.once("error", reject);
      child.once("exit", (code) => reject(new Error(`The cluster ended with ${code}:\n${complaints.join("\n")}`)));
      signal.addEventListener("abort", () => reject(signal.reason), { once: true });
      createInterface({ input: child.stdout }).on("line", (line) => {
        const path = /^KUBECONFIG=(.*)$/.exec(line)?.[1];
        if (path !== undefined) resolve(path);
      });
    });
    await rm(images, { recursive: true, force: true });
    onProgress(`a Kubernetes cluster is ready: KUBECONFIG=${kubeconfig}`);
    return { kubeconfig, close, [Symbol.asyncDispose]: close };
  } catch (error) {
    await close();
    throw error;
  }
}
