/** An API server over a simulated machine, and raw requests to it. */
import { once } from "node:events";
import { type IncomingHttpHeaders, request } from "node:http";
import type { WorkloadSupervisor } from "@toolhive/core";
import { World } from "@toolhive/core/testing";
import { ApiServer } from "../api-server.ts";
import { createHandlers } from "../handlers.ts";

export const VERSION = "v1.2.3";
export const ALLOWED_ORIGIN = "http://localhost:3000";

export interface RawAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

interface RawRequest {
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer | undefined;
}

export class ServedWorld implements AsyncDisposable {
  readonly world: World;
  readonly supervisor: WorkloadSupervisor;
  readonly server: ApiServer;
  readonly port: number;
  /** Errors that the server called bugs. */
  readonly bugs: unknown[];

  private constructor(parts: Omit<ServedWorld, "send" | typeof Symbol.asyncDispose>) {
    ({ world: this.world, supervisor: this.supervisor, server: this.server, port: this.port, bugs: this.bugs } = parts);
  }

  static async start(): Promise<ServedWorld> {
    const world = new World();
    const { supervisor } = await world.boot();
    const bugs: unknown[] = [];
    const server = await ApiServer.create({
      handlers: createHandlers({ workloads: supervisor, version: VERSION }),
      onBug: (error) => bugs.push(error),
    });
    const port = await server.listenOnPort("127.0.0.1", 0, { hosts: ["thv.test"], origins: [ALLOWED_ORIGIN] });
    return new ServedWorld({ world, supervisor, server, port, bugs });
  }

  /** Sends a request as it is: the path is not tidied up, no header is added but Host. */
  async send(method: string, path: string, { headers = {}, body }: RawRequest = {}): Promise<RawAnswer> {
    const sent = request({ host: "127.0.0.1", port: this.port, method, path, headers, agent: false });
    sent.end(body);
    const [response] = await once(sent, "response");
    let text = "";
    for await (const chunk of response.setEncoding("utf8")) text += chunk;
    return { status: response.statusCode, headers: response.headers, body: text };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.server.close();
    await this.supervisor.close({ keepContainers: false });
  }
}
