/** Commands from their arguments to their exit code, against a supervisor in this process over a simulated machine. */
import { access } from "node:fs/promises";
import type { ServedWorld } from "@toolhive/api/testing";
import { answeringServer, TestIssuer } from "@toolhive/core/testing";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { ServedThv } from "../src/testing/served-thv.ts";

const WAIT = { timeout: 20_000, interval: 10 };

let context: ServedThv;

let served: ServedWorld;

beforeEach(async () => {
  context = await ServedThv.start();
  ({ served } = context);
});

afterEach(async () => {
  await context[Symbol.asyncDispose]();
});

const thv: ServedThv["call"] = (argv, options) => context.call(argv, options);
const run = (name: string, ...more: string[]) => thv(["run", "--name", name, ...more, "mcp/echo:1"]);

describe("run", () => {
  test("prints where the server runs, and nothing else on stdout", async () => {
    const result = await run("echo", "--proxy-port", "12345");

    expect(result).toEqual({ code: 0, stdout: "echo is running at http://127.0.0.1:12345/mcp\n", stderr: "" });
    expect(served.supervisor.describe("echo").status).toBe("running");
  });

  test("hands on variables and what comes after --", async () => {
    await thv(["run", "-e", "A=1", "--env=B=x=y", "--name", "echo", "mcp/echo:1", "--", "--verbose", "-x"]);

    expect(served.world.engine.find("echo")?.spec).toMatchObject({
      args: ["--verbose", "-x"],
      env: { A: "1", B: "x=y" },
    });
  });

  test("sets labels on the container", async () => {
    expect(await run("echo", "--label", "team=maps", "-l", "example.org/tier=")).toMatchObject({ code: 0 });

    expect(served.world.engine.find("echo")?.spec.labels).toMatchObject({ team: "maps", "example.org/tier": "" });
    expect(served.supervisor.describe("echo").labels).toEqual({ team: "maps", "example.org/tier": "" });
  });

  test("with labels that are none names each of them, exits 64 and starts nothing", async () => {
    const { code, stderr } = await run("echo", "-l", "team", "-l", "a b=1", "-l", "toolhive-name=x", "-l", "good=1");

    expect(code).toBe(64);
    for (const part of ['"team" is not KEY=VALUE', '"a b"', '"toolhive-name" is reserved']) {
      expect(stderr).toContain(part);
    }
    expect(stderr).not.toContain('"good"');
    expect(served.supervisor.list()).toEqual([]);
  });

  test("of a missing image exits 3 with a hint and leaves nothing", async () => {
    const { code, stdout, stderr } = await thv(["run", "--name", "echo", "no/such:1"]);

    expect([code, stdout]).toEqual([3, ""]);
    expect(stderr).toContain('Error: The image "no/such:1" cannot be pulled');
    expect(served.supervisor.list()).toEqual([]);
  });

  test("of a server that ends at once exits 8 with its last output and leaves nothing", async () => {
    const { code, stdout, stderr } = await thv(["run", "--name", "echo", "mcp/echo:1", "--", "crash"]);

    expect([code, stdout]).toEqual([8, ""]);
    expect(stderr).toContain("  | crashing because it was asked to\n");
    expect(stderr).toContain("Error: The server exited with code 1.\n");
    expect([served.supervisor.list(), served.world.containers]).toEqual([[], []]);
  });

  test("of a server that ends at once keeps its whole output for thv logs until the name is removed or runs", async () => {
    served.world.engine.images.set("mcp/echo:1", ({ writeErr, exit }) => {
      for (const line of ["server 1.0", "Error: ACME_KEY is missing"]) writeErr(line);
      for (let count = 0; count < 30; count += 1) writeErr(`  --flag${count} string   text`);
      exit(1);
    });

    const { stderr } = await thv(["run", "--name", "echo", "mcp/echo:1"]);
    const kept = await thv(["logs", "echo"]);

    expect(stderr).toContain("  | Error: ACME_KEY is missing\n");
    expect(stderr).toContain("lines left out …\n");
    expect(stderr).toContain("All of it is kept for a while: thv logs echo --tail all\n");
    const lines = kept.stdout.trimEnd().split("\n");
    expect(lines[0]).toMatch(/^thv: of the start of echo that failed at .*Z: The server exited with code 1\.$/);
    expect(lines.slice(1, 3)).toEqual(["server 1.0", "Error: ACME_KEY is missing"]);
    expect(lines).toHaveLength(33);

    served.world.engine.images.set("mcp/echo:1", answeringServer);
    await thv(["run", "--name", "echo", "mcp/echo:1"]);
    expect((await thv(["logs", "echo"])).stdout).not.toContain("thv: of the start");
    await thv(["rm", "echo"]);
    expect(await thv(["logs", "echo"])).toMatchObject({ code: 3, stdout: "" });
  });

  test("of a server that ends at once shows its output without anything that could move the cursor", async () => {
    served.world.engine.images.set("mcp/echo:1", ({ writeErr, exit }) => {
      writeErr("\u001b[2Jgone");
      exit(1);
    });

    const { stderr } = await thv(["run", "--name", "echo", "mcp/echo:1"], {
      isTty: true,
      env: { NO_COLOR: "1", CI: "1" },
    });

    expect(stderr).toContain("  | \\x1b[2Jgone\n");
    expect(stderr).not.toContain("\u001b");
  });

  test("under a taken name exits 4, and the workload runs on", async () => {
    await run("echo");

    const { code, stderr } = await run("echo");

    expect(code).toBe(4);
    expect(stderr).toContain('Error: A server named "echo" already exists.\nHint: ');
    expect(served.supervisor.describe("echo").status).toBe("running");
  });

  test("that is interrupted before the supervisor has answered exits 130 and leaves nothing", async () => {
    const interrupt = new AbortController();
    let release: () => void = () => undefined;
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    let isHeld = false;
    served.world.engine.interfere("hasImage", async (proceed) => {
      isHeld = true;
      await held;
      return await proceed();
    });
    const running = thv(["run", "--name", "echo", "mcp/echo:1"], { signal: interrupt.signal });
    await vi.waitFor(() => expect(isHeld).toBe(true), WAIT);

    interrupt.abort();
    release();
    const { code } = await running;

    expect(code).toBe(130);
    expect([served.supervisor.list(), served.world.containers]).toEqual([[], []]);
  });

  test("that is interrupted exits 130 and leaves nothing", async () => {
    served.world.engine.images.set("mcp/echo:1", ({ stdin }) => void stdin.resume());
    const interrupt = new AbortController();
    const running = thv(["run", "--name", "echo", "mcp/echo:1"], { signal: interrupt.signal });
    await vi.waitFor(() => expect(served.world.running).toEqual(["echo"]), WAIT);

    interrupt.abort();
    const { code, stderr } = await running;

    expect(code).toBe(130);
    expect(stderr).toContain('Interrupted: "echo" was not started, and nothing of it is left.');
    expect([served.supervisor.list(), served.world.containers]).toEqual([[], []]);
  });
});

describe("serve", () => {
  test.each([
    [["--oidc-audience", "toolhive"], 2, "OIDC needs an issuer or the address of its keys"],
    [["--oidc-client-id", "thv"], 2, "OIDC needs an issuer or the address of its keys"],
    [["--oidc-issuer", "http://issuer.example"], 2, "must begin with https://"],
    [["--oidc-jwks-url", "keys"], 2, "is not an address"],
  ])("with %j exits %i before it starts anything", async (flags, code, text) => {
    const result = await thv(["serve", "--port", "0", ...flags]);

    expect(result).toMatchObject({ code, stdout: "", stderr: expect.stringContaining(text) });
    await expect(access(context.files.lock)).rejects.toMatchObject({ code: "ENOENT" });
  });

  test("with an issuer that does not answer exits 15 and names the address that it asked", async () => {
    const issuer = await TestIssuer.start();
    await issuer[Symbol.asyncDispose]();

    const { code, stderr } = await thv(["serve", "--port", "0", "--oidc-issuer", issuer.url]);

    expect(code).toBe(15);
    expect(stderr).toContain(
      `${issuer.url}/.well-known/openid-configuration cannot be used: nothing answers there.\nHint: `,
    );
  });
});

describe("list", () => {
  test("without workloads says so on stderr, and gives an empty array as JSON", async () => {
    const text = await thv(["list"]);
    const json = await thv(["list", "--format", "json"]);

    expect([text.code, text.stdout]).toEqual([0, ""]);
    expect(text.stderr).toMatch(/^Nothing is running\. /);
    expect(json).toEqual({ code: 0, stdout: "[]\n", stderr: "" });
  });

  test("with labels shows the workloads that have all of them", async () => {
    await run("one", "-l", "team=maps", "-l", "tier=gold");
    await run("two", "-l", "team=maps");
    await run("three");
    const names = async (...labels: string[]) => {
      const { stdout } = await thv(["list", "--format", "json", ...labels.flatMap((label) => ["--label", label])]);
      return (JSON.parse(stdout) as { name: string }[]).map(({ name }) => name);
    };

    expect(await names("team=maps")).toEqual(["one", "two"]);
    expect(await names("team=maps", "tier=gold")).toEqual(["one"]);
    expect(await names("team=maps", "team=roads")).toEqual([]);
    expect(await names("tier=")).toEqual([]);
    expect(await thv(["list", "-l", "team=roads"])).toEqual({
      code: 0,
      stdout: "",
      stderr: "No server has these labels.\n",
    });
  });

  test.each(["team", "=maps", "a b=c"])("with the label %j exits 64 and lists nothing", async (label) => {
    const { code, stdout, stderr } = await thv(["list", "--label", label]);

    expect([code, stdout]).toEqual([64, ""]);
    expect(stderr).toContain("Error: --label: label ");
  });

  test("shows what runs as a table, and with --all the rest", async () => {
    await run("echo");
    await run("idle");
    await thv(["stop", "idle"]);

    const some = (await thv(["list"])).stdout.split("\n");
    const all = (await thv(["list", "-a"])).stdout.split("\n");

    expect(some[0]).toMatch(/^NAME {3}PACKAGE {6}STATUS {4}URL +PORT +TOOL TYPE {3}CREATED AT$/);
    expect(some[1]).toMatch(
      /^echo {3}mcp\/echo:1 {3}running {3}http:\S+ {3}\d+ +mcp +\d{4}-\d\d-\d\d \d\d:\d\d:\d\d [+-]\d{4}$/,
    );
    expect([some.length, all.length]).toEqual([3, 4]);
    expect(all[2]).toMatch(/^idle .* stopped /);
  });

  test("as JSON has the members that scripts read", async () => {
    await run("echo");

    const [workload] = JSON.parse((await thv(["list", "--format=json"])).stdout);

    expect(workload).toMatchObject({ name: "echo", package: "mcp/echo:1", tool_type: "mcp", status: "running" });
  });
});

describe("stop, restart, rm and logs", () => {
  test("say what they have done once it is done", async () => {
    await run("echo", "--proxy-port", "12346");

    expect(await thv(["stop", "echo"])).toEqual({ code: 0, stdout: "echo is stopped.\n", stderr: "" });
    expect(served.supervisor.describe("echo").status).toBe("stopped");
    expect((await thv(["restart", "echo"])).stdout).toBe("echo is running at http://127.0.0.1:12346/mcp\n");
    expect((await thv(["logs", "echo"])).stdout).toBe("echo: ready\necho: ready\n");
    expect(await thv(["rm", "echo"])).toEqual({ code: 0, stdout: "echo is removed.\n", stderr: "" });
    expect([served.supervisor.list(), served.world.containers]).toEqual([[], []]);
  });

  test("logs --proxy shows what thv says of a server, also after it was stopped", async () => {
    await run("echo");
    await thv(["stop", "echo"]);

    expect(await thv(["logs", "echo", "--proxy", "--tail", "2"])).toEqual({
      code: 0,
      stdout: "status from=running to=stopping\nstatus from=stopping to=stopped\n",
      stderr: "",
    });
    expect((await thv(["logs", "nope", "--proxy"])).code).toBe(3);
  });

  test.each(["restart", "logs"])(
    "%s of an unknown workload exits 3 and names the command that lists all servers",
    async (command) => {
      expect(await thv([command, "nope"])).toEqual({
        code: 3,
        stdout: "",
        stderr: 'Error: There is no server "nope".\nHint: See all servers: thv list --all\n',
      });
    },
  );

  test("a removal that the engine refuses exits 6 with the engine's reason", async () => {
    await run("echo");
    served.world.engine.interfere("removeContainer", async () => {
      throw new Error("device or resource busy");
    });

    const { code, stdout, stderr } = await thv(["rm", "echo"]);

    expect(code).not.toBe(0);
    expect(stdout).toBe("");
    expect(stderr).toContain("device or resource busy");
  });

  test("logs that are followed go on over a restart, and say why they end", async () => {
    await run("echo");
    const following = context.begin(["logs", "--follow", "echo"]);
    await vi.waitFor(() => expect(following.output.stdout).toBe("echo: ready\n"), WAIT);

    await thv(["restart", "echo"]);
    await vi.waitFor(() => expect(following.output.stdout).toBe("echo: ready\necho: ready\n"), WAIT);
    await thv(["rm", "echo"]);

    expect(await following.done).toBe(0);
    expect(following.output).toMatchObject({ stdout: "echo: ready\necho: ready\n", stderr: "echo was removed.\n" });
  });

  test("logs that are followed end when the server is stopped, and at once when it is", async () => {
    await run("echo");
    const following = context.begin(["logs", "--follow", "echo"]);
    await vi.waitFor(() => expect(following.output.stdout).toBe("echo: ready\n"), WAIT);
    const end = { code: 0, stdout: "echo: ready\n", stderr: "echo is stopped. Start it again: thv restart echo\n" };

    await thv(["stop", "echo"]);

    const code = await following.done;
    const { stdout, stderr } = following.output;
    expect({ code, stdout, stderr }).toEqual(end);
    expect(await thv(["logs", "--follow", "echo"])).toEqual(end);
  });

  test.each([
    [["--tail", "0"], /^$/],
    [["-n", "1"], /^echo: ready\n$/],
    [["--tail", "all", "--since", "1h"], /^(echo: ready\n){2}$/],
    [["--since", "2100-01-01"], /^$/],
    [["--timestamps"], /^(\d{4}-\d\d-\d\dT[\d:.]{12}Z echo: ready\n){2}$/],
  ])("logs %j show those lines", async (flags, expected) => {
    await run("echo");
    await thv(["restart", "echo"]);

    const { code, stdout } = await thv(["logs", ...flags, "echo"]);

    expect(code).toBe(0);
    expect(stdout).toMatch(expected);
  });

  test.each([
    ["--tail", "many", "tail"],
    ["--tail", "-1", "tail"],
    ["--since", "yesterday", "since"],
  ])("logs %s %s is refused by its name", async (flag, value, name) => {
    await run("echo");

    const { code, stderr } = await thv(["logs", `${flag}=${value}`, "echo"]);

    expect(code).toBe(64);
    expect(stderr).toContain(`--${name} is "${value}" but must be `);
  });

  test("logs that are followed end with Ctrl-C and exit 0", async () => {
    await run("echo");
    const following = context.begin(["logs", "--follow", "echo"]);
    await vi.waitFor(() => expect(following.output.stdout).toBe("echo: ready\n"), WAIT);

    await following[Symbol.asyncDispose]();

    expect(await following.done).toBe(0);
    expect(following.output).toMatchObject({ stdout: "echo: ready\n", stderr: "" });
  });
});
