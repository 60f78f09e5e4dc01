import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { listPlaces } from "@toolhive/engine";
import { describe, expect, test } from "vitest";
import { accepts, decideOnEngine, describeNextStep, listSockets, succeeds } from "./ensure-engine.mjs";

const EMPTY = {
  env: {},
  isInstalled: (_name: string) => false,
  exists: (_path: string) => false,
  accepts: async (_path: string) => false,
  succeeds: async (_program: string, _args: readonly string[]) => false,
  canInstall: () => true,
};
const NOBODY = { isUnwanted: false, isInteractive: false };

describe("npm start on a machine without a container engine", () => {
  test.each([
    ["nothing is installed", {}],
    ["only the docker command is there", { isInstalled: (name: string) => name === "docker" }],
    ["a daemon is installed that nothing can start", { isInstalled: (name: string) => name.startsWith("docker") }],
    [
      "the socket of a daemon that ended was left behind",
      { exists: (path: string) => path === "/var/run/docker.sock" },
    ],
  ])("installs one where nobody can be asked, and asks where somebody can, when %s", async (_why, machine) => {
    expect(await decideOnEngine(NOBODY, { ...EMPTY, ...machine })).toBe("install");
    expect(await decideOnEngine({ ...NOBODY, isInteractive: true }, { ...EMPTY, ...machine })).toBe("ask");
  });

  test.each([
    ["--no-engine was given", { ...NOBODY, isUnwanted: true }, {}],
    ["this user or system cannot install packages", NOBODY, { canInstall: () => false }],
    ["a variable names an engine", NOBODY, { env: { DOCKER_HOST: "tcp://10.0.0.1:2375" } }],
    ["a socket answers", NOBODY, { accepts: async (path: string) => path === "/var/run/docker.sock" }],
    [
      "the docker command reaches a daemon elsewhere",
      NOBODY,
      {
        isInstalled: (name: string) => name === "docker",
        succeeds: async (program: string) => program === "docker",
      },
    ],
    ["Podman is installed, whose service thv starts", NOBODY, { isInstalled: (name: string) => name === "podman" }],
    [
      "Docker is installed and systemd can start it",
      NOBODY,
      {
        isInstalled: (name: string) => name === "dockerd",
        exists: (path: string) => path === "/run/systemd/system",
      },
    ],
  ])("leaves the machine as it is when %s", async (_why, wishes, machine) => {
    expect(await decideOnEngine(wishes, { ...EMPTY, ...machine })).toBe("leave");
  });

  test("searches the sockets that thv searches", async () => {
    const place = { env: { XDG_RUNTIME_DIR: "/run/user/7" }, home: "/home/nobody-of-that-name" };

    const ours = await listPlaces({ ...place, platform: "linux" });

    const paths = ours.map((each) => ("address" in each && each.address.kind === "socket" ? each.address.path : ""));
    expect(listSockets(place).sort()).toEqual(paths.sort());
  });

  test("says what is there, and the next step", () => {
    expect(describeNextStep(EMPTY)[0]).toBe("Install Docker or Podman; thv finds it by itself.");
    expect(describeNextStep({ ...EMPTY, isInstalled: (name) => name === "docker" })[0]).toContain(
      "The docker command is installed, without a daemon.",
    );
    const stopped = { isInstalled: (name: string) => name === "dockerd", exists: () => true };
    expect(describeNextStep({ ...EMPTY, ...stopped })).toEqual([
      "Docker is installed. Start it: sudo systemctl start docker",
    ]);
  });
});

test("a socket counts while somebody listens, and a program by its exit code", async () => {
  const folder = await mkdtemp(join(tmpdir(), "thv-engine-"));
  const path = join(folder, "docker.sock");
  const server = createServer().listen(path);
  await once(server, "listening");

  const whileListening = await accepts(path);
  await new Promise((resolve) => server.close(resolve));
  await writeFile(path, "");

  expect([whileListening, await accepts(path), await accepts(join(folder, "none.sock"))]).toEqual([true, false, false]);
  const exits = (code: number) => succeeds(process.execPath, ["-e", `process.exit(${code})`]);
  expect([await exits(0), await exits(1), await succeeds(join(folder, "none"), [])]).toEqual([true, false, false]);
  await rm(folder, { recursive: true });
});
