/** A reconciler on a test cluster, for one namespace. */
import type { Logger } from "@toolhive/core";
import { type TestCluster, type TestNamespace, THV_IMAGE, waitFor } from "@toolhive/testing";
import { ClusterClient } from "../cluster/index.ts";
import { createCrds, printCrd } from "../contract/crd.ts";
import type { Condition, MCPServer } from "../contract/index.ts";
import type { OperatorSettings } from "../desired/index.ts";
import { Reconciler } from "../reconcile/index.ts";

export const ECHO_IMAGE = "docker.io/toolhive-test/echo:test";

/** The definitions of all kinds become known to the cluster. */
export async function installCrd(cluster: TestCluster): Promise<void> {
  const apply = ["apply", "--server-side", "--force-conflicts", "--filename", "-"];
  const definitions = createCrds();
  const input = Object.values(definitions).map(printCrd).join("---\n");
  const { code, stderr } = await cluster.kubectl(apply, { input });
  if (code !== 0) throw new Error(stderr);
  await waitFor(
    async () => (await cluster.kubectl(["get", Object.keys(definitions).join(), "--all-namespaces"])).code === 0,
    {
      what: "MCPServers to be known",
    },
  );
}

/** @returns The manifest of an MCPServer on stdio, the given members in it. */
export function createServerManifest(name: string, spec: Partial<MCPServer["spec"]> = {}) {
  return {
    apiVersion: "toolhive.stacklok.dev/v1alpha1",
    kind: "MCPServer",
    metadata: { name },
    spec: { image: ECHO_IMAGE, ...spec },
  };
}

export class TestOperator implements AsyncDisposable {
  readonly client: ClusterClient;
  readonly reconciler: Reconciler;
  /** Method and path of each request so far that was to change something. */
  readonly written: string[] = [];
  readonly #stop = new AbortController();
  readonly #running: Promise<unknown>;

  private constructor(client: ClusterClient, reconciler: Reconciler) {
    this.client = client;
    this.reconciler = reconciler;
    const send = client.send.bind(client);
    client.send = async (call) => {
      if ((call.method ?? "GET") !== "GET") this.written.push(`${call.method} ${call.path}`);
      return await send(call);
    };
    const { signal } = this.#stop;
    this.#running = Promise.all([reconciler.follow(signal), reconciler.work(signal)]);
  }

  /**
   * @param options.connectionIdleMs As {@link ClusterClient.load} has it.
   * @param options.idleAfterMs Stands for every `spec.idle.after`, whose least is a minute.
   */
  static async start(
    cluster: Pick<TestCluster, "kubeconfig">,
    namespaces: readonly string[],
    settings: Partial<OperatorSettings> = {},
    { connectionIdleMs, idleAfterMs }: { readonly connectionIdleMs?: number; readonly idleAfterMs?: number } = {},
  ): Promise<TestOperator> {
    const client = ClusterClient.load(cluster.kubeconfig, connectionIdleMs);
    const log: Logger = { error: ignore, warn: ignore, info: ignore, debug: ignore };
    const all = {
      runnerImage: THV_IMAGE,
      sidecarImage: THV_IMAGE,
      proxyHost: "0.0.0.0",
      closedNetworks: [],
      ...settings,
    };
    const shorter = idleAfterMs === undefined ? {} : { readAfterMs: () => idleAfterMs };
    const reconciler = new Reconciler({ client, namespaces, settings: all, log, instance: "test", ...shorter });
    const operator = new TestOperator(client, reconciler);
    await operator.untilAtRest();
    return operator;
  }

  /** Until everything is known and nothing waits to be compared. */
  async untilAtRest(): Promise<void> {
    const { reconciler } = this;
    await waitFor(() => reconciler.isSynced && reconciler.counts.queued === 0, { what: "the operator to be at rest" });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.#running;
    this.client.close();
  }
}

function ignore(): void {
  // Tests observe what the operator does.
}

/** @returns The object, by default an MCPServer, once a condition has that reason for its newest generation. */
export async function untilCondition(
  space: TestNamespace,
  name: string,
  type: Condition["type"],
  reason: string,
  { plural = "mcpserver", deployment = name }: { readonly plural?: string; readonly deployment?: string } = {},
): Promise<MCPServer> {
  let last: Condition | undefined;
  const look = async () => {
    const server: MCPServer | undefined = await space.get(`${plural}/${name}`);
    last = server?.status?.conditions?.find((condition) => condition.type === type);
    return last?.reason === reason && last.observedGeneration === server?.metadata.generation ? server : undefined;
  };
  try {
    return await waitFor(look, { what: `${type} of ${name} to be ${reason}`, deadlineMs: 90_000, intervalMs: 200 });
  } catch (error) {
    const log = await space.kubectl("logs", `deployment/${deployment}`, "--tail=20").catch(String);
    throw new Error(`${type} of ${name} is not ${reason} but ${JSON.stringify(last)}\n${log}`, { cause: error });
  }
}
