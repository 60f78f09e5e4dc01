import { createHash } from "node:crypto";
import { chmod, mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { formatAddress } from "../connection/engine-address.ts";
import { isUsable, type Place } from "./candidate.ts";
import { listPlaces } from "./list-places.ts";

let home: string;
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), "thv-places-"));
});
afterEach(async () => {
  await rm(home, { recursive: true });
});

type Env = Record<string, string>;

const find = (env: Env = {}, options: { platform?: NodeJS.Platform; configured?: string } = {}) =>
  listPlaces({ env, home, platform: "linux", ...options });

function show(place: Place): string {
  return isUsable(place)
    ? `${formatAddress(place.address)} (${place.origin})${place.explicit ? "!" : ""}`
    : `${place.origin}: ${place.problem}`;
}

const first = async (...options: Parameters<typeof find>) => show((await find(...options))[0] as Place);

async function write(path: string, content: unknown): Promise<string> {
  const whole = join(home, path);
  await mkdir(dirname(whole), { recursive: true });
  await writeFile(whole, typeof content === "string" ? content : JSON.stringify(content));
  return whole;
}

const hashName = (name: string) => createHash("sha256").update(name).digest("hex");

async function writeContext(name: string, endpoint: unknown): Promise<void> {
  await write(`.docker/contexts/meta/${hashName(name)}/meta.json`, { Name: name, Endpoints: { docker: endpoint } });
}

describe("what the user named goes before everything else, and alone", () => {
  test.each<[Env, string, string]>([
    [{ DOCKER_HOST: "tcp://10.0.0.1:2375" }, "", "tcp://10.0.0.1:2375 (DOCKER_HOST)!"],
    [{ CONTAINER_HOST: "unix:///p.sock" }, "", "/p.sock (CONTAINER_HOST)!"],
    [{ CONTAINER_HOST: "unix:///p.sock", DOCKER_HOST: "unix:///d.sock" }, "", "/d.sock (DOCKER_HOST)!"],
    [{ DOCKER_HOST: "unix:///d.sock" }, "unix:///c.sock", "/c.sock (thv config set-engine)!"],
    [{ TOOLHIVE_DOCKER_SOCKET: "/d.sock" }, "unix:///c.sock", "/d.sock (TOOLHIVE_DOCKER_SOCKET)!"],
    [{ TOOLHIVE_PODMAN_SOCKET: "/p.sock", TOOLHIVE_DOCKER_SOCKET: "/d.sock" }, "", "/p.sock (TOOLHIVE_PODMAN_SOCKET)!"],
    [{ TOOLHIVE_PODMAN_SOCKET: "", DOCKER_HOST: "unix:///d.sock" }, "", "/d.sock (DOCKER_HOST)!"],
  ])("%j with the setting %j", async (env, configured, expected) => {
    await writeContext("other", { Host: "unix:///context.sock" });
    await write(".docker/config.json", { currentContext: "other" });

    expect((await find(env, { configured })).map(show)).toEqual([expected]);
  });

  test("with the TLS files that Docker's variables name", async () => {
    const env = { DOCKER_HOST: "tcp://build", DOCKER_TLS_VERIFY: "1" };
    const tls = (folder: string, skipsVerification: boolean) => ({
      address: {
        kind: "tcp",
        port: 2376,
        tls: { ca: `${folder}/ca.pem`, cert: `${folder}/cert.pem`, key: `${folder}/key.pem`, skipsVerification },
      },
    });

    expect(await find(env)).toMatchObject([tls(`${home}/.docker`, false)]);
    expect(await find({ ...env, DOCKER_CERT_PATH: "/certs" })).toMatchObject([tls("/certs", false)]);
    expect(await find({ DOCKER_HOST: "tcp://build", DOCKER_TLS: "1" })).toMatchObject([tls(`${home}/.docker`, true)]);
  });
});

describe("the current Docker context", () => {
  test("comes before the usual sockets, which stay as a way out", async () => {
    await writeContext("colima-work", { Host: "unix:///colima/work.sock" });
    await write(".docker/config.json", { auths: {}, currentContext: "colima-work" });

    const places = await find();

    expect(show(places[0] as Place)).toBe('/colima/work.sock (Docker context "colima-work")');
    expect(places.length).toBeGreaterThan(5);
  });

  test("is another one with DOCKER_CONTEXT, and then the only one", async () => {
    await writeContext("build", { Host: "ssh://ada@build" });
    await write(".docker/config.json", { currentContext: "default" });

    expect((await find({ DOCKER_CONTEXT: "build" })).map(show)).toEqual(["ssh://ada@build (DOCKER_CONTEXT=build)!"]);
  });

  test("is read from DOCKER_CONFIG", async () => {
    await writeContext("one", { Host: "unix:///one.sock" });
    await write(".docker/config.json", { currentContext: "one" });

    expect(await first({ DOCKER_CONFIG: join(home, ".docker") })).toContain("/one.sock");
    expect(await first({ DOCKER_CONFIG: join(home, "none") })).not.toContain("/one.sock");
  });

  test("brings its TLS files along, as far as they are there", async () => {
    await writeContext("tls", { Host: "tcp://build:2376", SkipTLSVerify: false });
    const ca = await write(`.docker/contexts/tls/${hashName("tls")}/docker/ca.pem`, "CA");

    expect(await find({ DOCKER_CONTEXT: "tls" })).toMatchObject([
      { address: { host: "build", tls: { ca, skipsVerification: false } } },
    ]);
  });

  test.each([[{}], [{ currentContext: "default" }], [{ currentContext: "" }], [{ currentContext: 7 }], ["[]"]])(
    "is none with the settings %j",
    async (settings) => {
      await write(".docker/config.json", settings);

      expect(await first()).toBe("/var/run/podman/podman.sock (Podman)");
    },
  );

  test.each<[string, () => Promise<unknown>, RegExp]>([
    ["a context that is not there", async () => undefined, /there is no context of that name in/],
    ["a damaged one", () => write(`.docker/contexts/meta/${hashName("x")}/meta.json`, "no"), /meta\.json is not JSON$/],
    ["one without a host", () => writeContext("x", {}), /names no Docker host$/],
    ["one with a strange host", () => writeContext("x", { Host: "fd://" }), /which is not an engine's address$/],
    [
      "a folder in its place",
      () => mkdir(join(home, `.docker/contexts/meta/${hashName("x")}/meta.json`), { recursive: true }),
      /meta\.json: it is no regular file$/,
    ],
  ])(
    "with %s is passed over with the reason, and refused when DOCKER_CONTEXT names it",
    async (_what, prepare, reason) => {
      await write(".docker/config.json", { currentContext: "x" });
      await prepare();

      expect(await first()).toMatch(reason);
      expect((await find()).filter(isUsable).length).toBeGreaterThan(5);
      await expect(find({ DOCKER_CONTEXT: "x" })).rejects.toMatchObject({
        code: "INVALID_ARGUMENT",
        hint: expect.stringContaining("docker context ls"),
      });
    },
  );

  test("is passed over when the settings that name it are damaged, and found when DOCKER_CONTEXT does", async () => {
    await write(".docker/config.json", "{");
    await writeContext("x", { Host: "unix:///x.sock" });

    expect(await first()).toMatch(/config\.json is not JSON$/);
    expect(await first({ DOCKER_CONTEXT: "x" })).toBe("/x.sock (DOCKER_CONTEXT=x)!");
  });

  test("of a file that is a device is not read", async () => {
    await mkdir(join(home, ".docker"));
    await symlink("/dev/zero", join(home, ".docker/config.json"));

    expect(await first()).toMatch(/it is no regular file$/);
  });
});

describe("Podman's default connection", () => {
  const CONNECTIONS = {
    Connection: {
      Default: "build",
      Connections: {
        build: { URI: "ssh://core@build:2222/run/podman/podman.sock", Identity: "/keys/build" },
        here: { URI: "unix:///here.sock" },
        vm: { URI: "ssh://core@127.0.0.1:40123/run/user/501/podman/podman.sock", IsMachine: true },
      },
    },
  };

  test("of Podman 5", async () => {
    await write(".config/containers/podman-connections.json", CONNECTIONS);

    expect((await find())[0]).toMatchObject({
      address: { kind: "ssh", host: "build", user: "core", identity: "/keys/build", program: "podman" },
      origin: 'Podman connection "build"',
      explicit: false,
    });
    expect(await first({ CONTAINER_CONNECTION: "here" })).toBe('/here.sock (Podman connection "here")!');
  });

  test("of Podman 4", async () => {
    const conf = '[engine]\nactive_service = "b"\n[engine.service_destinations.b]\nuri = "unix:///b.sock"\n';
    await write("settings/containers/containers.conf", conf);

    expect(await first({ XDG_CONFIG_HOME: join(home, "settings") })).toBe('/b.sock (Podman connection "b")');
  });

  test.each([
    ["no JSON", "podman-connections.json", "{", /JSON/],
    ["no TOML", "containers.conf", "[engine", /./],
    ["a default that is not there", "podman-connections.json", '{"Connection":{"Default":"x"}}', /no connection "x"$/],
  ])("with %s is passed over with the reason", async (_what, name, content, reason) => {
    await write(`.config/containers/${name}`, content);

    expect(await first()).toMatch(/^Podman connection: /);
    expect(await first()).toMatch(reason);
  });

  test("that is named and not there is refused", async () => {
    await expect(find({ CONTAINER_CONNECTION: "x" })).rejects.toMatchObject({ code: "INVALID_ARGUMENT" });
    await write(".config/containers/podman-connections.json", CONNECTIONS);
    await expect(find({ CONTAINER_CONNECTION: "x" })).rejects.toMatchObject({
      code: "INVALID_ARGUMENT",
      hint: expect.stringContaining("podman system connection list"),
    });
  });

  describe("to a virtual machine is the socket that podman prints (a script stands in for podman, which has no machine here)", () => {
    let server: Server;
    let env: Env;
    const setUp = async (script: string) => {
      const podman = await write("bin/podman", `#!/bin/sh\n${script}\n`);
      await chmod(podman, 0o755);
      env = { PATH: `${dirname(podman)}:${process.env.PATH}`, CONTAINER_CONNECTION: "" };
      const { Connection } = CONNECTIONS;
      await write(".config/containers/podman-connections.json", { Connection: { ...Connection, Default: "vm" } });
    };
    beforeEach(async () => {
      server = createServer();
      await new Promise<void>((resolve) => server.listen(join(home, "vm.sock"), resolve));
    });
    afterEach(() => {
      server.close();
    });

    test("when it is there", async () => {
      await setUp(`[ "$1 $2 $5" = "machine inspect vm" ] && echo "${"$"}{0%/bin/podman}/vm.sock"`);

      expect(await first(env)).toBe(`${home}/vm.sock (Podman machine "vm")`);
    });

    test.each([
      ["prints another path", 'echo "/nowhere.sock"', /podman machine inspect failed: .*nowhere/],
      ["fails", 'echo "vm does not exist" >&2; exit 125', /vm does not exist/],
    ])("and passed over when podman %s", async (_what, script, reason) => {
      await setUp(script);

      expect(await first(env)).toMatch(reason);
    });
  });
});

describe("the usual sockets", () => {
  const addresses = async (...options: Parameters<typeof find>) =>
    (await find(...options)).filter(isUsable).map(({ address }) => formatAddress(address).replace(home, "~"));

  test("on Linux are Podman's before Docker's, and the system's before the user's", async () => {
    expect(await addresses({ XDG_RUNTIME_DIR: "/run/user/1000" })).toEqual([
      "/var/run/podman/podman.sock",
      "/run/user/1000/podman/podman.sock",
      "~/.local/share/containers/podman/machine/podman.sock",
      "/var/run/docker.sock",
      "/run/user/1000/docker.sock",
      "~/.docker/run/docker.sock",
      "~/.docker/desktop/docker.sock",
      "~/.orbstack/run/docker.sock",
      "~/.rd/docker.sock",
      "~/.colima/default/docker.sock",
      "~/.config/colima/default/docker.sock",
      "/mnt/wsl/podman-sockets/podman-machine-default/podman-user.sock",
      "/mnt/wsl/podman-sockets/podman-machine-default/podman-root.sock",
    ]);
  });

  test("without a runtime directory leave the rootless ones out", async () => {
    expect((await addresses({})).some((address) => address.includes("/user/"))).toBe(false);
  });

  test("on Windows are the two named pipes", async () => {
    expect(await addresses({}, { platform: "win32" })).toEqual([
      "\\\\.\\pipe\\podman-api",
      "\\\\.\\pipe\\podman-machine-default",
      "\\\\.\\pipe\\docker_engine",
    ]);
  });

  test("are searched with an empty DOCKER_HOST", async () => {
    expect((await addresses({ DOCKER_HOST: "" })).length).toBeGreaterThan(1);
  });
});
