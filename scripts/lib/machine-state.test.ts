import { describe, expect, test } from "vitest";
import { compareStates, readMachineState } from "./machine-state.mjs";

describe("compareStates", () => {
  const before = {
    links: ["lo up mtu 65536", "docker0 up mtu 1500"],
    settings: ["/proc/sys/net/ipv4/ip_forward 0"],
    "control groups": ["/sys/fs/cgroup/memory/docker/1"],
    processes: [],
  };

  test("a link that is missing afterwards is named", () => {
    expect(compareStates(before, { ...before, links: ["lo up mtu 65536"] })).toEqual([
      "links: gone: docker0 up mtu 1500",
    ]);
  });

  test("what is new is named, and so is one more of the same", () => {
    const after = { ...before, links: [...before.links, "veth1 up"], processes: ["7 dockerd"] };

    expect(compareStates(before, after)).toEqual(["links: new: veth1 up", "processes: new: 7 dockerd"]);
    expect(compareStates({ rules: ["a"] }, { rules: ["a", "a"] })).toEqual(["rules: new: a"]);
  });

  test("a setting that has another value is named, one that a module of the kernel brings is not", () => {
    const forwarding = "/proc/sys/net/ipv4/ip_forward";

    expect(compareStates(before, { ...before, settings: [`${forwarding} 1`] })).toEqual([
      `settings: gone: ${forwarding} 0`,
    ]);
    expect(compareStates(before, { ...before, settings: [`${forwarding} 0`, "/proc/sys/net/bridge/x 1"] })).toEqual([]);
  });

  test("the same in another order is no change, and what another run left and took away is none either", () => {
    const after = { ...before, links: [...before.links].reverse(), "control groups": [] };

    expect(compareStates(before, after)).toEqual([]);
  });

  test("an engine that does not answer any more is a change", () => {
    const engine = { "engine at unix:///var/run/docker.sock": ["container 1 /web running"] };

    expect(compareStates(engine, { "engine at unix:///var/run/docker.sock": [] })).toEqual([
      "engine at unix:///var/run/docker.sock: gone: container 1 /web running",
    ]);
  });
});

test.skipIf(process.platform !== "linux")(
  "the state of this machine is not empty (skipped where it is not Linux)",
  async () => {
    const { links, mounts, settings } = await readMachineState({ engineHosts: [] });

    expect(mounts?.length).toBeGreaterThan(0);
    expect(settings).toContainEqual(expect.stringMatching(/^\/proc\/sys\/net\/ipv4\/ip_forward [01]$/));
    expect(links).toContainEqual(expect.stringMatching(/^lo (up|down) mtu \d+ link\/loopback/));
  },
);
