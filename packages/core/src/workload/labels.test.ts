import { describe, expect, test } from "vitest";
import type { Container } from "../ports/container-engine.ts";
import { draftRunConfig } from "./create-request.ts";
import { buildContainerLabels, buildInstanceLabels, isLoggedAsNow, isMadeFrom, isOwnedBy } from "./labels.ts";
import type { RunConfig } from "./run-config.ts";

const CONFIG: RunConfig = {
  ...draftRunConfig({ name: "echo", image: "mcp/echo:1", env_vars: ["B=2", "A=1"] }, new Date(0)),
  port: 12_345,
};

function createContainer(config: RunConfig, instanceId = "home"): Container {
  const labels = buildContainerLabels(config, instanceId);
  return { id: "0", name: "echo", image: "mcp/echo:1", state: "running", createdAt: new Date(0), labels };
}

describe("container labels", () => {
  test("are the reference's seven and three of ours", () => {
    expect(buildContainerLabels(CONFIG, "home")).toEqual({
      toolhive: "true",
      "toolhive-log": "supervisor",
      "toolhive-name": "echo",
      "toolhive-basename": "echo",
      "toolhive-transport": "streamable-http",
      "toolhive-port": "12345",
      "toolhive-tool-type": "mcp",
      "toolhive-network-isolation": "false",
      "toolhive-instance": "home",
      "toolhive-config": expect.stringMatching(/^[0-9a-f]{16}$/),
    });
  });

  test("are joined by the user's, none of which takes the place of one of ours", () => {
    const container_labels = { team: "maps", "toolhive-instance": "other", toolhive: "false" };

    expect(buildContainerLabels({ ...CONFIG, container_labels }, "home")).toMatchObject({
      team: "maps",
      toolhive: "true",
      "toolhive-instance": "home",
    });
  });

  test("hold no environment variable", () => {
    expect(JSON.stringify(buildContainerLabels({ ...CONFIG, env_vars: { TOKEN: "s3cret" } }, "home"))).not.toContain(
      "s3cret",
    );
  });

  test("name the instance that a container belongs to", () => {
    expect(isOwnedBy(createContainer(CONFIG, "home"), "home")).toBe(true);
    expect(isOwnedBy(createContainer(CONFIG, "other"), "home")).toBe(false);
    expect(isOwnedBy({ ...createContainer(CONFIG), labels: {} }, "home")).toBe(false);
    expect(buildInstanceLabels("home")).toEqual({ toolhive: "true", "toolhive-instance": "home" });
  });

  test("recognise the configuration over a stop and over a way through its file", () => {
    const container = createContainer(CONFIG);

    expect(isMadeFrom(container, { ...CONFIG, desired_state: "stopped" })).toBe(true);
    expect(isMadeFrom(container, JSON.parse(JSON.stringify(CONFIG)) as RunConfig)).toBe(true);
  });

  test.each([
    { image: "mcp/echo:2" },
    { cmd_args: ["-v"] },
    { env_vars: { A: "1" } },
    { container_labels: { team: "maps" } },
    { port: 12_346 },
    { created_at: "2026-01-01T00:00:00.000Z" },
  ])("see that the configuration has changed: %j", (change) => {
    expect(isMadeFrom(createContainer(CONFIG), { ...CONFIG, ...change })).toBe(false);
  });
});

describe("a container of an older version", () => {
  test("whose output the engine logs is not like one of now", () => {
    const { "toolhive-log": _keeper, ...labels } = buildContainerLabels(CONFIG, "home");
    const container = { ...createContainer(CONFIG), labels };

    expect([isMadeFrom(container, CONFIG), isLoggedAsNow(container, CONFIG)]).toEqual([true, false]);
    expect(isLoggedAsNow(createContainer(CONFIG), CONFIG)).toBe(true);
  });
});
