/** Workloads whose servers run elsewhere, on a machine without a container engine, for tests. */
import { Listeners } from "@toolhive/http/listeners";
import type { GrantDescription, RemoteAuthorization } from "../ports/remote-authorization.ts";
import type { ThvError } from "../support/errors.ts";
import type { FakeTime } from "./fake-time.ts";
import type { Life } from "./life.ts";
import { readStatus, World } from "./world.ts";

export const URL_ = "https://mcp.example.com/mcp?key=MARK";

export const WEB = { name: "web", image: URL_, proxy_port: 12_345 };

/** A machine on which no container engine runs. */
export function withoutEngine(): World {
  const world = new World();
  world.engine.goDown();
  return world;
}

export async function runningWeb(time: FakeTime, world: World, life?: Life) {
  const booted = await world.boot(life);
  await booted.supervisor.create(WEB);
  await time.advanceUntil(() => readStatus(booted.supervisor, "web") === "running", "the server to be reached");
  return booted;
}

export const findEndpoint = (world: World) => world.network.endpoints.get(12_345);

/** Grants that a test changes. */
export class Grant implements RemoteAuthorization {
  readonly listeners = new Listeners();
  isClosed = false;
  error: ThvError | undefined;

  async authorize(): Promise<string> {
    return "Bearer token";
  }

  async onRefused(): Promise<boolean> {
    return false;
  }

  describe(): GrantDescription {
    const state = this.error ? ("unauthenticated" as const) : ("valid" as const);
    return { state, kind: "bearer", scopes: [], isRenewable: false, ...(this.error && { error: this.error }) };
  }

  onChange(listener: () => void): () => void {
    return this.listeners.add(listener);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.isClosed = true;
  }
}
