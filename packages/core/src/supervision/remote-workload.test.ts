import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { RemoteGrantRequest } from "../remote/sign-in-port.ts";
import { ThvError } from "../support/errors.ts";
import { FakeTime, settle } from "../testing/fake-time.ts";
import { Life } from "../testing/life.ts";
import { findEndpoint, Grant, runningWeb, URL_, WEB, withoutEngine } from "../testing/remote-world.ts";
import { readStatus, World } from "../testing/world.ts";

const DOWN = new ThvError("SERVER_NOT_READY", "It does not run.", { hint: "Start it." });

const SIGNED_OUT = new ThvError("UNAUTHENTICATED", "Nobody is signed in.", { hint: "Sign in: thv auth login web" });

let time: FakeTime;

beforeEach(() => {
  time = new FakeTime();
});

afterEach(() => time[Symbol.dispose]());

describe("a workload whose server runs elsewhere, on a machine without a container engine", () => {
  test("is created, listed without what may be a key, stopped, restarted and removed", async () => {
    const world = withoutEngine();
    const { supervisor } = await runningWeb(time, world);

    expect(supervisor.describe("web")).toMatchObject({
      package: "https://mcp.example.com/mcp?…",
      isRemote: true,
      transportType: "streamable-http",
      url: "http://127.0.0.1:12345/mcp",
    });
    expect(world.config("web")).toMatchObject({ remote_url: URL_, desired_state: "running" });
    await (await supervisor.stop("web")).done;
    expect([readStatus(supervisor, "web"), findEndpoint(world)]).toEqual(["stopped", undefined]);
    await (await supervisor.restart("web")).done;
    expect(readStatus(supervisor, "web")).toBe("running");
    await (await supervisor.delete("web")).done;
    expect([readStatus(supervisor, "web"), findEndpoint(world), world.config("web")]).toEqual([
      "absent",
      undefined,
      undefined,
    ]);
    expect(world.bugs).toEqual([]);
    expect(JSON.stringify(world.log)).not.toContain("MARK");
  });

  test("runs again after its supervisor was killed, and stays stopped when it was stopped", async () => {
    const world = withoutEngine();
    const life = new Life();
    const { supervisor } = await runningWeb(time, world, life);
    await supervisor.create({ ...WEB, name: "other", proxy_port: 12_346 });
    await (await supervisor.stop("other")).done;
    life.kill();

    const { supervisor: next } = await world.boot();
    await time.advanceUntil(() => readStatus(next, "web") === "running", "the server to be reached again");

    expect(next.describe("web").port).toBe(12_345);
    expect(readStatus(next, "other")).toBe("stopped");
  });

  test("a removal that was begun is finished by the next supervisor", async () => {
    const world = withoutEngine();
    const life = new Life();
    await runningWeb(time, world, life);
    life.kill();
    const config = world.config("web");
    world.disk.set("web", JSON.stringify({ ...config, desired_state: "removed" }));

    const { supervisor } = await world.boot();
    await time.advanceUntil(() => readStatus(supervisor, "web") === "absent", "the removal");

    expect(world.disk.has("web")).toBe(false);
  });

  test("its log is what the supervisor says of it, and it is followed until it is removed", async () => {
    const world = withoutEngine();
    const { supervisor } = await runningWeb(time, world);
    const signal = new AbortController().signal;
    const texts = (await supervisor.getLogs("web").read({ tail: 10 }, signal)).map(({ text }) => text);
    const followed: string[] = [];
    const following = (async () => {
      for await (const { text } of await supervisor.getLogs("web").follow({ tail: 10 }, signal)) followed.push(text);
    })();
    await settle();
    await (await supervisor.delete("web")).done;
    await following;

    expect(texts.join("\n")).toContain("connected to remote server");
    expect(followed.join("\n")).toContain("connected to remote server");
  });

  test("moves to another port, and to another address at the same port", async () => {
    const world = withoutEngine();
    const { supervisor } = await runningWeb(time, world);

    await (await supervisor.restart("web", { proxyPort: 12_400 })).done;
    await supervisor.edits.edit("web", { image: "https://new.example.com/sse" });

    expect(supervisor.describe("web")).toMatchObject({ port: 12_400, status: "running", transportType: "sse" });
    expect(world.network.endpoints.get(12_400)?.remote?.url.href).toBe("https://new.example.com/sse");
    expect([...world.network.endpoints.keys()]).toEqual([12_400]);
  });

  test("settings with which the server does not work give way to those before", async () => {
    const world = withoutEngine();
    const { supervisor } = await runningWeb(time, world);
    world.network.remoteProblems.set("https://bad.example.com/mcp", DOWN);

    await expect(supervisor.edits.edit("web", { image: "https://bad.example.com/mcp" })).rejects.toMatchObject({
      code: "SERVER_NOT_READY",
      message: expect.stringContaining("It does not run."),
    });

    expect(readStatus(supervisor, "web")).toBe("running");
    expect(findEndpoint(world)?.remote?.url.href).toBe(URL_);
  });

  test("does not become a container, nor a container a remote server", async () => {
    const world = new World();
    const { supervisor } = await runningWeb(time, world);
    await supervisor.create({ name: "echo", image: "mcp/echo:1" });

    await expect(supervisor.edits.edit("web", { image: "mcp/echo:1" })).rejects.toMatchObject({
      code: "INVALID_ARGUMENT",
    });
    await expect(supervisor.edits.edit("echo", { image: URL_ })).rejects.toMatchObject({ code: "INVALID_ARGUMENT" });
  });

  test("has a plan without a container, and no image to pull or to upgrade", async () => {
    const world = withoutEngine();
    const { supervisor } = await runningWeb(time, world);

    const plan = await supervisor.plans.plan({ image: "https://other.example.com/mcp" });

    expect(plan).toMatchObject({ name: "other.example.com", image_from: "remote", mounts: [] });
    expect(await supervisor.edits.checkUpgrade("web")).toMatchObject({
      isAvailable: false,
      reason: expect.any(String),
    });
    await expect(supervisor.restart("web", { pull: true })).rejects.toMatchObject({ code: "INVALID_ARGUMENT" });
    expect((await supervisor.plans.inspect("web")).plan?.image_from).toBe("remote");
  });

  test("names itself after its host, with a number where that is taken", async () => {
    const { supervisor } = await withoutEngine().boot();

    const names = [await supervisor.create({ image: URL_ }), await supervisor.create({ image: URL_ })];

    expect(names.map(({ name }) => name)).toEqual(["mcp.example.com", "mcp.example.com-2"]);
  });
});

describe("the status of a workload whose server runs elsewhere", () => {
  test("says what is wrong, and that it works again, without anybody's help", async () => {
    const world = withoutEngine();
    const { supervisor } = await runningWeb(time, world);

    world.network.remoteProblems.set(URL_, DOWN);
    await time.advanceUntil(() => readStatus(supervisor, "web") === "unhealthy", "the failure to be noticed");
    const { statusContext, error } = supervisor.describe("web");
    world.network.remoteProblems.clear();
    await time.advanceUntil(() => readStatus(supervisor, "web") === "running", "the recovery to be noticed");

    expect(statusContext).toBe("It does not run. Start it.");
    expect(error).toMatchObject({ code: "SERVER_NOT_READY", hint: "Start it." });
    expect(supervisor.describe("web").error).toBeUndefined();
  });

  test("one failure of a server that worked changes nothing", async () => {
    const world = withoutEngine();
    const { supervisor } = await runningWeb(time, world);
    const statuses = new Set<string>();
    world.onChange = ({ workload }) => {
      if (workload) statuses.add(workload.status);
    };
    world.network.remoteProblems.set(URL_, DOWN);
    findEndpoint(world)?.remote?.onOutcome?.(DOWN);
    await time.advance(600);
    world.network.remoteProblems.clear();
    await time.advance(120_000);

    expect(readStatus(supervisor, "web")).toBe("running");
    expect([...statuses]).toEqual([]);
  });

  test("a client's call that works shows at once that the server is back", async () => {
    const world = withoutEngine();
    world.network.remoteProblems.set(URL_, DOWN);
    const { supervisor } = await world.boot();
    await supervisor.create(WEB);
    await time.advance(300_000);
    expect(readStatus(supervisor, "web")).toBe("unhealthy");
    await time.advanceUntil(() => true, "nothing");
    world.network.remoteProblems.clear();

    findEndpoint(world)?.remote?.onOutcome?.(undefined);
    await time.advance(600);

    expect(readStatus(supervisor, "web")).toBe("running");
  });

  test("is unauthenticated with the command that signs in, and runs once a person has signed in", async () => {
    const world = withoutEngine();
    const grant = new Grant();
    const opened: RemoteGrantRequest[] = [];
    const forgotten: string[] = [];
    world.signIns = {
      open: async (request) => {
        opened.push(request);
        return grant;
      },
      assertReadable: async () => undefined,
      forget: async (name) => void forgotten.push(name),
    };
    grant.error = SIGNED_OUT;
    world.network.remoteProblems.set(URL_, SIGNED_OUT);
    const { supervisor } = await world.boot();
    await supervisor.create({ ...WEB, oauth_config: { issuer: "https://login.example.com" } });
    await time.advanceUntil(() => readStatus(supervisor, "web") === "unauthenticated", "the sign-in to be missed");
    expect(supervisor.describe("web").statusContext).toContain("thv auth login web");

    grant.error = undefined;
    world.network.remoteProblems.clear();
    grant.listeners.notify();
    await time.advance(600);

    expect(readStatus(supervisor, "web")).toBe("running");
    expect(opened).toMatchObject([{ name: "web", signIn: { issuer: "https://login.example.com" } }]);
    await (await supervisor.stop("web")).done;
    expect(grant.isClosed).toBe(false);
    await (await supervisor.delete("web")).done;
    expect([grant.isClosed, forgotten]).toEqual([true, ["web"]]);
  });

  test("keeps a workload whose sign-in cannot be forgotten, says why, and can be removed again", async () => {
    const world = withoutEngine();
    const grant = new Grant();
    let problem: ThvError | undefined = new ThvError("SECRETS_LOCKED", "The secrets are locked.");
    world.signIns = {
      open: async () => grant,
      assertReadable: async () => undefined,
      forget: async () => {
        if (problem) throw problem;
      },
    };
    const { supervisor } = await runningWeb(time, world);

    await (await supervisor.delete("web")).done;

    expect(supervisor.describe("web").statusContext).toBe("cannot remove: The secrets are locked.");
    expect(world.log.map(({ message }) => message)).toContain("cannot remove the workload");
    problem = undefined;
    await (await supervisor.delete("web")).done;
    expect([supervisor.list(), world.disk.size, world.bugs]).toEqual([[], 0, []]);
  });
});

describe("headers of a remote server", () => {
  const header_forward = { add_plaintext_headers: { "X-Team": "maps" }, add_headers_from_secret: { "X-Key": "key" } };

  test("have the values that secrets have at the start, which are kept nowhere", async () => {
    const world = withoutEngine();
    world.secrets.set("key", "SECRET-1");
    const { supervisor } = await world.boot();
    await supervisor.create({ ...WEB, header_forward });
    await time.advanceUntil(() => readStatus(supervisor, "web") === "running", "the server to be reached");
    const before = findEndpoint(world)?.remote?.headers;
    world.secrets.set("key", "SECRET-2");
    await (await supervisor.restart("web")).done;

    expect([before, findEndpoint(world)?.remote?.headers]).toEqual([
      { "x-team": "maps", "x-key": "SECRET-1" },
      { "x-team": "maps", "x-key": "SECRET-2" },
    ]);
    expect([...world.disk.values()].join() + JSON.stringify(world.log)).not.toContain("SECRET");
    expect(supervisor.listSecretUsers()).toEqual(new Map([["key", ["web"]]]));
  });

  test("a secret that is missing is a mistake in the request", async () => {
    const world = withoutEngine();
    const { supervisor } = await world.boot();

    await expect(supervisor.create({ ...WEB, header_forward })).rejects.toMatchObject({ code: "SECRET_NOT_FOUND" });

    expect(world.disk.size).toBe(0);
  });

  test("a secret that no header can hold fails the start without its value", async () => {
    const world = withoutEngine();
    world.secrets.set("key", "SECRET\r\nX-Other: 1");
    const { supervisor } = await world.boot();
    await supervisor.create({ ...WEB, header_forward });
    await time.advanceUntil(() => readStatus(supervisor, "web") === "error", "the failure");

    expect(supervisor.describe("web").statusContext).toContain('"key" cannot be sent as the header X-Key');
    expect(JSON.stringify(world.log)).not.toContain("SECRET");
  });
});

describe("a request for a remote server is refused", () => {
  test.each([
    [{ env_vars: ["A=1"] }, "env_vars is for a server in a container"],
    [{ volumes: ["/a:/b"] }, "volumes is for a server in a container"],
    [{ limits: { cpus: 1 } }, "limits is for a server in a container"],
    [{ network_isolation: true }, "network_isolation is for a server in a container"],
    [{ permission_profile: { name: "none" } }, "permission_profile is for a server in a container"],
    [{ transport: "stdio" }, 'transport "stdio" is for a server in a container'],
    [{ image: "http://mcp.example.com/mcp" }, "everybody on the way could read and change"],
    [
      { image: "http://mcp.example.com/mcp", allow_insecure_http: true, oauth_config: { required: true } },
      "no secret is sent that way",
    ],
    [{ image: "https://user:MARK@mcp.example.com" }, "holds a password"],
    [{ image: "mcp/echo:1", oauth_config: { required: true } }, "oauth_config is for a remote server"],
    [{ header_forward: { add_plaintext_headers: { Cookie: "MARK" } } }, '"Cookie", which the proxy sets itself'],
    [{ header_forward: { add_plaintext_headers: { Authorization: "MARK" } } }, "Authorization with its value in clear"],
    [{ header_forward: { add_plaintext_headers: { "X-A": "MARK\n" } } }, "that no header can have"],
  ])("for %j", async (members, text) => {
    const { supervisor } = await withoutEngine().boot();

    const error: unknown = await supervisor.create({ ...WEB, ...members }).catch((reason: unknown) => reason);

    expect(error).toMatchObject({ code: "INVALID_ARGUMENT", message: expect.stringContaining(text) });
    expect(String(error)).not.toContain("MARK");
  });

  test("but not over http:// to this machine, or where it is allowed", async () => {
    const { supervisor } = await withoutEngine().boot();

    await supervisor.create({ image: "http://127.0.0.1:8000/mcp" });
    await supervisor.create({ image: "http://nas.example.com/mcp", allow_insecure_http: true });

    expect(supervisor.list().map(({ name }) => name)).toEqual(["127.0.0.1", "nas.example.com"]);
  });
});
