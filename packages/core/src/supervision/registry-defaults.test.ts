import { describe, expect, test } from "vitest";
import { listGrants } from "../reach/plan-facts.ts";
import type { RegistryRemoteServer, RegistryServer } from "../registry/registry-schema.ts";
import { ThvError } from "../support/errors.ts";
import { World } from "../testing/world.ts";
import { applyRegistryDefaults, applyRemoteDefaults } from "./registry-defaults.ts";

const WEATHER: RegistryServer = {
  name: "weather",
  image: "mcp/echo:1",
  description: "Tells the weather of any place.",
  tier: "Community",
  status: "Active",
  transport: "stdio",
  tools: ["get_weather"],
  args: ["--units", "metric"],
  env_vars: [
    { name: "API_TOKEN", description: "Token of the weather service.", required: true, secret: true },
    { name: "CACHE", description: "Where to keep answers.", required: false, default: "/tmp/cache" },
    { name: "PROXY_TOKEN", description: "Token of a proxy.", required: false, secret: true },
  ],
  permissions: { read: ["/tmp:/tmp"], network: { outbound: { allow_host: ["weather.example"], allow_port: [443] } } },
};

const ENV = ["API_TOKEN=t"];

describe("applyRegistryDefaults", () => {
  test("takes name, image, transport, arguments, defaults and permissions from the registry", () => {
    expect(applyRegistryDefaults({ image: "weather", env_vars: ENV }, WEATHER)).toMatchObject({
      name: "weather",
      image: "mcp/echo:1",
      transport: "stdio",
      cmd_arguments: ["--units", "metric"],
      env_vars: ["API_TOKEN=t", "CACHE=/tmp/cache"],
      permission_profile: WEATHER.permissions,
    });
  });

  test("lets the caller's words win, and puts the caller's arguments after the registry's", () => {
    const server: RegistryServer = { ...WEATHER, transport: "sse", target_port: 8001 };
    const asked = {
      image: "weather",
      name: "mine",
      transport: "streamable-http",
      target_port: 9000,
      cmd_arguments: ["--verbose"],
      env_vars: [...ENV, "CACHE="],
    };

    expect(applyRegistryDefaults(asked, server)).toMatchObject({
      name: "mine",
      transport: "streamable-http",
      target_port: 9000,
      cmd_arguments: ["--units", "metric", "--verbose"],
      env_vars: ["API_TOKEN=t", "CACHE="],
    });
  });

  test("names every required variable that is missing, and asks for no optional one, secret or not", () => {
    const env_vars = [
      ...(WEATHER.env_vars ?? []),
      { name: "URL", description: "Address of the service", required: true },
    ];

    const refusal = () => applyRegistryDefaults({ image: "weather" }, { ...WEATHER, env_vars });

    expect(refusal).toThrow(ThvError);
    expect(refusal).toThrow(
      expect.objectContaining({
        code: "INVALID_ARGUMENT",
        message:
          '"weather" cannot start without API_TOKEN (Token of the weather service) and URL (Address of the service)',
        hint: "Give them: thv run --secret NAME,target=API_TOKEN --env URL=… weather",
      }),
    );
  });

  test("hands out a copy of the permissions", () => {
    const { permission_profile } = applyRegistryDefaults({ image: "weather", env_vars: ENV }, WEATHER);

    expect(permission_profile).toEqual(WEATHER.permissions);
    expect(permission_profile?.read).not.toBe(WEATHER.permissions?.read);
  });
});

test("a secret stands in for a required variable", () => {
  const secrets = [{ name: "weather-token", target: "API_TOKEN" }];

  expect(applyRegistryDefaults({ image: "weather", secrets }, WEATHER)).toMatchObject({
    secrets,
    env_vars: ["CACHE=/tmp/cache"],
  });
});

describe("a workload that is created by the name of a server", () => {
  test("runs as the registry says, and its configuration keeps that", async () => {
    const world = new World();
    world.registry.set("weather", WEATHER);
    const { supervisor } = await world.boot();

    const workload = await supervisor.create({ image: "weather", env_vars: ENV, cmd_arguments: ["-v"] });

    expect(workload).toMatchObject({ name: "weather", package: "mcp/echo:1", transportType: "stdio" });
    expect(world.config("weather")).toMatchObject({
      image: "mcp/echo:1",
      cmd_args: ["--units", "metric", "-v"],
      env_vars: { API_TOKEN: "t", CACHE: "/tmp/cache" },
      permission_profile: WEATHER.permissions,
    });
    await supervisor.close({ keepContainers: false });
  });

  test("is refused a second time under the same name, and allowed under another", async () => {
    const world = new World();
    world.registry.set("weather", WEATHER);
    const { supervisor } = await world.boot();
    await supervisor.create({ image: "weather", env_vars: ENV });

    await expect(supervisor.create({ image: "weather", env_vars: ENV })).rejects.toMatchObject({
      code: "WORKLOAD_EXISTS",
    });
    await supervisor.create({ image: "weather", name: "weather-2", env_vars: ENV });

    expect(supervisor.list().map(({ name }) => name)).toEqual(["weather", "weather-2"]);
    await supervisor.close({ keepContainers: false });
  });

  test("is refused without a required variable before anything is saved", async () => {
    const world = new World();
    world.registry.set("weather", WEATHER);
    const { supervisor } = await world.boot();

    await expect(supervisor.create({ image: "weather" })).rejects.toMatchObject({ code: "INVALID_ARGUMENT" });

    expect([world.disk.size, supervisor.list()]).toEqual([0, []]);
    await supervisor.close({ keepContainers: false });
  });

  test("is refused while the registry cannot be read, but an image with a tag is not", async () => {
    const world = new World();
    const { supervisor } = await world.boot();
    const unreadable = new ThvError("REGISTRY_UNAVAILABLE", "It is away.");
    world.registry.get = () => {
      throw unreadable;
    };

    await expect(supervisor.create({ image: "weather" })).rejects.toBe(unreadable);
    expect(await supervisor.create({ image: "mcp/echo:1", name: "echo" })).toMatchObject({ name: "echo" });
    await supervisor.close({ keepContainers: false });
  });
});

describe("applyRemoteDefaults", () => {
  const REMOTE: RegistryRemoteServer = {
    name: "com.example/tides",
    url: "https://tides.example/mcp",
    description: "Tells the tides of any place.",
    tier: "Community",
    status: "Active",
    transport: "streamable-http",
    tools: ["get_tides"],
    headers: [
      { name: "X-Key", description: "Key of the service.", required: true, secret: true },
      { name: "X-Region", description: "Region to answer for.", required: false, default: "eu", choices: ["eu", "us"] },
    ],
    oauth_config: {
      issuer: "https://login.example",
      scopes: ["tides"],
      use_pkce: true,
      callback_port: 8666,
      oauth_params: { audience: "sea" },
    },
  };
  const KEY = { header_forward: { add_headers_from_secret: { "x-key": "tides-key" } } };

  test("takes address, transport, headers with a default and the sign-in from the registry", () => {
    expect(applyRemoteDefaults({ image: "tides", ...KEY }, REMOTE)).toEqual({
      name: "tides",
      image: "https://tides.example/mcp",
      transport: "streamable-http",
      header_forward: {
        add_headers_from_secret: { "x-key": "tides-key" },
        add_plaintext_headers: { "X-Region": "eu" },
      },
      oauth_config: {
        issuer: "https://login.example",
        scopes: ["tides"],
        callback_port: 8666,
        oauth_params: { audience: "sea" },
      },
    });
  });

  test("lets the caller's words win", () => {
    const asked = {
      image: "tides",
      oauth_config: { scopes: ["mine"] },
      header_forward: { ...KEY.header_forward, add_plaintext_headers: { "x-region": "us" } },
    };

    expect(applyRemoteDefaults(asked, REMOTE)).toMatchObject({
      oauth_config: { issuer: "https://login.example", scopes: ["mine"] },
      header_forward: { add_plaintext_headers: { "x-region": "us" } },
    });
  });

  test("names each required header that nobody gave, with the flag that gives it", () => {
    const run = () => applyRemoteDefaults({ image: "tides" }, REMOTE);

    expect(run).toThrow('"com.example/tides" does not answer without the header X-Key (Key of the service)');
    expect(run).toThrow(
      expect.objectContaining({
        hint: "Give it: thv run --remote-forward-headers-secret 'X-Key: SECRET' com.example/tides",
      }),
    );
  });

  test("refuses a value that is not among a header's choices", () => {
    const asked = {
      image: "tides",
      header_forward: { ...KEY.header_forward, add_plaintext_headers: { "X-Region": "mars" } },
    };

    expect(() => applyRemoteDefaults(asked, REMOTE)).toThrow('X-Region is "mars"');
  });
});

describe("a workload that is created from a further source", () => {
  const origin = { name: "team", location: "https://team.example/r.json" };

  async function bootWithTeam() {
    const world = new World();
    world.registry.set("team/weather", WEATHER);
    world.origins.set("team/weather", origin);
    const { supervisor } = await world.boot();
    return { world, supervisor };
  }

  test("keeps its source, shows it before it runs, and is upgraded by no other", async () => {
    const { world, supervisor } = await bootWithTeam();

    const plan = await supervisor.plans.plan({ image: "team/weather", env_vars: ENV });
    await supervisor.create({ image: "team/weather", env_vars: ENV });

    expect(plan.registry_source).toBe("team (https://team.example/r.json)");
    expect(listGrants(plan)).toContainEqual({
      kind: "registry",
      text: `the entry of the source ${plan.registry_source}`,
    });
    expect(world.config("weather")).toMatchObject({ registry_source: origin, image: "mcp/echo:1" });
    await supervisor.close({ keepContainers: false });
  });

  test("keeps it when its other settings change, and its image is not looked up again", async () => {
    const { world, supervisor } = await bootWithTeam();
    await supervisor.create({ image: "team/weather", env_vars: ENV });
    world.registry.set("mcp/echo:1", { ...WEATHER, image: "mcp/taken-over:1" });

    await supervisor.edits.edit("weather", { image: "mcp/echo:1", env_vars: [...ENV, "MORE=1"] });

    expect(world.config("weather")).toMatchObject({ registry_source: origin, image: "mcp/echo:1" });
    await supervisor.close({ keepContainers: false });
  });

  test("of the default registry keeps none", async () => {
    const world = new World();
    world.registry.set("weather", WEATHER);
    const { supervisor } = await world.boot();
    await supervisor.create({ image: "weather", env_vars: ENV });

    expect(world.config("weather")).not.toHaveProperty("registry_source");
    await supervisor.close({ keepContainers: false });
  });

  test("loses it with another image, as that is no entry of the source", async () => {
    const { world, supervisor } = await bootWithTeam();
    await supervisor.create({ image: "team/weather", env_vars: ENV });

    const { next } = await supervisor.edits.compare("weather", { image: "mcp/echo:2", env_vars: ENV });

    expect(world.config("weather")).toHaveProperty("registry_source");
    expect(next).not.toHaveProperty("registry_source");
    await supervisor.close({ keepContainers: false });
  });
});
