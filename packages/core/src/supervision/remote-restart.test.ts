/** A restart of a remote server that works. */
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { ThvError } from "../support/errors.ts";
import { FakeTime } from "../testing/fake-time.ts";
import { Life } from "../testing/life.ts";
import { findEndpoint, Grant, runningWeb, URL_, WEB, withoutEngine } from "../testing/remote-world.ts";
import { readStatus, type World } from "../testing/world.ts";

let time: FakeTime;

beforeEach(() => {
  time = new FakeTime();
});

afterEach(() => time[Symbol.dispose]());

describe("a restart of a remote server that works", () => {
  const withSecrets = {
    header_forward: { add_headers_from_secret: { "x-key": "key" } },
    oauth_config: { bearer_token: { name: "token" } },
  };

  async function runningWithSecrets(world: World) {
    const booted = await world.boot();
    await booted.supervisor.create({ ...WEB, ...withSecrets });
    await time.advanceUntil(() => readStatus(booted.supervisor, "web") === "running", "the server to be reached");
    return booted;
  }

  test.each([
    ["a header's secret is gone", "SECRET_NOT_FOUND", (world: World) => world.secrets.delete("key")],
    ["its token is gone", "SECRET_NOT_FOUND", (world: World) => world.secrets.delete("token")],
    ["a header's secret is none any more", "INVALID_ARGUMENT", (world: World) => world.secrets.set("key", "a\nb")],
    ["the secrets are locked", "SECRETS_LOCKED", (world: World) => world.lockSecrets()],
  ] as const)("is refused while %s, and the connection stays", async (_what, code, take) => {
    const world = withoutEngine();
    world.secrets.set("key", "value").set("token", "value");
    const { supervisor } = await runningWithSecrets(world);
    const history = [...(findEndpoint(world)?.history ?? [])];
    take(world);

    await expect(supervisor.restart("web")).rejects.toMatchObject({ code });
    await expect(
      supervisor.edits.edit("web", { ...WEB, ...withSecrets, image: "https://mcp.example.com/other" }),
    ).rejects.toMatchObject({ code });

    expect(findEndpoint(world)?.history).toEqual(history);
    expect(world.config("web")).toMatchObject({ remote_url: URL_ });
    expect(readStatus(supervisor, "web")).toBe("running");
  });

  test("is refused while its sign-in is locked away, which would have to be read again", async () => {
    const world = withoutEngine();
    const grant = new Grant();
    grant.describe = () => ({ state: "valid", kind: "device_code", scopes: [], isRenewable: true, keptIn: "secrets" });
    const locked = new ThvError("SECRETS_LOCKED", "The secrets are locked.");
    world.signIns = {
      open: async () => grant,
      forget: async () => undefined,
      assertReadable: async () => await Promise.reject(locked),
    };
    const { supervisor } = await runningWeb(time, world);

    await expect(
      supervisor.edits.edit("web", { ...WEB, image: "https://mcp.example.com/other" }),
    ).rejects.toMatchObject({
      code: "SECRETS_LOCKED",
    });
    expect([readStatus(supervisor, "web"), grant.isClosed]).toEqual(["running", false]);
  });

  test("whose header's secret was locked at the start is reached once the secrets are opened", async () => {
    const world = withoutEngine();
    world.secrets.set("key", "value").set("token", "value");
    const life = new Life();
    const booted = await world.boot(life);
    await booted.supervisor.create({ ...WEB, ...withSecrets });
    await time.advanceUntil(() => readStatus(booted.supervisor, "web") === "running", "the server to be reached");
    life.kill();
    world.areSecretsLocked = true;
    const { supervisor } = await world.boot();
    await time.advanceUntil(() => readStatus(supervisor, "web") === "error", "the locked secrets");

    world.areSecretsLocked = false;
    // Nobody said so: a keyring was opened by another program.
    await time.advanceUntil(() => readStatus(supervisor, "web") === "running", "the server to be reached again");
  });
});
