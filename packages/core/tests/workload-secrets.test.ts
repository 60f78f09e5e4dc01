import { beforeEach, describe, expect, test, vi } from "vitest";
import type { WorkloadSupervisor } from "../src/supervision/workload-supervisor.ts";
import { World } from "../src/testing/world.ts";

const VALUE = "tok-7f3a-plain";
const REQUEST = { name: "mine", image: "mcp/echo:1", secrets: [{ name: "token", target: "API_TOKEN" }] };

let world: World;
let supervisor: WorkloadSupervisor;
beforeEach(async () => {
  world = new World();
  world.secrets.set("token", VALUE);
  ({ supervisor } = await world.boot());
});

async function createRunning(request = REQUEST): Promise<void> {
  await supervisor.create(request);
  await vi.waitFor(() => expect(supervisor.describe("mine").status).toBe("running"), { timeout: 20_000, interval: 5 });
}

const container = () => [...world.engine.containers.values()].find(({ name }) => name === "mine");

describe("a workload's secrets", () => {
  test("are variables of its container, and nowhere else", async () => {
    await createRunning();

    const spec = container()?.spec;
    expect(spec?.env).toMatchObject({ API_TOKEN: VALUE });
    expect(JSON.stringify([spec?.labels, spec?.args])).not.toContain(VALUE);
    expect(JSON.stringify([...world.disk.entries()])).not.toContain(VALUE);
    expect(JSON.stringify([...world.disk.entries()])).toContain("token,target=API_TOKEN");
    expect(JSON.stringify(world.log)).not.toContain(VALUE);
    expect(JSON.stringify(supervisor.list())).not.toContain(VALUE);
  });

  test("win over a variable of the same name", async () => {
    await createRunning({ ...REQUEST, ...{ env_vars: ["API_TOKEN=other"] } });

    expect(container()?.spec.env.API_TOKEN).toBe(VALUE);
  });

  test("are read again at each start: a restart takes a changed value", async () => {
    await createRunning();
    world.secrets.set("token", "changed");

    await (await supervisor.restart("mine")).done;

    expect(container()?.spec.env.API_TOKEN).toBe("changed");
  });

  test("that did not change leave the container as it is", async () => {
    await createRunning();
    const before = container()?.id;

    await (await supervisor.restart("mine")).done;

    expect(container()?.id).toBe(before);
  });

  test("that are gone when it starts make it an error that names the secret", async () => {
    await createRunning();
    await (await supervisor.stop("mine")).done;
    world.secrets.clear();

    await (await supervisor.restart("mine")).done;

    expect(supervisor.describe("mine")).toMatchObject({
      status: "error",
      error: { code: "SECRET_NOT_FOUND", message: 'There is no secret named "token".' },
    });
  });
});

describe("creating", () => {
  test("with secrets that do not exist names each of them and leaves nothing", async () => {
    const secrets = [
      { name: "token", target: "A" },
      { name: "nope", target: "B" },
      { name: "nada", target: "C" },
    ];

    await expect(supervisor.create({ ...REQUEST, secrets })).rejects.toMatchObject({
      code: "SECRET_NOT_FOUND",
      hint: "See the stored secrets: thv secret list",
      message: 'secret "nope": There is no secret named "nope".; secret "nada": There is no secret named "nada".',
    });
    expect(supervisor.list()).toEqual([]);
    expect(world.disk.size).toBe(0);
  });

  test.each([
    [[{ name: "", target: "A" }], 'a secret for the variable "A" has no name'],
    [[{ name: "token", target: "" }], 'secret "token" has no target'],
    [[{ name: "a,b", target: "A" }], 'secret "a,b" has a comma in its name'],
    [
      [
        { name: "token", target: "A" },
        { name: "other", target: "A" },
      ],
      'secrets "token" and "other" have the same target "A"',
    ],
  ])("with the references %j is refused", async (secrets, message) => {
    await expect(supervisor.create({ ...REQUEST, secrets })).rejects.toMatchObject({
      code: "INVALID_ARGUMENT",
      message,
    });
  });
});
