/** The forms of `thv run`: where each setting comes from, what is asked, and what is refused before anything is started. */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { answeringServer } from "@toolhive/core/testing";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { ServedThv } from "../src/testing/served-thv.ts";

const WAIT = { timeout: 20_000, interval: 10 };
const GITHUB = "GITHUB_PERSONAL_ACCESS_TOKEN";

let world: ServedThv;
let folder: string;

beforeEach(async () => {
  world = await ServedThv.start();
  folder = await mkdtemp(join(tmpdir(), "thv-run-"));
});
afterEach(async () => {
  await world[Symbol.asyncDispose]();
  await rm(folder, { recursive: true });
});

const machine = () => world.served.world;
const findSpec = (name: string) => machine().engine.find(name)?.spec;

describe("variables", () => {
  test("come from --env, then from files, the later before the earlier, then from the registry", async () => {
    const first = join(folder, "first.env");
    const second = join(folder, "second.env");
    await writeFile(first, "# a comment\n\nA=first\r\nB=first\nC=first\n");
    await writeFile(second, "  B=second = two\nHERE\n");
    machine().registry.set("weather", {
      name: "weather",
      image: "mcp/echo:1",
      description: "d",
      tier: "Community",
      status: "Active",
      transport: "stdio",
      tools: [],
      env_vars: [
        { name: "C", description: "c", required: false, default: "registry" },
        { name: "D", description: "d", required: false, default: "registry" },
      ],
    });

    const flags = ["--env-from", first, "--env-from", second, "-e", "A=flag", "-e", "THERE"];
    const result = await world.call(["run", ...flags, "weather"], { env: { HERE: "from here", THERE: "too" } });

    expect(result).toMatchObject({ code: 0, stderr: "" });
    expect(findSpec("weather")?.env).toMatchObject({
      A: "flag",
      B: "second = two",
      C: "first",
      D: "registry",
      HERE: "from here",
      THERE: "too",
    });
  });
});

describe("flags, the registry and the defaults", () => {
  beforeEach(() => {
    machine().registry.set("weather", {
      name: "weather",
      image: "mcp/echo:1",
      description: "d",
      tier: "Community",
      status: "Active",
      transport: "sse",
      target_port: 9_000,
      tools: [],
      args: ["--from-registry"],
    });
  });

  test.each([
    ["name", ["weather"], "name", "weather"],
    ["name", ["--name", "mine", "weather"], "name", "mine"],
    ["transport", ["weather"], "transport", "sse"],
    ["transport", ["--transport", "streamable-http", "weather"], "transport", "streamable-http"],
    ["transport", ["mcp/echo:1"], "transport", "stdio"],
    ["target port", ["weather"], "target_port", 9_000],
    ["target port", ["--target-port", "9001", "weather"], "target_port", 9_001],
    ["host", ["weather"], "host", "127.0.0.1"],
    ["host", ["--host", "0.0.0.0", "weather"], "host", "0.0.0.0"],
    ["host", ["--host", "::1", "weather"], "host", "::1"],
    ["proxy mode", ["mcp/echo:1"], "proxy_mode", "streamable-http"],
    ["proxy mode", ["--proxy-mode", "sse", "mcp/echo:1"], "proxy_mode", "sse"],
    ["arguments", ["weather", "--", "--from-flag"], "cmd_args", ["--from-registry", "--from-flag"]],
  ])("decide the %s of %j in that order", async (_what, argv, member, expected) => {
    const interrupt = new AbortController();
    const running = world.call(["run", ...argv], { signal: interrupt.signal });
    await vi.waitFor(() => expect(machine().disk.size).toBe(1), WAIT);

    const [text = ""] = machine().disk.values();

    expect(JSON.parse(text)[member]).toEqual(expected);
    interrupt.abort();
    await running;
  });
});

describe("what is wrong", () => {
  test("is named completely, without the values of variables, and nothing is started", async () => {
    const file = join(folder, "bad.env");
    await writeFile(file, "GOOD=1\nnot a variable=s3cret\nUNSET_HERE\n");
    const flags = [
      ...["--proxy-port", "0", "--target-port", "70000", "--secret", "token", "--label", "x y=1"],
      ...["--env", "=s3cret", "--env-from", file, "--env-from", join(folder, "absent.env")],
    ];

    const { code, stdout, stderr } = await world.call(["run", ...flags, "mcp/echo:1"]);

    expect([code, stdout]).toEqual([64, ""]);
    for (const part of [
      '--proxy-port is "0"',
      '--target-port is "70000"',
      '--secret is "token" but must be NAME,target=VARIABLE',
      '--label: label "x y" has a name that is not',
      '--env "=…" has no name before "="',
      'bad.env, line 2: "not a variable" is not KEY=VALUE',
      "bad.env, line 3: UNSET_HERE has no value, and is not set here either",
      "absent.env cannot be read: it does not exist",
    ]) {
      expect(stderr).toContain(part);
    }
    expect(stderr).not.toContain("s3cret");
    expect(machine().engine.calls).not.toContain("createContainer");
  });

  test.each([
    ["in quotes", '"-----BEGIN KEY-----\ns3cretAA==\ns3cret\n-----END KEY-----"'],
    ["in single quotes", "'s3cret\ns3cret='"],
    ["without quotes", "-----BEGIN KEY-----\ns3cret+/=\n-----END KEY-----"],
  ])("is a value over several lines in a file of variables, %s, with the way to give it", async (_how, value) => {
    const file = join(folder, "key.env");
    await writeFile(file, `GOOD=1\nPEM_KEY=${value}\nexport ALSO=1\nMOTTO='tis one\nLAST="x"\n`);

    const { code, stderr } = await world.call(["run", "--env-from", file, "mcp/echo:1"]);

    expect(code).toBe(64);
    expect(stderr).toContain("key.env, line 2: PEM_KEY has a value over several lines");
    expect(stderr).toContain("thv secret set NAME --file FILE; then use --secret NAME,target=PEM_KEY");
    expect(stderr).toContain('"export ALSO" begins with "export": leave that out');
    expect(stderr).not.toMatch(/s3cret|MOTTO|LAST/);
  });

  test("a certificate for an image that is not built here is refused", async () => {
    const { code, stderr } = await world.call(["run", "--ca-cert", "ca.pem", "mcp/echo:1"]);

    expect(code).toBe(2);
    expect(stderr).toContain("a CA certificate is for servers given as npx://, uvx:// or go://");
  });

  test("a certificate that cannot be read is named before anything is built", async () => {
    const { code, stderr } = await world.call(["run", "--ca-cert", join(folder, "ca.pem"), "npx://server"]);

    expect(code).toBe(2);
    expect(stderr).toContain(`${join(folder, "ca.pem")} cannot be used as a CA certificate: it cannot be read`);
    expect(machine().engine.calls).not.toContain("buildImage");
  });
});

describe("--port", () => {
  test("is --proxy-port under its old name, says so, and gives way to it", async () => {
    const old = await world.call(["run", "--name", "old", "--port", "12001", "mcp/echo:1"]);
    const both = await world.call(["run", "--name", "both", "--port", "12002", "--proxy-port", "12003", "mcp/echo:1"]);

    expect(old.stdout).toContain(":12001/");
    expect(both.stdout).toContain(":12003/");
    expect(old.stderr).toBe("--port is the old name of --proxy-port, and will go.\n");
    expect((await world.call(["run", "--help"])).stdout).not.toMatch(/--port\b/);
  });
});

describe("a server of the registry that needs variables", () => {
  beforeEach(() => {
    machine().registry.set("github", {
      name: "github",
      image: "mcp/echo:1",
      description: "d",
      tier: "Official",
      status: "Active",
      transport: "stdio",
      tools: [],
      env_vars: [{ name: GITHUB, description: "Token", required: true, secret: true }],
    });
  });

  test("is refused with the names of all of them where nobody can be asked", async () => {
    const { code, stderr } = await world.call(["run", "github"]);

    expect(code).toBe(2);
    expect(stderr).toContain(GITHUB);
    expect(stderr).toContain(`--secret NAME,target=${GITHUB}`);
    expect(machine().containers).toEqual([]);
  });

  test("asks for a secret one without showing it, and keeps it in plain text where there is no store, which it says", async () => {
    const { code, stderr } = await world.call(["run", "github"], { isTty: true, answers: [[GITHUB, "tok-en"]] });

    expect(code).toBe(0);
    expect(findSpec("github")?.env).toMatchObject({ [GITHUB]: "tok-en" });
    expect(stderr).toContain(`${GITHUB} cannot be stored as a secret, and is kept in plain text.`);
    expect(stderr).not.toContain("tok-en");
  });

  test("stores a secret one as a secret, and takes it from there the next time", async () => {
    await world.served.send("POST", "/api/v1beta/secrets", {
      body: JSON.stringify({ provider_type: "encrypted", password: "a password" }),
    });
    const key = `registry-user-${GITHUB.toLowerCase()}`;
    machine().secrets.set(key, "tok-en");

    const first = await world.call(["run", "github"], { isTty: true, answers: [[`${GITHUB} (`, "tok-en"]] });
    await world.call(["rm", "github"]);
    const second = await world.call(["run", "github"], { isTty: true });

    expect(first.stderr).toContain(`${GITHUB} is stored as the secret ${key}.`);
    expect(second.stderr).toContain(`${GITHUB} is taken from the secret ${key}.`);
    expect([first.code, second.code]).toEqual([0, 0]);
    expect(JSON.stringify([...machine().disk.values()])).not.toContain("tok-en");
    expect(JSON.stringify([...machine().disk.values()])).toContain(`${key},target=${GITHUB}`);
  });

  test("forgets a secret one that was entered when the server does not start, and asks for it again", async () => {
    await world.served.send("POST", "/api/v1beta/secrets", {
      body: JSON.stringify({ provider_type: "encrypted", password: "a password" }),
    });
    const key = `registry-user-${GITHUB.toLowerCase()}`;
    machine().secrets.set(key, "tok-en");
    const image = machine().registry.get("github")?.image ?? "";
    const server = machine().engine.images.get(image);
    machine().engine.images.delete(image);

    const failed = await world.call(["run", "github"], { isTty: true, answers: [[`${GITHUB} (`, "tok-en"]] });
    const { stdout: left } = await world.call(["secret", "list"]);
    if (server) machine().engine.images.set(image, server);
    const second = await world.call(["run", "github"], { isTty: true, answers: [[`${GITHUB} (`, "tok-en"]] });

    expect(failed.code).not.toBe(0);
    expect(failed.stderr).not.toContain("stored as the secret");
    expect(left).not.toContain(key);
    expect(second.code).toBe(0);
    expect(second.stderr).toContain(`${GITHUB} is stored as the secret ${key}.`);
  });

  test("starts nothing when the question is cancelled", async () => {
    const { code, stderr } = await world.call(["run", "github"], { isTty: true, answers: [[GITHUB, "\u0003"]] });

    expect(code).toBe(130);
    expect(stderr).toContain("Cancelled: nothing was changed.");
    expect(machine().containers).toEqual([]);
  });
});

describe("--foreground", () => {
  test("shows the server's output, and stops the server on Ctrl-C", async () => {
    const { supervisor } = world.served;
    const running = world.begin(["run", "--foreground", "--name", "echo", "mcp/echo:1"]);
    await vi.waitFor(() => expect(running.output.stderr).toContain("Its output follows. Ctrl-C stops it.\n"), WAIT);
    await vi.waitFor(() => expect(running.output.stderr).toContain("echo: ready\n"), WAIT);

    await running[Symbol.asyncDispose]();
    const { stdout, stderr } = running.output;

    expect(await running.done).toBe(0);
    expect(stdout).toMatch(/^echo is running at /);
    expect(stderr).toContain("echo is stopped. Start it again: thv restart echo\n");
    expect(supervisor.describe("echo").status).toBe("stopped");
  });

  test("shows the output while the server starts, each line once", async () => {
    let answer = () => {};
    const mayAnswer = new Promise<void>((resolve) => {
      answer = resolve;
    });
    machine().engine.images.set("mcp/slow:1", (process) => {
      process.writeErr("installing");
      void mayAnswer.then(() => answeringServer(process));
    });
    machine().engine.registry.set("mcp/slow:1", answeringServer);
    const running = world.begin(["run", "--foreground", "--name", "slow", "mcp/slow:1"]);

    await vi.waitFor(() => expect(running.output.stderr).toContain("installing\n"), WAIT);
    expect(running.output.stdout).toBe("");
    answer();
    await vi.waitFor(() => expect(running.output.stderr).toContain("Its output follows"), WAIT);
    await running[Symbol.asyncDispose]();

    expect(await running.done).toBe(0);
    expect(running.output.stderr.match(/installing/g)).toHaveLength(1);
  });

  test("shows all output of a server that ends at once, each line once", async () => {
    const running = world.begin(["run", "--foreground", "--name", "echo", "mcp/echo:1", "--", "crash"]);

    expect(await running.done).toBe(8);
    expect(running.output.stderr.match(/crashing because it was asked to/g)).toHaveLength(1);
  });

  test("ends when the workload is stopped by somebody else", async () => {
    const running = world.begin(["run", "-f", "--name", "echo", "mcp/echo:1"]);
    await vi.waitFor(() => expect(running.output.stderr).toContain("Its output follows. Ctrl-C stops it.\n"), WAIT);
    await vi.waitFor(() => expect(running.output.stderr).toContain("echo: ready\n"), WAIT);

    await world.call(["stop", "echo"]);

    expect(await running.done).toBe(0);
    expect(running.output.stderr).toContain("echo was stopped.\n");
  });
});

describe("an image that cannot prove its origin", () => {
  beforeEach(() => {
    machine().registry.set("weather", {
      name: "weather",
      image: "mcp/echo:1",
      description: "d",
      tier: "Community",
      status: "Active",
      transport: "stdio",
      tools: [],
      provenance: { repository_uri: "https://github.com/acme/weather" },
    });
  });

  test("runs with a note when nothing is said", async () => {
    const { code, stdout, stderr } = await world.call(["run", "weather"]);

    expect(code).toBe(0);
    expect(stdout).toContain("weather is running at");
    expect(stderr).toContain('weather: The origin of the image "mcp/echo:1" cannot be verified');
  });

  test("is refused with its own exit code with --image-verification enabled, and leaves nothing", async () => {
    const { code, stderr } = await world.call(["run", "--image-verification", "enabled", "weather"]);

    expect(code).toBe(19);
    expect(stderr).toContain('The origin of the image "mcp/echo:1" cannot be verified');
    expect(machine().containers).toEqual([]);
    expect(machine().config("weather")).toBeUndefined();
  });

  test("runs without a word with --image-verification disabled", async () => {
    const { code, stderr } = await world.call(["run", "--image-verification", "disabled", "weather"]);

    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  });
});
