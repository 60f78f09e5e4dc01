/** `thv proxy` and the operator's runner in this process, as users and clusters start them. */
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Logger } from "@toolhive/core";
import { hasCode } from "@toolhive/core/errors";
import { listen } from "@toolhive/http";
import { runRunner } from "@toolhive/operator/runner";
import { waitFor } from "@toolhive/testing/wait-for";
import { ServedThv } from "../../src/testing/served-thv.ts";

/** Another process may take a port between its choice and its use. */
const MAX_ATTEMPTS = 5;

export interface StartedProxy extends AsyncDisposable {
  /** Without a path. */
  readonly origin: string;
}

export class ProxyStarter implements AsyncDisposable {
  readonly #thv: ServedThv;
  readonly #folder: string;
  /** Ends of runners, which let clients leave for some seconds. */
  readonly #ends: Promise<unknown>[] = [];

  private constructor(thv: ServedThv, folder: string) {
    this.#thv = thv;
    this.#folder = folder;
  }

  static async open(): Promise<ProxyStarter> {
    return new ProxyStarter(await ServedThv.start(), await mkdtemp(join(tmpdir(), "thv-latitude-")));
  }

  async startProxy(target: URL): Promise<StartedProxy> {
    const running = this.#thv.begin(["proxy", "--target-uri", target.href, "peer"]);
    const find = () => /is offered at (http:\S+)\n/.exec(running.output.stdout)?.[1];
    const origin = await waitFor(find, { what: "the address of the proxy" });
    return { origin, [Symbol.asyncDispose]: () => running[Symbol.asyncDispose]() };
  }

  async startRunner(target: URL, transport: "sse" | "streamable-http"): Promise<StartedProxy> {
    for (let attempt = 1; ; attempt += 1) {
      const port = await findFreePort();
      const file = join(this.#folder, `${port}.json`);
      await writeFile(file, JSON.stringify(createConfig(target, transport, port)));
      const over = new AbortController();
      const failure = await new Promise<unknown>((resolve) => {
        const options = {
          ...{ file, log: createLog(() => resolve(undefined)), listTools: async () => undefined },
          health: { host: "127.0.0.1", port: 0 },
        };
        this.#ends.push(runRunner(options, over.signal).catch(resolve));
      });
      if (failure === undefined)
        return { origin: `http://127.0.0.1:${port}`, [Symbol.asyncDispose]: async () => over.abort() };
      if (!hasCode(failure, "PORT_IN_USE") || attempt === MAX_ATTEMPTS) throw failure;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#ends);
    await this.#thv[Symbol.asyncDispose]();
    await rm(this.#folder, { recursive: true, force: true });
  }
}

/** As the operator writes it for an MCPRemoteProxy. */
function createConfig(target: URL, transport: string, port: number) {
  return {
    ...{ name: "peer", namespace: "latitude", transport, host: "127.0.0.1", port, allowed_hosts: [] },
    remote: { url: target.href, headers: {}, secret_headers: {}, has_ca: false },
    ...{ access: {}, has_policies: false },
  };
}

function createLog(onListening: () => void): Logger {
  const ignore = (): void => undefined;
  const info = (_facts: object, message: string): void => {
    if (message === "proxy listens") onListening();
  };
  return { debug: ignore, info, warn: ignore, error: ignore };
}

async function findFreePort(): Promise<number> {
  const server = createServer();
  const port = await listen(server);
  server.close();
  await once(server, "close");
  return port;
}
