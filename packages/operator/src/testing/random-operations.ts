/** Operations on MCPServers and on what runs them, drawn from a seed, and what has to hold after any of them. */
import { setTimeout as delay } from "node:timers/promises";
import { type TestCluster, type TestNamespace, THV_IMAGE, waitFor } from "@toolhive/testing";
import { type JsonObject, KIND, type MCPServer, type MCPServerSpec, nameObjects } from "../contract/index.ts";
import { buildPart, OWNED_KINDS, PARTS } from "../desired/index.ts";
import { McpCaller } from "./mcp-caller.ts";
import { OperatorProcess } from "./operator-process.ts";
import { createContext } from "./servers.ts";
import { createServerManifest, ECHO_IMAGE } from "./test-operator.ts";

const NAMES = ["ant", "bee", "cat", "dog", "emu"];
/** Pods cost processor time: more would only make each run longer. */
const MAX_SERVERS = 4;
const OWNED_PLURALS = Object.values(OWNED_KINDS).map(({ plural }) => plural);
const SECRET = "shared";
const NO_IMAGE = "127.0.0.1:9/no:1";
/** Milliseconds between two operations at most. */
const MAX_PAUSE_MS = 400;
const RETRY = { deadlineMs: 60_000, intervalMs: 250 };
const SETTLE = { deadlineMs: 180_000, intervalMs: 500 };

type Draw = <T>(items: readonly [T, ...T[]]) => T;

/** @returns Numbers from 0 to below 1, the same for the same seed (mulberry32). */
function createRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

export class RandomOperations implements AsyncDisposable {
  readonly #cluster: TestCluster;
  readonly #space: TestNamespace;
  readonly #random: () => number;
  readonly #seed: number;
  /** The MCPServers that exist, as they were declared. */
  readonly #specs = new Map<string, Partial<MCPServerSpec>>();
  #hasSecret = false;
  #operator: OperatorProcess | undefined;
  /** What was done, the oldest first. */
  readonly journal: string[] = [];

  constructor(cluster: TestCluster, space: TestNamespace, seed: number) {
    this.#cluster = cluster;
    this.#space = space;
    this.#random = createRandom(seed);
    this.#seed = seed;
  }

  /** @throws {Error} With the seed and the last operations. */
  async run(count: number, checkEvery: number): Promise<void> {
    try {
      await this.#startOperator();
      for (let done = 1; done <= count; done += 1) {
        await this.#operate();
        if (done % checkEvery === 0 || done === count) await this.#check();
        else await delay(this.#random() * MAX_PAUSE_MS);
      }
      for (const name of this.#specs.keys()) await this.#kubectl("delete", "mcpserver", name, "--wait=false");
      this.#specs.clear();
      await this.#untilOnlyDesired();
    } catch (error) {
      const last = this.journal.slice(-30).join("\n  ");
      const next = `OPERATOR_SEED=${this.#seed} repeats it`;
      throw new Error(`${error instanceof Error ? error.message : error}\n${next}. Before:\n  ${last}`, {
        cause: error,
      });
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#operator?.end();
  }

  async #operate(): Promise<void> {
    const name = this.#draw(NAMES as [string, ...string[]]);
    const spec = this.#specs.get(name);
    if (spec === undefined) return this.#specs.size < MAX_SERVERS ? await this.#create(name) : undefined;
    const operations: readonly [number, () => Promise<void>][] = [
      [6, () => this.#change(name, spec)],
      [2, () => this.#remove(name)],
      [1, () => this.#remove(name).then(() => this.#create(name))],
      [4, () => this.#removeOwned(name)],
      [3, () => this.#spoilOwned(name)],
      [2, () => this.#changeSecret()],
      [1, () => this.#removePod(name)],
      [2, () => this.#killContainer(name)],
      [1, () => this.#killOperator()],
      [1, () => this.#killComponent()],
    ];
    let left = this.#random() * operations.reduce((sum, [weight]) => sum + weight, 0);
    for (const [weight, operation] of operations) {
      left -= weight;
      if (left < 0) return await operation();
    }
  }

  #draw: Draw = (items) => items[Math.floor(this.#random() * items.length)] ?? items[0];

  /** While the API server is away, it is asked again. */
  async #kubectl(...args: string[]): Promise<string> {
    return await this.#persist(args.join(" "), () => this.#space.kubectl(...args));
  }

  async #persist<T>(what: string, action: () => Promise<T>): Promise<T> {
    const result = await waitFor(async () => ({ value: await action() }), { ...RETRY, what });
    return result.value;
  }

  async #write(name: string, spec: Partial<MCPServerSpec>): Promise<void> {
    this.#specs.set(name, spec);
    this.journal.push(`${name} is ${JSON.stringify(spec)}`);
    await this.#persist(`${name} to be written`, () => this.#space.apply(createServerManifest(name, spec)));
  }

  async #create(name: string): Promise<void> {
    const transport = this.#draw(["stdio", "streamable-http"] as const);
    await this.#write(name, { transport, ...this.#drawChange() });
  }

  async #change(name: string, spec: Partial<MCPServerSpec>): Promise<void> {
    await this.#write(name, { ...spec, ...this.#drawChange() });
  }

  #drawChange(): Partial<MCPServerSpec> {
    const number = 8_000 + Math.floor(this.#random() * 1_000);
    return this.#draw<Partial<MCPServerSpec>>([
      { port: number },
      { args: [`--x=${number}`] },
      { env: [{ name: "N", value: String(number) }] },
      { tools: ["echo"] },
      { replicas: 0 },
      { replicas: 1 },
      { proxyReplicas: 0 },
      { proxyReplicas: 1 },
      { image: NO_IMAGE },
      { image: ECHO_IMAGE },
      { image: ECHO_IMAGE, replicas: 1, proxyReplicas: 1 },
      { transport: "stdio" },
      { transport: "streamable-http" },
      { secrets: [{ name: SECRET, key: "k" }] },
      { secrets: [] },
      { permissionProfile: { type: "builtin", name: this.#draw(["none", "network"] as const) } },
      { authzConfig: { type: "inline", inline: { policies: ["permit(principal, action, resource);"] } } },
      { resourceOverrides: { proxyDeployment: { labels: { n: String(number) } } } },
      { podTemplateSpec: { metadata: { annotations: { n: String(number) } } } },
    ]);
  }

  async #remove(name: string): Promise<void> {
    this.journal.push(`${name} is deleted`);
    this.#specs.delete(name);
    await this.#kubectl("delete", "mcpserver", name, "--wait=false", "--ignore-not-found");
  }

  async #removeOwned(name: string): Promise<void> {
    const found = (await this.#listOwned()).filter(({ metadata }) => metadata.ownerReferences?.[0]?.name === name);
    const [first, ...more] = found;
    if (first === undefined) return;
    const { kind, metadata } = this.#draw([first, ...more]);
    this.journal.push(`${kind} ${metadata.name} is deleted`);
    await this.#kubectl("delete", kind, metadata.name, "--wait=false", "--ignore-not-found");
  }

  async #spoilOwned(name: string): Promise<void> {
    const { deployment, proxyService, proxyAccount, runnerConfig, statefulSet } = nameObjects({
      kind: KIND,
      metadata: { name },
    });
    const merge = (what: string, patch: object) => ["patch", what, "--type=merge", `--patch=${JSON.stringify(patch)}`];
    const args = this.#draw([
      ["scale", `deployment/${deployment}`, "--replicas=2"],
      ["scale", `statefulset/${statefulSet}`, "--replicas=0"],
      ["label", `service/${proxyService}`, "app.kubernetes.io/managed-by-"],
      ["annotate", `deployment/${deployment}`, "somebody=else", "--overwrite"],
      merge(`statefulset/${statefulSet}`, { metadata: { ownerReferences: null } }),
      merge(`configmap/${runnerConfig}`, { data: { "runner.json": "{}" } }),
      merge(`serviceaccount/${proxyAccount}`, { metadata: { labels: { "app.kubernetes.io/managed-by": "me" } } }),
    ]);
    this.journal.push(args.join(" "));
    // It may not be there now.
    await this.#space.kubectl(...args).catch(() => undefined);
  }

  async #changeSecret(): Promise<void> {
    const value = String(Math.floor(this.#random() * 1_000));
    if (this.#hasSecret && this.#random() < 0.4) {
      this.#hasSecret = false;
      this.journal.push("the Secret is deleted");
      await this.#kubectl("delete", "secret", SECRET, "--ignore-not-found");
      return;
    }
    this.#hasSecret = true;
    this.journal.push(`the Secret is ${value}`);
    const secret = { apiVersion: "v1", kind: "Secret", metadata: { name: SECRET }, stringData: { k: value } };
    await this.#persist("the Secret", () => this.#space.apply(secret));
  }

  async #listPods(selector = "toolhive=true"): Promise<JsonObject[]> {
    return JSON.parse(await this.#kubectl("get", "pods", `--selector=${selector}`, "--output=json")).items;
  }

  async #removePod(name: string): Promise<void> {
    const [pod] = await this.#listPods(`app=${name}`);
    if (pod === undefined) return;
    this.journal.push(`pod ${pod.metadata.name} is deleted`);
    await this.#kubectl("delete", "pod", pod.metadata.name, "--wait=false", "--ignore-not-found");
  }

  async #killContainer(name: string): Promise<void> {
    const isServer = this.#random() < 0.5;
    const [pod] = await this.#listPods(isServer ? `app=${name}` : `toolhive-name=${name}`);
    const container = isServer ? "mcp" : "toolhive";
    const status = pod?.status.containerStatuses?.find((each: JsonObject) => each.name === container);
    // Once only: the kubelet lets one that ends again and again wait for minutes.
    if (pod === undefined || status?.state.running === undefined || status.restartCount > 0) return;
    this.journal.push(`container ${container} of ${pod.metadata.name} is killed`);
    // It may have ended meanwhile.
    await this.#cluster.killContainer(pod, container).catch(() => undefined);
  }

  async #killOperator(): Promise<void> {
    this.journal.push("the operator is killed");
    this.#assertOperatorRuns();
    await this.#operator?.end("SIGKILL");
    await this.#startOperator();
  }

  async #killComponent(): Promise<void> {
    const component = this.#draw(["kubelet", "kube-apiserver", "etcd"] as const);
    this.journal.push(`${component} is killed`);
    await this.#persist(`${component} to run`, () => this.#cluster.killComponent(component).then(() => true));
  }

  async #startOperator(): Promise<void> {
    this.#operator = await OperatorProcess.start({
      kubeconfig: this.#cluster.kubeconfig,
      namespace: this.#space.name,
      watched: [this.#space.name],
      env: { TOOLHIVE_RUNNER_IMAGE: THV_IMAGE, THV_LOG_LEVEL: "error" },
    });
  }

  #assertOperatorRuns(): void {
    if (this.#operator?.isRunning !== true) throw new Error("The operator has ended by itself.");
  }

  /** Everything that has to hold once nothing is done any more. */
  async #check(): Promise<void> {
    this.journal.push("-- check");
    this.#assertOperatorRuns();
    await this.#untilOperatorRests();
    for (const [name, spec] of this.#specs) await this.#untilAsExpected(name, spec);
    await this.#untilOnlyDesired();
    await this.#assertRest();
    for (const name of this.#specs.keys()) await this.#untilServed(name);
  }

  /** Its conditions say what its specification leads to, all of them about its newest form. */
  async #untilAsExpected(name: string, spec: Partial<MCPServerSpec>): Promise<void> {
    const isWithoutSecret = (spec.secrets?.length ?? 0) > 0 && !this.#hasSecret;
    const isScaledDown = spec.replicas === 0 || spec.proxyReplicas === 0;
    const reasons = [
      ...(isWithoutSecret ? ["SecretMissing"] : []),
      ...(spec.image === NO_IMAGE ? ["ImagePullBackOff"] : []),
      ...(isScaledDown ? ["ScaledToZero"] : []),
    ];
    const expected = reasons.length === 0 ? ["Running"] : reasons;
    let server: MCPServer | undefined;
    const look = async () => {
      server = await this.#space.get(`mcpserver/${name}`);
      const { generation } = server?.metadata ?? {};
      const { conditions = [], observedGeneration } = server?.status ?? {};
      const ready = conditions.find(({ type }) => type === "Ready");
      const isCurrent = [observedGeneration, ...conditions.map((each) => each.observedGeneration)];
      return expected.includes(ready?.reason ?? "") && isCurrent.every((each) => each === generation);
    };
    await waitFor(look, { ...SETTLE, what: `${name} to be ${expected.join(" or ")}` }).catch((error) => {
      throw new Error(`${error.message} It is ${JSON.stringify(server?.status)}, ${JSON.stringify(server?.spec)}`);
    });
  }

  async #listOwned(): Promise<JsonObject[]> {
    const text = await this.#kubectl("get", OWNED_PLURALS.join(), "--output=json");
    const items: JsonObject[] = JSON.parse(text).items;
    return items.filter(({ metadata: { labels = {}, ownerReferences = [] } }) => {
      const isLabelled = labels["app.kubernetes.io/managed-by"] === "toolhive-operator" || labels.toolhive === "true";
      return isLabelled || ownerReferences.some(({ kind }: JsonObject) => kind === "MCPServer");
    });
  }

  /** Every object belongs to an MCPServer that exists, and each MCPServer has all that it declares. */
  async #untilOnlyDesired(): Promise<void> {
    let left = "";
    const look = async () => {
      const servers: MCPServer[] = JSON.parse(await this.#kubectl("get", "mcpservers", "--output=json")).items;
      const wanted = servers.flatMap((server) =>
        PARTS.map((part) => buildPart(part, createContext(server.spec, { metadata: server.metadata }))).flatMap(
          (each) => (each === undefined ? [] : [`${each.kind}/${each.metadata.name} of ${server.metadata.uid}`]),
        ),
      );
      const found = (await this.#listOwned()).map(
        ({ kind, metadata }) => `${kind}/${metadata.name} of ${metadata.ownerReferences?.[0]?.uid}`,
      );
      const pods = (await this.#listPods()).filter(({ metadata }) => {
        const { "toolhive.stacklok.dev/server": server, "toolhive-name": proxy } = metadata.labels;
        return !this.#specs.has(server ?? proxy);
      });
      const missing = wanted.filter((each) => !found.includes(each));
      const more = found.filter((each) => !wanted.includes(each));
      left = JSON.stringify({ missing, more, pods: pods.map(({ metadata }) => metadata.name) });
      return missing.length + more.length + pods.length === 0 && servers.length === this.#specs.size;
    };
    await waitFor(look, { ...SETTLE, what: "what is wanted and nothing else" }).catch((error) => {
      throw new Error(`${error.message} ${left}`);
    });
  }

  /** One that was just started waits until the lease of the one that was killed is over. */
  async #untilOperatorRests(): Promise<OperatorProcess> {
    const operator = this.#operator;
    if (operator === undefined) throw new Error("There is no operator.");
    await operator.untilLeading();
    await waitFor(async () => (await operator.readMetrics())['workqueue_depth{name="mcpserver"}'] === 0, {
      ...SETTLE,
      what: "the operator to be at rest",
    });
    return operator;
  }

  /** An operator that starts now compares everything, and finds nothing to write, unless a pod changed at that moment. */
  async #assertRest(): Promise<void> {
    const writes: number[] = [];
    while (writes.at(-1) !== 0) {
      if (writes.length === 3) throw new Error(`Operators that started wrote ${writes.join(", ")} times.`);
      await this.#operator?.end();
      await this.#startOperator();
      const operator = await this.#untilOperatorRests();
      writes.push((await operator.countRequests()).writes);
    }
  }

  /** What says that it is ready lists its tools. */
  async #untilServed(name: string): Promise<void> {
    const server: MCPServer = await this.#space.get(`mcpserver/${name}`);
    if (server.status?.conditions?.find(({ type }) => type === "Ready")?.status !== "True") return;
    const { clusterIP } = (
      await this.#space.get(`service/${nameObjects({ kind: KIND, metadata: { name } }).proxyService}`)
    ).spec;
    const ask = async () => {
      await using caller = await McpCaller.open(new URL(`http://${clusterIP}:${server.spec.port}/mcp`));
      return (await caller.listTools()).includes("echo");
    };
    await waitFor(ask, { what: `${name} to list its tools`, intervalMs: 500 });
  }
}
