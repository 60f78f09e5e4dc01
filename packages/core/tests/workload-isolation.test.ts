import { beforeEach, describe, expect, test, vi } from "vitest";
import { READY_LINE } from "../src/sidecar-rules/sidecar-rules.ts";
import type { WorkloadSupervisor } from "../src/supervision/workload-supervisor.ts";
import { ThvError } from "../src/support/errors.ts";
import type { EngineCallName } from "../src/testing/fake-engine.ts";
import { sidecarServer, silentServer } from "../src/testing/fake-server.ts";
import { SIDECAR_IMAGE, World } from "../src/testing/world.ts";
import type { CreateRequest } from "../src/workload/create-request-schema.ts";

const WAIT = { timeout: 20_000, interval: 10 };

const REQUEST: CreateRequest = { name: "mine", image: "mcp/echo:1", network_isolation: true };

let world: World;
let supervisor: WorkloadSupervisor;
beforeEach(async () => {
  world = new World();
  ({ supervisor } = await world.boot());
});

const untilIs = async (status: string) =>
  await vi.waitFor(() => expect(supervisor.describe("mine").status).toBe(status), { timeout: 20_000, interval: 5 });

/** The lists of networks that a sidecar received while it ran, oldest first. */
const closedBy = (name: string) =>
  world.engine.find(name)?.commands.map((command) => JSON.parse(command.at(-1) ?? "")) ?? [];
/** The rules that a sidecar received while it ran, oldest first. */
const allowedBy = (name: string) =>
  world.engine
    .find(name)
    ?.commands.filter((command) => command.includes("allow"))
    .map((command) => JSON.parse(command.at(-1) ?? "")) ?? [];
const asked = (call: EngineCallName) => world.engine.calls.filter((name) => name === call).length;

async function createRunning(changes: Partial<CreateRequest> = {}): Promise<void> {
  await supervisor.create({ ...REQUEST, ...changes });
  await untilIs("running");
}

describe("an isolated workload", () => {
  test("joins the network of a sidecar that has received its rules", async () => {
    await createRunning({
      permission_profile: { network: { outbound: { allow_host: ["allowed.test"], allow_port: [443] } } },
    });

    const sidecar = world.engine.find("mine.network");
    expect(world.containers).toEqual(["mine", "mine.network"]);
    expect(world.engine.find("mine")?.spec.network).toEqual({ joins: sidecar?.id });
    expect(JSON.parse(sidecar?.spec.env.TOOLHIVE_SIDECAR_RULES ?? "")).toEqual({
      allowAll: false,
      hosts: ["allowed.test"],
      ports: [443],
      closed: ["172.17.0.0/16", "192.0.2.2"],
    });
    expect(world.engine.find("mine")?.spec.env.HTTPS_PROXY).toBe("http://127.0.0.1:61728");
    expect(supervisor.list()).toHaveLength(1);
  });

  test("takes one more host without a new start, and keeps it", async () => {
    const profile = { network: { outbound: { allow_host: ["a.test"], allow_port: [443] } } };
    await createRunning({ permission_profile: profile });
    const ids = [...world.engine.containers.keys()].sort();

    const change = await supervisor.edits.allowTarget("mine", { host: "B.test.", port: 8443 });

    const outbound = { insecure_allow_all: false, allow_host: ["a.test", "b.test"], allow_port: [443, 8443] };
    expect(change).toEqual({ profile: { network: { outbound } }, isRestarted: false });
    expect(world.config("mine")).toMatchObject({
      permission_profile: { network: { outbound } },
      isolate_network: true,
    });
    expect(allowedBy("mine.network")).toEqual([{ allowAll: false, hosts: ["a.test", "b.test"], ports: [443, 8443] }]);
    expect([...world.engine.containers.keys()].sort()).toEqual(ids);
    expect(world.engine.find("mine")?.starts).toBe(1);
    // The same once more changes nothing.
    expect(await supervisor.edits.allowTarget("mine", { host: "b.test", port: 443 })).toMatchObject({
      isRestarted: false,
    });
    expect(allowedBy("mine.network")).toHaveLength(1);
    // A sidecar that is started later is made with the rules of now.
    await (await supervisor.restart("mine")).done;
    const rules = JSON.parse(world.engine.find("mine.network")?.spec.env.TOOLHIVE_SIDECAR_RULES ?? "");
    expect(rules).toMatchObject({ hosts: ["a.test", "b.test"], ports: [443, 8443] });
  });

  test("is started anew for one more host when its sidecar cannot take it", async () => {
    const profile = { network: { outbound: { allow_host: ["a.test"] } } };
    await createRunning({ permission_profile: profile });
    const sidecar = world.engine.find("mine.network");
    if (sidecar) sidecar.takesRules = false;

    expect(await supervisor.edits.allowTarget("mine", { host: "b.test" })).toMatchObject({ isRestarted: true });

    const rules = JSON.parse(world.engine.find("mine.network")?.spec.env.TOOLHIVE_SIDECAR_RULES ?? "");
    expect([rules.hosts, supervisor.describe("mine").status]).toEqual([["a.test", "b.test"], "running"]);
    expect(world.bugs).toEqual([]);
  });

  test("that has no network gets a sidecar for its first host, and nothing else is open", async () => {
    await createRunning({ network_isolation: false, permission_profile: { name: "none" } });
    expect(world.containers).toEqual(["mine"]);

    expect(await supervisor.edits.allowTarget("mine", { host: "a.test", port: 443 })).toMatchObject({
      isRestarted: true,
    });

    const rules = JSON.parse(world.engine.find("mine.network")?.spec.env.TOOLHIVE_SIDECAR_RULES ?? "");
    expect(rules).toMatchObject({ allowAll: false, hosts: ["a.test"], ports: [443] });
    expect(world.running).toEqual(["mine", "mine.network"]);
  });

  test("learns what it reaches, and goes on with nothing else once that is enforced", async () => {
    await createRunning({
      network_isolation: false,
      learn_network: true,
      permission_profile: { read: ["/srv:/data"] },
    });
    const sidecar = world.engine.find("mine.network");
    const rules = JSON.parse(sidecar?.spec.env.TOOLHIVE_SIDECAR_RULES ?? "");
    expect(rules).toMatchObject({ allowAll: true, learns: true, closed: ["172.17.0.0/16", "192.0.2.2"] });
    for (const target of ["b.test:443", "a.test:80", "b.test:443", "no port", "192.0.2.9:5432"])
      sidecar?.log.push({ stream: "stdout", text: `network: learned ${target}` });

    const { isLearning, learned, smallest } = await supervisor.edits.readNetwork("mine");
    const { profile, isRestarted } = await supervisor.edits.applyLearned("mine");

    expect(isLearning).toBe(true);
    expect(learned.map(({ host, port }) => `${host}:${port}`)).toEqual(["192.0.2.9:5432", "a.test:80", "b.test:443"]);
    const outbound = {
      insecure_allow_all: false,
      allow_host: ["192.0.2.9", "a.test", "b.test"],
      allow_port: [80, 443, 5432],
    };
    expect([profile, isRestarted]).toEqual([{ read: ["/srv:/data"], network: { outbound } }, false]);
    expect(smallest).toEqual(profile);
    expect(allowedBy("mine.network")).toEqual([
      { allowAll: false, hosts: outbound.allow_host, ports: outbound.allow_port },
    ]);
    expect(world.config("mine")).toMatchObject({ isolate_network: true, permission_profile: profile });
    expect(world.config("mine")).not.toHaveProperty("learn_network");
    await expect(supervisor.edits.applyLearned("mine")).rejects.toMatchObject({ code: "INVALID_ARGUMENT" });
  });

  test.each([
    [{ host: "a b" }, "is no host name"],
    [{ host: "300.1.1.1" }, "is no host name"],
    [{ host: "::1" }, "is no host name"],
    [{ host: "a.test", port: 0 }, "port 0"],
  ])("refuses %j as a target", async (target, message) => {
    await createRunning();
    await expect(supervisor.edits.allowTarget("mine", target)).rejects.toMatchObject({
      code: "INVALID_ARGUMENT",
      message: expect.stringContaining(message),
    });
  });

  test("that is not isolated is not said to be allowed anything", async () => {
    await createRunning({ network_isolation: false });
    await expect(supervisor.edits.allowTarget("mine", { host: "a.test" })).rejects.toThrow(
      /nothing filters its network/,
    );
  });

  test("keeps both containers over a restart", async () => {
    await createRunning();
    const ids = [...world.engine.containers.keys()].sort();

    await (await supervisor.restart("mine")).done;

    expect([...world.engine.containers.keys()].sort()).toEqual(ids);
    expect(world.running).toEqual(["mine", "mine.network"]);
  });

  test.each(["docker", "podman"] as const)(
    "is up on %s after an upgrade whose sidecar is another one, and has that one after a restart at the latest",
    async (kind) => {
      world = new World({ kind });
      ({ supervisor } = await world.boot());
      await createRunning();
      const before = world.engine.find("mine.network")?.id;
      await supervisor.close({ keepContainers: true });
      world.sidecarImage = "toolhive-test/sidecar:2";
      world.engine.images.set(world.sidecarImage, sidecarServer);

      ({ supervisor } = await world.boot());
      await untilIs("running");
      // Docker keeps the server's process, and with it the sidecar whose network it is in.
      if (kind === "docker") expect(world.engine.find("mine.network")?.id).toBe(before);
      await (await supervisor.restart("mine")).done;
      await untilIs("running");

      const sidecar = world.engine.find("mine.network");
      expect(sidecar?.spec.image).toBe("toolhive-test/sidecar:2");
      expect(sidecar?.id).not.toBe(before);
      expect(world.engine.find("mine")?.spec.network).toEqual({ joins: sidecar?.id });
      expect(world.running).toEqual(["mine", "mine.network"]);
    },
  );

  test("keeps both containers when the machine's networks have changed, and closes those of now", async () => {
    await createRunning();
    const ids = [...world.engine.containers.keys()].sort();
    world.ownAddresses = ["198.51.100.9"];

    await (await supervisor.restart("mine")).done;

    expect([...world.engine.containers.keys()].sort()).toEqual(ids);
    expect(closedBy("mine.network")).toEqual([["172.17.0.0/16", "198.51.100.9"]]);
  });

  test("closes a network of the engine that comes while it runs, once", async () => {
    vi.useFakeTimers({ toFake: ["setInterval"] });
    try {
      ({ supervisor } = await world.boot());
      await createRunning();
      world.engine.networks = ["172.17.0.0/16", "172.18.0.0/16"];

      for (let look = 1; look <= 3; look += 1) {
        const before = asked("listNetworks");
        await vi.advanceTimersByTimeAsync(15_000);
        await vi.waitFor(() => expect(asked("listNetworks")).toBeGreaterThan(before), WAIT);
      }

      expect(closedBy("mine.network")).toEqual([["172.17.0.0/16", "172.18.0.0/16", "192.0.2.2"]]);
    } finally {
      vi.useRealTimers();
    }
  });

  test("is not started when nobody knows the engine's networks", async () => {
    const refuse = async () => {
      throw new ThvError("ENGINE_FAILED", "The container engine refused: no networks for you.");
    };
    world.engine.interfere("listNetworks", refuse, { always: true });

    await supervisor.create(REQUEST);

    await untilIs("error");
    expect(world.running).toEqual([]);
  });

  test("stops with its sidecar, and is removed with it", async () => {
    await createRunning();

    await (await supervisor.stop("mine")).done;
    expect(world.running).toEqual([]);
    await (await supervisor.delete("mine")).done;

    expect(world.containers).toEqual([]);
  });

  test("is started anew when its sidecar ends, with a reason that says so", async () => {
    await createRunning();

    world.engine.find("mine.network")?.exit(137);
    await vi.waitFor(
      () => expect(world.log.some(({ fields }) => /sidecar/.test(String(fields.reason)))).toBe(true),
      WAIT,
    );
    await untilIs("running");

    expect(world.running).toEqual(["mine", "mine.network"]);
  });

  test("is not started when its sidecar does not become ready", async () => {
    world.engine.images.set(SIDECAR_IMAGE, ({ writeErr, exit }) => {
      writeErr("nft: no such file");
      exit(1);
    });

    await supervisor.create(REQUEST);
    await untilIs("error");

    expect(supervisor.describe("mine").error).toMatchObject({ code: "ISOLATION_FAILED" });
    expect(supervisor.describe("mine").statusContext).toContain("nft: no such file");
    expect(world.running).toEqual([]);
  });

  test("can be deleted while its sidecar keeps it waiting", async () => {
    world.engine.images.set(SIDECAR_IMAGE, silentServer);
    await supervisor.create(REQUEST);
    await vi.waitFor(() => expect(world.running).toEqual(["mine.network"]), WAIT);

    await (await supervisor.delete("mine")).done;

    expect(world.containers).toEqual([]);
    expect(world.disk.size).toBe(0);
  });

  test("does not report a refused host any more once it is allowed", async () => {
    world.engine.images.set(SIDECAR_IMAGE, ({ stdin, writeOut }) => {
      stdin.resume();
      writeOut(READY_LINE);
      writeOut("network: denied b.test:443. To allow it: …");
      writeOut("network: denied 172.17.0.1:443 (the address of a.test). To allow it: …");
      writeOut("network: denied c.test:8443. To allow it: …");
      writeOut("network: denied c.test (its address was asked for). To allow it: …");
    });
    const profile = { network: { outbound: { allow_host: ["a.test"], allow_port: [443] } } };
    await createRunning({ permission_profile: profile });
    await vi.waitFor(
      () => expect(supervisor.describe("mine").statusContext).toMatch(/^network: denied c\.test \(/),
      WAIT,
    );

    await supervisor.edits.allowTarget("mine", { host: "c.test", port: 8443 });
    const afterOne = supervisor.describe("mine").statusContext;
    const listed = await supervisor.get("mine").network?.listDenials();

    // An address that was refused for what it is has to be named itself.
    expect(afterOne).toMatch(/^network: denied 172\.17\.0\.1:443 \(/);
    expect(listed?.map(({ host }) => host)).toEqual(["172.17.0.1", "b.test"]);
    expect((await supervisor.getLogs("mine").read({ tail: 9 }, AbortSignal.timeout(20_000))).join()).not.toBe("");
  });

  test("shows no reason once everything that was refused is allowed", async () => {
    world.engine.images.set(SIDECAR_IMAGE, ({ stdin, writeOut }) => {
      stdin.resume();
      writeOut(READY_LINE);
      writeOut("network: denied b.test:443. To allow it: …");
    });
    await createRunning({
      permission_profile: { network: { outbound: { allow_host: ["a.test"], allow_port: [443] } } },
    });
    await vi.waitFor(() => expect(supervisor.describe("mine").statusContext).toMatch(/^network: denied b\.test/), WAIT);

    await supervisor.edits.allowTarget("mine", { host: "b.test" });

    expect([supervisor.describe("mine").status, supervisor.describe("mine").statusContext]).toEqual(["running", ""]);
    expect(await supervisor.get("mine").network?.listDenials()).toEqual([]);
  });

  test("logs what was refused since the sidecar started", async () => {
    world.engine.images.set(SIDECAR_IMAGE, ({ stdin, writeOut }) => {
      stdin.resume();
      writeOut("network: denied old.test:443. To allow it: …");
      writeOut(READY_LINE);
      writeOut("network: denied b.test:443. To allow it: …");
    });
    await createRunning({ permission_profile: { network: { outbound: { allow_host: ["a.test"] } } } });

    const logged = await supervisor.getLogs("mine").read({ tail: 10 }, AbortSignal.timeout(20_000));
    const lines = logged.map(({ text }) => text);

    expect(lines.at(-1)).toBe("network: denied b.test:443. To allow it: …");
    expect(lines.join()).not.toContain("old.test");
    expect(await supervisor.get("mine").network?.listDenials()).toMatchObject([
      { host: "b.test", port: 443, count: 1 },
    ]);
    world.engine.goDown();
    await expect(supervisor.get("mine").network?.listDenials()).rejects.toMatchObject({ code: "ENGINE_UNREACHABLE" });
  });

  test("does not take the name of a workload that exists for its sidecar, nor the other way round", async () => {
    await supervisor.create({ name: "mine.network", image: "mcp/echo:1" });

    await supervisor.create(REQUEST);
    await untilIs("error");

    expect(supervisor.describe("mine").error?.code).toBe("CONTAINER_NAME_TAKEN");
    await vi.waitFor(() => expect(supervisor.describe("mine.network").status).toBe("running"), WAIT);
  });
});

describe("the profile none", () => {
  const none = { network_isolation: false, permission_profile: { name: "none" } };

  test("is no network for a server on stdio, without a sidecar", async () => {
    await createRunning(none);

    expect(world.containers).toEqual(["mine"]);
    expect(world.engine.find("mine")?.spec.network).toBe("none");
  });

  test("has a sidecar for a server that speaks HTTP, which has its port", async () => {
    await supervisor.create({ ...REQUEST, ...none, transport: "sse", target_port: 3001 });
    await vi.waitFor(() => expect(world.containers).toEqual(["mine", "mine.network"]), WAIT);

    expect(world.engine.find("mine.network")?.spec.publish).toBe(3001);
    expect(world.engine.find("mine")?.spec.publish).toBeUndefined();
  });
});
