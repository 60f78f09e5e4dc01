/** What the next start of a server needs is there before the present one is stopped, whichever way it is started anew. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { RegistryServer } from "../src/registry/registry-schema.ts";
import type { WorkloadSupervisor } from "../src/supervision/workload-supervisor.ts";
import { answeringServer } from "../src/testing/fake-server.ts";
import { Life } from "../src/testing/life.ts";
import { World } from "../src/testing/world.ts";
import type { CreateRequest } from "../src/workload/create-request-schema.ts";

const [OLD, NEW] = ["ghcr.io/acme/weather:1.4.0", "ghcr.io/acme/weather:1.5.0"];
const SECRETS = [{ name: "token", target: "API_TOKEN" }];
const ENTRY: RegistryServer = {
  name: "weather",
  image: NEW,
  description: "Tells the weather of any place.",
  tier: "Community",
  status: "Active",
  transport: "stdio",
  tools: ["get_weather"],
};

let world: World;
let folder: string;
let supervisor: WorkloadSupervisor;
let request: CreateRequest;

beforeEach(async () => {
  world = new World();
  folder = await mkdtemp(join(tmpdir(), "thv-restart-"));
  world.secrets.set("token", "value");
  world.engine.images.set(OLD, answeringServer);
  world.engine.registry.set(OLD, answeringServer);
  world.engine.registry.set(NEW, answeringServer);
  world.registry.set("weather", ENTRY);
  request = { name: "mine", image: OLD, secrets: SECRETS, volumes: [`${folder}:/data`] };
  ({ supervisor } = await world.boot());
});

afterEach(async () => {
  await supervisor.close({ keepContainers: false });
  await rm(folder, { recursive: true, force: true });
  expect(world.bugs).toEqual([]);
});

async function until(status: string, of = () => supervisor): Promise<void> {
  await vi.waitFor(() => expect(of().describe("mine").status).toBe(status), { timeout: 20_000, interval: 5 });
}

async function createRunning(changes: Partial<CreateRequest> = {}): Promise<void> {
  await supervisor.create({ ...request, ...changes });
  await until("running");
}

/** What a client would notice, and what a stop would change. */
function observe() {
  const containers = [...world.engine.containers.values()];
  const { status, port } = supervisor.describe("mine");
  return {
    status,
    containers: containers.map(({ id, name, starts, isRunning }) => ({ id, name, starts, isRunning })),
    endpoint: [...(world.network.endpoints.get(port)?.history ?? ["none"])],
  };
}

type Way = () => Promise<unknown>;

const WAYS: Readonly<Record<string, Way>> = {
  restart: async () => await (await supervisor.restart("mine")).done,
  "restart to another port": async () => await (await supervisor.restart("mine", { proxyPort: 23_456 })).done,
  "restart with a pull": async () => await (await supervisor.restart("mine", { pull: true })).done,
  "an edit": async () => await supervisor.edits.edit("mine", { ...request, env_vars: ["A=b"] }),
  "an upgrade": async () => await supervisor.edits.upgrade("mine", { env: [], secrets: [] }),
  "the first network rules": async () => await supervisor.edits.allowTarget("mine", { host: "a.test" }),
};

const MISSING: Readonly<Record<string, readonly [code: string, take: () => Promise<void> | void]>> = {
  "a secret": ["SECRET_NOT_FOUND", () => world.secrets.clear()],
  "the password of the secrets": ["SECRETS_LOCKED", () => world.lockSecrets()],
  "a mounted folder": ["INVALID_ARGUMENT", async () => await rm(folder, { recursive: true })],
  "its image, when the container has to be made anew": [
    "IMAGE_NOT_FOUND",
    () => {
      world.secrets.set("token", "another value");
      world.engine.images.delete(OLD);
      world.engine.registry.clear();
    },
  ],
};

describe.each(Object.entries(MISSING))("without %s", (_what, [code, take]) => {
  test.each(Object.entries(WAYS))("%s is refused, and the server runs on", async (_way, start) => {
    const isRuled = start === WAYS["the first network rules"];
    await createRunning(isRuled ? { network_isolation: false, permission_profile: { name: "none" } } : {});
    await take();
    const before = observe();

    await expect(start()).rejects.toMatchObject({ code });

    expect(observe()).toEqual(before);
    expect(world.config("mine")).toMatchObject({ desired_state: "running", image: OLD });
  });
});

describe("a refused restart", () => {
  test("names the server, what is missing and that it runs on", async () => {
    await createRunning();
    world.secrets.clear();

    await expect(supervisor.restart("mine")).rejects.toThrow(
      '"mine" was not restarted, and runs on: There is no secret named "token".',
    );
  });

  test("pulls nothing when the secrets cannot be read", async () => {
    await createRunning();
    world.areSecretsLocked = true;

    await expect(supervisor.restart("mine", { pull: true })).rejects.toMatchObject({ code: "SECRETS_LOCKED" });

    expect(world.engine.calls).not.toContain("pullImage");
  });

  test("of a pulled image whose digest is another one leaves the container of now", async () => {
    const digest = `sha256:${"a".repeat(64)}`;
    world.engine.digests.set(OLD, [`ghcr.io/acme/weather@${digest}`]);
    await createRunning({ image_digest: digest });
    world.engine.digests.set(OLD, [`ghcr.io/acme/weather@sha256:${"b".repeat(64)}`]);
    const before = observe();

    await expect(supervisor.restart("mine", { pull: true })).rejects.toMatchObject({ code: "IMAGE_NOT_VERIFIED" });

    expect(observe()).toEqual(before);
  });

  test("of an isolated server without the image of a new sidecar leaves both containers", async () => {
    await createRunning({
      network_isolation: true,
      permission_profile: { network: { outbound: { allow_host: ["a.test"] } } },
    });
    const before = observe();
    const sidecar = world.engine.find("mine.network");
    if (sidecar) sidecar.takesRules = false;
    world.engine.images.delete(world.sidecarImage);

    await expect(supervisor.edits.allowTarget("mine", { host: "b.test" })).rejects.toMatchObject({
      code: "ISOLATION_FAILED",
      message: expect.stringContaining('The new permissions of "mine" are saved, and in force from its next start.'),
    });

    expect(observe()).toEqual(before);
  });

  test("of one that sleeps lets it sleep", async () => {
    await createRunning({ sleep_after_seconds: 60 });
    world.secrets.clear();

    await expect(supervisor.restart("mine")).rejects.toMatchObject({ code: "SECRET_NOT_FOUND" });
    expect(supervisor.describe("mine").status).toBe("running");
  });
});

describe("secrets that were locked when a server was to start", () => {
  async function failForLockedSecrets(): Promise<void> {
    await createRunning();
    await (await supervisor.stop("mine")).done;
    world.areSecretsLocked = true;
    await (await supervisor.restart("mine")).done;
    expect(supervisor.describe("mine")).toMatchObject({ status: "error", error: { code: "SECRETS_LOCKED" } });
  }

  test("start it once they are opened", async () => {
    await failForLockedSecrets();
    world.areSecretsLocked = false;

    supervisor.startWaiting();

    await until("running");
    expect(world.running).toEqual(["mine"]);
  });

  test("do not start one that was stopped meanwhile, or that failed for another reason", async () => {
    await failForLockedSecrets();
    await (await supervisor.stop("mine")).done;
    world.areSecretsLocked = false;
    supervisor.startWaiting();
    expect(supervisor.describe("mine").status).toBe("stopped");

    world.secrets.clear();
    await (await supervisor.restart("mine")).done;
    supervisor.startWaiting();
    expect(supervisor.describe("mine")).toMatchObject({ status: "error", error: { code: "SECRET_NOT_FOUND" } });
  });

  test("start it under the next supervisor, too, whose machine came up with locked secrets", async () => {
    const life = new Life();
    await supervisor.close({ keepContainers: false });
    ({ supervisor } = await world.boot(life));
    await createRunning();
    life.kill();
    world.engine.goDown({ keepContainers: false });
    world.engine.comeUp();
    world.areSecretsLocked = true;
    ({ supervisor } = await world.boot());
    await until("error");

    world.areSecretsLocked = false;
    supervisor.startWaiting();

    await until("running");
  });
});
