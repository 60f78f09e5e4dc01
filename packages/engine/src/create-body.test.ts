import type { ContainerSpec } from "@toolhive/core";
import { describe, expect, test } from "vitest";
import { buildCreateBody } from "./create-body.ts";

const ALL = { memory: true, swap: true, cpu: true, pids: true };
const SPEC: ContainerSpec = {
  name: "echo",
  image: "mcp/echo:1",
  args: [],
  env: {},
  labels: {},
  stdio: true,
  limits: { memoryBytes: 1_000_000_000, cpus: 1.5, pids: 200 },
};

function hostConfig(changes: Partial<ContainerSpec> = {}, limits = ALL) {
  return buildCreateBody({ ...SPEC, ...changes }, { init: true, limits }).HostConfig as Record<string, unknown>;
}

describe("the init process", () => {
  test("is asked for, and refused by name where the program is process 1 itself, whatever the engine's default is", () => {
    expect(hostConfig()).toMatchObject({ Init: true });
    expect(hostConfig({ init: false })).toMatchObject({ Init: false });
  });
});

describe("limits", () => {
  test("bound memory without swap on top, processors by quota, and processes", () => {
    expect(hostConfig()).toMatchObject({
      Memory: 1_000_000_000,
      MemorySwap: 1_000_000_000,
      CpuPeriod: 100_000,
      CpuQuota: 150_000,
      PidsLimit: 200,
    });
  });

  test("of zero bound nothing", () => {
    const config = hostConfig({ limits: { memoryBytes: 0, cpus: 0, pids: 0 } });

    expect(Object.keys(config)).not.toEqual(expect.arrayContaining(["Memory"]));
    expect(config).not.toHaveProperty("MemorySwap");
    expect(config).not.toHaveProperty("CpuQuota");
    expect(config).not.toHaveProperty("PidsLimit");
  });

  test("that the engine cannot enforce are left out, because it would refuse the container", () => {
    const config = hostConfig({}, { memory: true, swap: false, cpu: false, pids: false });

    expect(config).toMatchObject({ Memory: 1_000_000_000 });
    expect(config).not.toHaveProperty("MemorySwap");
    expect(config).not.toHaveProperty("CpuQuota");
    expect(config).not.toHaveProperty("PidsLimit");
  });
});

test("a server whose memory the engine cannot bound is the first that the kernel ends when memory runs out", () => {
  expect(hostConfig({}, { ...ALL, memory: false, swap: false })).toMatchObject({ OomScoreAdj: 1000 });
  expect(hostConfig()).not.toHaveProperty("OomScoreAdj");
});

describe("mounts", () => {
  test("are of the kind that is refused when the source is missing", () => {
    const config = hostConfig({ mounts: [{ source: "/srv/a", target: "/a", readOnly: true }] });

    expect(config.Mounts).toEqual([{ Type: "bind", Source: "/srv/a", Target: "/a", ReadOnly: true }]);
    expect(config).not.toHaveProperty("Binds");
  });

  test("with an SELinux label are of the kind that knows them", () => {
    const config = hostConfig({
      mounts: [
        { source: "/srv/a", target: "/a", readOnly: true, relabel: "shared" },
        { source: "/srv/b", target: "/b", readOnly: false, relabel: "private" },
      ],
    });

    expect(config.Binds).toEqual(["/srv/a:/a:ro,z", "/srv/b:/b:rw,Z"]);
  });
});

describe("the user", () => {
  test("is the image's, unless one is named with groups and a home in memory", () => {
    expect(buildCreateBody(SPEC, { init: true, limits: ALL })).not.toHaveProperty("User");
    const spec = { ...SPEC, user: "1001:1001", groups: ["27"], scratch: "/thv-home" };
    expect(buildCreateBody(spec, { init: true, limits: ALL })).toMatchObject({
      User: "1001:1001",
      HostConfig: {
        CapDrop: ["ALL"],
        GroupAdd: ["27"],
        Tmpfs: { "/thv-home": "rw,nosuid,nodev,exec,size=1g,mode=1777" },
      },
    });
  });
});

describe("SELinux", () => {
  const listOptions = (mounts: ContainerSpec["mounts"], hasSelinux: boolean) => {
    const spec = { ...SPEC, ...(mounts && { mounts }) };
    const { HostConfig } = buildCreateBody(spec, { init: true, limits: ALL, hasSelinux });
    return (HostConfig as { SecurityOpt: string[] }).SecurityOpt;
  };
  const plain = { source: "/srv/a", target: "/a", readOnly: false };

  test("exempts a container with a folder that has no label, and only where it is on", () => {
    expect(listOptions([plain], true)).toEqual(["no-new-privileges", "label=disable"]);
    expect(listOptions([plain], false)).toEqual(["no-new-privileges"]);
  });

  test("stays on without folders, and where the user labels them all", () => {
    expect(listOptions(undefined, true)).toEqual(["no-new-privileges"]);
    expect(listOptions([{ ...plain, relabel: "shared" }], true)).toEqual(["no-new-privileges"]);
  });
});

test("a root that cannot be changed comes with a bounded /tmp that can", () => {
  expect(hostConfig({ readOnlyRoot: true })).toMatchObject({
    ReadonlyRootfs: true,
    Tmpfs: { "/tmp": "rw,nosuid,nodev,size=256m,mode=1777" },
  });
  expect(hostConfig()).not.toHaveProperty("ReadonlyRootfs");
});

test("no container gets a capability, the host's namespaces or a way to new privileges", () => {
  const config = hostConfig();

  expect(config).toMatchObject({ CapDrop: ["ALL"], SecurityOpt: ["no-new-privileges"] });
  for (const member of ["CapAdd", "Privileged", "PidMode", "IpcMode", "UTSMode", "UsernsMode", "Devices"]) {
    expect(config).not.toHaveProperty(member);
  }
});
