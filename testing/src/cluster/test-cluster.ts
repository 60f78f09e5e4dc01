/** The cluster of this test run, inside a test file. */
import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { beforeAll, describe, inject, test } from "vitest";
import { type CommandResult, runCommand } from "../command.ts";
import { waitFor } from "../wait-for.ts";
import { findClusterPrograms } from "./cluster-programs.ts";
import { wantCluster } from "./wanted-cluster.ts";
import "../global-setup.ts";

// biome-ignore lint/suspicious/noExplicitAny: objects of a cluster have any form.
type ClusterObject = any;

export interface TestNamespace extends AsyncDisposable {
  readonly name: string;
  /** `kubectl` in this namespace. @throws {Error} For an exit code other than 0. */
  kubectl(...args: string[]): Promise<string>;
  /** Applies objects or YAML. @throws {Error} When the API server refuses them. */
  apply(manifest: string | object): Promise<string>;
  /** @param what For example `pod/echo`. @returns `undefined` when it does not exist. */
  get(what: string): Promise<ClusterObject | undefined>;
}

export class TestCluster {
  /** Path of an administrator's kubeconfig. */
  kubeconfig = "";

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

  get #env() {
    return { ...process.env, KUBECONFIG: this.kubeconfig };
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
    await must(["create", "namespace", name]);
    // Pods are refused until the controller has made it.
    await waitFor(
      async () => (await this.kubectl(["get", "serviceaccount", "default", "--namespace", name])).code === 0,
      { what: `the default service account of ${name}` },
    );
    return {
      name,
      kubectl: async (...args) => await must(["--namespace", name, ...args]),
      apply: async (manifest) => {
        const input = typeof manifest === "string" ? manifest : JSON.stringify(manifest);
        return await must(["--namespace", name, "apply", "--filename", "-"], input);
      },
      get: async (what) => {
        const args = ["--namespace", name, "get", what, "--ignore-not-found", "--output", "json"];
        const text = await must(args);
        return text.trim() === "" ? undefined : JSON.parse(text);
      },
      [Symbol.asyncDispose]: async () => {
        await must(["delete", "namespace", name, "--wait=false"]);
      },
    };
  }
}

/** A suite on the run's cluster, or a skipped one, with the reason. */
export function describeCluster(title: string, body: (cluster: TestCluster) => void): void {
  const obstacle = inject("clusterObstacle");
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
