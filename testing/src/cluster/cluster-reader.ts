/**
 * Reads objects of a cluster from its API server, with the connections that it keeps, and makes and removes namespaces. Tests look many
 * times while they wait, each has a namespace, and `kubectl` starts a program of 60 MB for each request.
 */
import type { IncomingMessage } from "node:http";
import { Agent, request } from "node:https";
import { text } from "node:stream/consumers";

// biome-ignore lint/suspicious/noExplicitAny: objects of a cluster have any form.
export type ClusterObject = any;

/** The kinds that tests read, by their API. */
const KINDS: Readonly<Record<string, readonly string[]>> = {
  "/api/v1": ["ConfigMap", "Event", "Pod", "Secret", "Service", "ServiceAccount"],
  "/apis/apps/v1": ["Deployment", "StatefulSet"],
  "/apis/coordination.k8s.io/v1": ["Lease"],
  "/apis/networking.k8s.io/v1": ["NetworkPolicy"],
  "/apis/policy/v1": ["PodDisruptionBudget"],
  "/apis/rbac.authorization.k8s.io/v1": ["Role", "RoleBinding"],
  "/apis/toolhive.stacklok.dev/v1alpha1": ["MCPGroup", "MCPRemoteProxy", "MCPServer", "MCPToolConfig"],
};

const NAMESPACES = "/api/v1/namespaces";
/** Milliseconds for which a connection without a request is kept: fewer than those after which API servers end it. */
const IDLE_MS = 10_000;
/** Milliseconds for an answer. */
const DEADLINE_MS = 60_000;

export class ClusterReader {
  readonly #server: string;
  readonly #agent: Agent;
  /** What asks for more than an object does not take a connection that an API server which was killed has left. */
  readonly #writer: Agent;
  readonly #headers: Readonly<Record<string, string>>;

  /** @param config What `kubectl config view --raw --flatten --minify --output=json` prints. */
  constructor(config: string) {
    const { clusters, users }: ClusterObject = JSON.parse(config);
    const { server, "certificate-authority-data": ca, "insecure-skip-tls-verify": isUnverified } = clusters[0].cluster;
    const { "client-certificate-data": cert, "client-key-data": key, token } = users[0].user;
    if (token === undefined && cert === undefined)
      throw new Error(
        "The kubeconfig has neither a client certificate nor a token. Write one with a token: kubectl create token",
      );
    this.#server = server.replace(/\/$/, "");
    this.#headers = { accept: "application/json", ...(token !== undefined && { authorization: `Bearer ${token}` }) };
    const trust = {
      rejectUnauthorized: isUnverified !== true,
      ...(ca !== undefined && { ca: Buffer.from(ca, "base64") }),
      ...(cert !== undefined && { cert: Buffer.from(cert, "base64"), key: Buffer.from(key, "base64") }),
    };
    this.#agent = new Agent({ ...trust, keepAlive: true, timeout: IDLE_MS });
    this.#writer = new Agent(trust);
  }

  /**
   * @param kind In the singular and small letters, as `kubectl get` knows it.
   * @returns As `kubectl get --ignore-not-found --output=json` prints it: `undefined` when the object does not exist.
   * @throws {Error} When the API server does not answer, refuses, or does not know the kind.
   */
  async get(namespace: string, kind: string, name: string): Promise<ClusterObject | undefined> {
    const { status, body } = await this.#ask(`${findPath(namespace, kind)}/${encodeURIComponent(name)}`);
    const answer: ClusterObject = parseAnswer(body);
    if (status === 404 && answer?.reason === "NotFound" && answer.details?.name === name) return undefined;
    if (status !== 200) throw new Error(`${kind} ${name}: HTTP ${status}: ${answer?.message ?? body}`);
    delete answer.metadata.managedFields;
    return answer;
  }

  /**
   * @param kind As {@link get} has it.
   * @param selector Of labels. Default: all.
   * @throws {Error} As {@link get}.
   */
  async list(namespace: string, kind: string, selector = ""): Promise<ClusterObject[]> {
    const { status, body } = await this.#ask(
      `${findPath(namespace, kind)}?labelSelector=${encodeURIComponent(selector)}`,
    );
    if (status !== 200) throw new Error(`${kind}: HTTP ${status}: ${parseAnswer(body)?.message ?? body}`);
    return JSON.parse(body).items;
  }

  /** @throws {Error} When the API server does not answer, or refuses. */
  async createNamespace(name: string): Promise<void> {
    const namespace = { apiVersion: "v1", kind: "Namespace", metadata: { name } };
    const { status, body } = await this.#ask(NAMESPACES, "POST", JSON.stringify(namespace));
    if (status !== 201) throw new Error(`namespace ${name}: HTTP ${status}: ${parseAnswer(body)?.message ?? body}`);
  }

  /** Does not wait until it is gone. @throws {Error} When the API server does not answer, or refuses. */
  async deleteNamespace(name: string): Promise<void> {
    const { status, body } = await this.#ask(`${NAMESPACES}/${encodeURIComponent(name)}`, "DELETE");
    // 202: it is still there, and is going.
    if (status !== 200 && status !== 202)
      throw new Error(`namespace ${name}: HTTP ${status}: ${parseAnswer(body)?.message ?? body}`);
  }

  async #ask(path: string, method = "GET", sent = ""): Promise<{ readonly status: number; readonly body: string }> {
    const headers = { ...this.#headers, ...(sent !== "" && { "content-type": "application/json" }) };
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      const signal = AbortSignal.timeout(DEADLINE_MS);
      const agent = method === "GET" ? this.#agent : this.#writer;
      request(`${this.#server}${path}`, { method, agent, headers, signal })
        .once("response", resolve)
        .once("error", reject)
        .end(sent);
    });
    return { status: response.statusCode ?? 0, body: await text(response) };
  }
}

function findPath(namespace: string, kind: string): string {
  const [api] = Object.entries(KINDS).find(([, kinds]) => kinds.some((each) => each.toLowerCase() === kind)) ?? [];
  if (api === undefined)
    throw new Error(
      `Tests read no objects of the kind "${kind}" yet. Add it to KINDS in testing/src/cluster/cluster-reader.ts.`,
    );
  return `${api}/namespaces/${namespace}/${kind.replace(/y$/, "ie")}s`;
}

/** @returns `undefined` for what is no JSON, as what answers in place of an API server. */
function parseAnswer(body: string): ClusterObject | undefined {
  return body.startsWith("{") ? JSON.parse(body) : undefined;
}
