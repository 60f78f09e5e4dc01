/** The cluster of this test run, inside a test file. */
import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { generateKeyPairSync, randomBytes } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { beforeAll, describe, inject, test } from "vitest";
import { type CommandResult, runCommand } from "../command.ts";
import { listProcessIds, readCommandLine } from "../engines/processes.ts";
import { waitFor } from "../wait-for.ts";
import { findClusterPrograms } from "./cluster-programs.ts";
import { type ClusterObject, ClusterReader } from "./cluster-reader.ts";
import { wantCluster } from "./wanted-cluster.ts";
import "../global-setup.ts";

export interface TestNamespace extends AsyncDisposable {
  readonly name: string;
  /** `kubectl` in this namespace. @throws {Error} For an exit code other than 0. */
  kubectl(...args: string[]): Promise<string>;
  /** Applies objects or YAML. @throws {Error} When the API server refuses them. */
  apply(manifest: string | object): Promise<string>;
  /** @param what For example `pod/echo`. @returns `undefined` when it does not exist. */
  get(what: string): Promise<ClusterObject | undefined>;
  /** @param kind For example `pod`. @param selector Of labels. Default: all. */
  list(kind: string, selector?: string): Promise<ClusterObject[]>;
}

export class TestCluster {
  /** Path of an administrator's kubeconfig. */
  kubeconfig = "";
  #reader: ClusterReader | undefined;

  /** Any exit code is a result. */
  async kubectl(args: readonly string[], options: { readonly input?: string } = {}): Promise<CommandResult> {
    const [program, ...leading] = this.#kubectl;
    return await runCommand(program, [...leading, ...args], { env: this.#env, ...options });
  }

  /** One that goes on; the caller ends it. */
  spawnKubectl(args: readonly string[]): ChildProcessWithoutNullStreams {
    const [program, ...leading] = this.#kubectl;
    return spawn(program, [...leading, ...args], { env: this.#env });
  }

  /**
   * Ends a component of the control plane or of the node as SIGKILL does; it is started again. Of somebody's own cluster nothing
   * can be killed: such tests are skipped there.
   *
   * @throws {Error} When it does not run.
   */
  async killComponent(component: "etcd" | "kube-apiserver" | "kubelet"): Promise<void> {
    const folder = dirname(dirname(this.kubeconfig));
    await killProcesses(component, async (pid) => {
      const line = await readCommandLine(pid);
      return line.startsWith(`${join(findClusterPrograms(), "kube")} ${component} `) && line.includes(`=${folder}/`);
    });
  }

  /** The key that signs tokens of service accounts, as PEM. A cluster of your own does not reveal it. */
  async readTokenKey(): Promise<string> {
    return await readFile(this.#tokenKeyFile, "utf8");
  }

  /** Signs tokens of service accounts with a new key from now on; those of the old one stay good. */
  async rotateTokenKey(): Promise<void> {
    const old = await this.readTokenKey();
    const { privateKey } = generateKeyPairSync("ec", { namedCurve: "prime256v1" });
    // The first key of the file signs, and all of them are known.
    await writeFile(this.#tokenKeyFile, `${privateKey.export({ type: "sec1", format: "pem" })}${old}`);
    await this.killComponent("kube-apiserver");
    const count = async () => {
      const { stdout } = await this.kubectl(["get", "--raw", "/openid/v1/jwks"]);
      return (JSON.parse(stdout).keys as unknown[]).length;
    };
    const wanted = old.split("BEGIN EC PRIVATE KEY").length;
    await waitFor(async () => (await count()) === wanted, { what: "the API server to know the new key" });
  }

  /** One for the suite. */
  async #openReader(): Promise<ClusterReader> {
    if (this.#reader !== undefined) return this.#reader;
    const args = ["config", "view", "--raw", "--flatten", "--minify", "--output=json"];
    const { code, stdout, stderr } = await this.kubectl(args);
    if (code !== 0) throw new Error(`kubectl ${args.join(" ")}: ${stderr.trim()}`);
    this.#reader = new ClusterReader(stdout);
    return this.#reader;
  }

  get #tokenKeyFile(): string {
    return join(dirname(dirname(this.kubeconfig)), "pki/service-account.key");
  }

  /** Ends the processes of a container as SIGKILL does. @param pod As `kubectl get` has it. */
  async killContainer(pod: ClusterObject, container: string): Promise<void> {
    const { initContainerStatuses = [], containerStatuses = [] } = pod.status;
    const all: ClusterObject[] = [...initContainerStatuses, ...containerStatuses];
    const id = all.find(({ name }) => name === container)?.containerID?.replace(/^.*:\/\//, "");
    if (!id) throw new Error(`Pod ${pod.metadata.name} has no container "${container}" that was started.`);
    await killProcesses(`container ${container}`, async (pid) => {
      return (await readFile(`/proc/${pid}/cgroup`, "utf8").catch(() => "")).includes(id);
    });
  }

  get #env() {
    // A third of what a short `kubectl` computes is collecting garbage, and it ends before there is much.
    return { ...process.env, KUBECONFIG: this.kubeconfig, GOGC: "off", GOMEMLIMIT: "512MiB" };
  }

  get #kubectl(): readonly [string, ...string[]] {
    const isOnesOwn = process.env.TOOLHIVE_TEST_KUBECONFIG !== undefined;
    return isOnesOwn ? ["kubectl"] : [join(findClusterPrograms(), "kube"), "kubectl"];
  }

  /** A namespace that is gone, with all that is in it, when the test ends. */
  async createNamespace(prefix = "test"): Promise<TestNamespace> {
    const name = `${prefix}-${randomBytes(4).toString("hex")}`;
    const must = async (args: readonly string[], input?: string) => {
      const { code, stdout, stderr } = await this.kubectl(args, input === undefined ? {} : { input });
      if (code !== 0) throw new Error(`kubectl ${args.join(" ")}: ${stderr.trim() || stdout.trim()}`);
      return stdout;
    };
    const reader = await this.#openReader();
    await reader.createNamespace(name);
    // Pods are refused until the controller has made it.
    await waitFor(() => reader.get(name, "serviceaccount", "default"), {
      what: `the default service account of ${name}`,
    });
    return {
      name,
      kubectl: async (...args) => await must(["--namespace", name, ...args]),
      apply: async (manifest) => {
        const input = typeof manifest === "string" ? manifest : JSON.stringify(manifest);
        return await must(["--namespace", name, "apply", "--filename", "-"], input);
      },
      get: async (what) => {
        const [kind = "", object = ""] = what.split("/");
        return await reader.get(name, kind, object);
      },
      list: async (kind, selector) => await reader.list(name, kind, selector),
      [Symbol.asyncDispose]: async () => await reader.deleteNamespace(name),
    };
  }
}

async function killProcesses(what: string, matches: (pid: number) => Promise<boolean>): Promise<void> {
  const found: number[] = [];
  for (const pid of await listProcessIds()) if (await matches(pid)) found.push(pid);
  if (found.length === 0) throw new Error(`There is no process of ${what}.`);
  for (const pid of found) process.kill(pid, "SIGKILL");
}

/**
 * A suite on the run's cluster, or a skipped one, with the reason.
 *
 * @param other Why the suite cannot be run even with a cluster. Default: it can.
 */
export function describeCluster(title: string, body: (cluster: TestCluster) => void, other?: string): void {
  const obstacle = inject("clusterObstacle") ?? other;
  if (obstacle !== undefined) {
    describe.skipIf(true)(`${title} (skipped: ${obstacle})`, () => {
      test("needs a Kubernetes cluster", () => undefined);
    });
    return;
  }
  describe(title, () => {
    const cluster = new TestCluster();
    beforeAll(async () => {
      cluster.kubeconfig = process.env.TOOLHIVE_TEST_KUBECONFIG ?? (await wantCluster(inject("runDirectory")));
    });
    body(cluster);
  });
}
