/**
 * The cluster's API server behind a relay that spoils chosen requests: the one place where a fault has to be put in, because an API
 * server does none of this on demand.
 */
import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { type IncomingMessage, request as requestPlain, type ServerResponse } from "node:http";
import { createServer, type RequestOptions, request, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { KubeConfig } from "@kubernetes/client-node/dist/config.js";
import { runCommand } from "@toolhive/testing";

/** What is done instead of an answer. */
export type Fault =
  | { readonly status: number; readonly retryAfterSeconds?: number }
  /** Nothing is ever answered. */
  | "hang"
  /** The head of an answer comes, and its body does not. */
  | "stall"
  /** The connection is cut before the request reaches the API server. */
  | "reset"
  /** The API server does what it was asked to, and its answer is lost. */
  | "lost answer"
  /** The request goes on when this resolves. */
  | Promise<void>;

export interface SpoiledRequest {
  readonly method: string;
  /** With its query. */
  readonly path: string;
}

/** @returns What becomes of the request; `undefined`: it passes. */
type Spoiler = (request: SpoiledRequest) => Fault | undefined;

export interface Certificate {
  readonly key: string;
  readonly cert: string;
}

/** @param address The IP address that the certificate is for. */
export async function createCertificate(address: string): Promise<Certificate> {
  const folder = await mkdtemp(join(tmpdir(), "thv-certificate-"));
  const [key, cert] = [join(folder, "key.pem"), join(folder, "cert.pem")];
  const kind = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2"];
  const name = ["-subj", "/CN=test", "-addext", `subjectAltName=IP:${address}`];
  try {
    const { code, stderr } = await runCommand("openssl", [
      "req",
      "-x509",
      ...kind,
      ...name,
      "-keyout",
      key,
      "-out",
      cert,
    ]);
    if (code !== 0) throw new Error(stderr);
    return { key: await readFile(key, "utf8"), cert: await readFile(cert, "utf8") };
  } finally {
    await rm(folder, { recursive: true });
  }
}

export class FaultyApi implements AsyncDisposable {
  /** Path of a kubeconfig that leads here. */
  readonly kubeconfig: string;
  /** Those that came so far, the oldest first. */
  readonly requests: SpoiledRequest[] = [];
  /** Decides from now on. */
  spoil: Spoiler = () => undefined;
  readonly #folder: string;
  readonly #listener: Server;
  readonly #server: URL;
  readonly #credentials: RequestOptions;

  private constructor(folder: string, listener: Server, server: URL, credentials: RequestOptions) {
    this.kubeconfig = join(folder, "kubeconfig");
    this.#folder = folder;
    this.#listener = listener;
    this.#server = server;
    this.#credentials = credentials;
    listener.on("request", (from: IncomingMessage, to: ServerResponse) => this.#receive(from, to));
  }

  static async start(kubeconfig: string): Promise<FaultyApi> {
    const config = new KubeConfig();
    config.loadFromFile(kubeconfig);
    const credentials: RequestOptions = {};
    await config.applyToHTTPSOptions(credentials);
    const listener = createServer(await createCertificate("127.0.0.1")).listen(0, "127.0.0.1");
    await once(listener, "listening");
    const { port } = listener.address() as AddressInfo;
    const folder = await mkdtemp(join(tmpdir(), "thv-faulty-api-"));
    const server = new URL(config.getCurrentCluster()?.server ?? "");
    const api = new FaultyApi(folder, listener, server, credentials);
    const cluster = { server: `https://127.0.0.1:${port}`, "insecure-skip-tls-verify": true };
    await writeFile(
      api.kubeconfig,
      JSON.stringify({
        apiVersion: "v1",
        kind: "Config",
        clusters: [{ name: "c", cluster }],
        users: [{ name: "u", user: {} }],
        contexts: [{ name: "x", context: { cluster: "c", user: "u" } }],
        "current-context": "x",
      }),
    );
    return api;
  }

  /** Cuts every connection that is open now, watches among them. */
  cut(): void {
    this.#listener.closeAllConnections();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#listener.close();
    this.#listener.closeAllConnections();
    await rm(this.#folder, { recursive: true });
  }

  #receive(from: IncomingMessage, to: ServerResponse): void {
    const { method = "GET", url: path = "/" } = from;
    const asked = { method, path };
    this.requests.push(asked);
    const fault = this.spoil(asked);
    if (fault === undefined) this.#pass(from, to);
    else if (fault instanceof Promise) void fault.then(() => this.#pass(from, to));
    else if (fault === "lost answer") this.#pass(from, to, () => from.socket.destroy());
    else if (fault === "reset") from.socket.destroy();
    else {
      from.resume();
      if (fault !== "hang") answerWith(fault, to);
    }
  }

  /** @param lose Called in the place of passing the answer on. */
  #pass(from: IncomingMessage, to: ServerResponse, lose?: () => void): void {
    const send = this.#server.protocol === "http:" ? requestPlain : request;
    const { method = "GET", url = "/", headers } = from;
    const options = { ...this.#credentials, method, headers: { ...headers, host: this.#server.host } };
    const out = send(new URL(url, this.#server), options, (answer) => {
      if (lose !== undefined) {
        answer.resume().once("end", lose);
        return;
      }
      to.writeHead(answer.statusCode ?? 500, answer.headers).flushHeaders();
      answer.on("error", () => to.destroy()).pipe(to);
    });
    out.on("error", () => to.destroy());
    to.on("close", () => out.destroy());
    from.pipe(out);
  }
}

function answerWith(
  fault: "stall" | { readonly status: number; readonly retryAfterSeconds?: number },
  to: ServerResponse,
) {
  to.setHeader("content-type", "application/json");
  if (fault === "stall") {
    to.writeHead(200, { "content-length": 1_000 }).write("{");
    return;
  }
  const { status: code, retryAfterSeconds } = fault;
  if (retryAfterSeconds !== undefined) to.setHeader("retry-after", retryAfterSeconds);
  const body = { kind: "Status", apiVersion: "v1", status: "Failure", message: `spoiled with ${code}`, code };
  to.writeHead(code).end(JSON.stringify(body));
}
