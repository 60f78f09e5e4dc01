/** What `--dry-run` shows, that it does nothing, and what `thv client undo` puts back. */
import { mkdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { ServedThv } from "../src/testing/served-thv.ts";

const WAIT = { timeout: 20_000, interval: 10 };

const ORIGINAL = '{\n  // mine\n  "mcpServers": {}\n}\n';

let world: ServedThv;
let cursor: string;

beforeEach(async () => {
  world = await ServedThv.start();
  // The simulated machine's home.
  cursor = join(world.served.home, ".cursor", "mcp.json");
  await mkdir(join(cursor, ".."));
  await writeFile(cursor, ORIGINAL);
});
afterEach(async () => {
  await world[Symbol.asyncDispose]();
});

const listed = async () => readFile(cursor, "utf8");
const run = (name: string, ...more: string[]) => world.call(["run", "--name", name, ...more, "mcp/echo:1"]);

describe("run --dry-run", () => {
  test("shows what would be run, without values of variables, and does nothing", async () => {
    world.served.world.secrets.set("token", "s3cret-value");
    const flags = [
      "--proxy-port",
      "23456",
      "-e",
      "A=s3cret-variable",
      "--secret",
      "token,target=TOKEN",
      "-l",
      "team=maps",
    ];

    const { code, stdout, stderr } = await world.call([
      ...["run", "--dry-run", "--name", "echo", ...flags, "mcp/echo:1", "--", "--verbose"],
    ]);

    expect(code).toBe(0);
    expect(stdout).toBe(
      [
        "Name:       echo",
        "Image:      mcp/echo:1 (is here)",
        "Arguments:  --verbose",
        "Transport:  stdio",
        "URL:        http://127.0.0.1:23456/mcp",
        "Variables:  A",
        "Secrets:    token as TOKEN",
        "Labels:     team=maps",
        "Mounts:     none",
        "User:       the image's own",
        "Network:    Every host, on every port, because nothing limits its network.",
        "Limits:     2048 MiB of memory, 2 CPUs, 1024 processes",
        "Read-only:  no",
        "Token:      callers need none",
        "",
      ].join("\n"),
    );
    expect(stderr).toBe("Nothing was done. Leave --dry-run out to do it.\n");
    expect([world.served.supervisor.list(), world.served.world.disk.size]).toEqual([[], 0]);
    expect(world.served.world.engine.calls).not.toContain("createContainer");
  });

  test("shows the volumes, the network, the limits and the tokens that the run would have", async () => {
    const profile = join(world.served.home, "profile.json");
    const folder = join(world.served.home, "folder");
    await mkdir(folder);
    const outbound = { allow_host: ["api.example.com"], allow_port: [443] };
    await writeFile(profile, JSON.stringify({ read: [`${profile}:/profile`], network: { outbound } }));
    const flags = [
      ...["--permission-profile", profile, "--volume", `${folder}:/data`, "-v", `${folder}:/other:ro`],
      ...["--memory", "512m", "--cpus", "0.5", "--pids-limit", "0", "--read-only"],
      ...["--oidc-issuer", "https://issuer.example.com", "--oidc-audience", "thv"],
    ];

    const open = await run("echo", "--dry-run", ...flags);
    const isolated = await run("echo", "--dry-run", ...flags, "--isolate-network");

    const [mounts, user, network, ...rest] = open.stdout.split("\n").slice(-8, -1);
    expect(mounts).toBe(
      `Mounts:     ${profile} at /profile (read), ${folder} at /data (write), ${folder} at /other (read)`,
    );
    expect(user).toMatch(/^User: {7}/);
    expect(network).toBe("Network:    Every host, on every port, because the rules of its profile are not enforced.");
    expect(rest).toEqual([
      "Limits:     512 MiB of memory, 0.5 CPUs, any number of processes",
      "Protection: it has no limit of processes",
      "Read-only:  yes, but for /tmp",
      "Token:      callers need one from https://issuer.example.com",
    ]);
    expect(open.stderr).toContain(
      "Warning: The permission profile lists hosts (api.example.com), and that is not enforced",
    );
    expect(isolated.stderr).not.toContain("Warning");
    expect(isolated.stdout).toContain("Network:    Only api.example.com, on port 443.\n");
  });

  test("a profile's mistakes are printed together, with the file's name and in words", async () => {
    const profile = join(world.served.home, "profile.json");
    const outbound = { allow_hosts: ["a.test"], allow_host: ["https://x.com/path"] };
    await writeFile(profile, JSON.stringify({ network: { outbound } }));

    const { code, stderr } = await run("echo", "--permission-profile", profile);

    expect(code).not.toBe(0);
    expect(stderr).toContain(
      'profile.json: network.outbound has the unknown member "allow_hosts" (did you mean "allow_host"?)',
    );
    expect(stderr).toMatch(/allow_host\[0\] is "https:\/\/x\.com\/path" but must be a host without scheme/);
    expect(stderr).not.toContain("A-Za-z0-9");
  });

  test("run warns of hosts that nobody enforces, and so does the API as long as the server is there", async () => {
    const profile = join(world.served.home, "profile.json");
    await writeFile(profile, JSON.stringify({ network: { outbound: { allow_host: ["api.example.com"] } } }));

    const open = await run("echo", "--permission-profile", profile);
    const plain = await run("plain");

    const warning = "The permission profile lists hosts (api.example.com), and that is not enforced";
    expect(open).toMatchObject({ code: 0 });
    expect(open.stderr).toContain(`Warning: echo: ${warning}`);
    expect(plain.stderr).not.toContain("Warning");
    const listed = JSON.parse((await world.call(["list", "--format", "json"])).stdout) as { warnings?: string[] }[];
    expect(listed.map(({ warnings }) => warnings?.length)).toEqual([1, undefined]);
    expect(listed[0]?.warnings?.[0]).toContain(warning);
  });

  test("run warns once of what --dry-run and status warn of: limits that the engine does not keep, folders that the server may not use", async () => {
    // Whoever runs the test owns its folders, so that the engine has to be the one that maps users away.
    Object.assign(world.served.world.engine, { userMapping: "shifted", missingLimits: ["memory"] });
    const flags = ["--volume", `${world.served.home}:/data`];
    const warnings = (text: string) => text.split("\n").filter((line) => line.startsWith("Warning: "));

    const dry = warnings((await run("echo", ...flags, "--dry-run")).stderr);
    const real = await run("echo", ...flags);
    const status = await world.call(["status", "echo"]);

    expect(dry).toEqual([expect.stringContaining("cannot limit memory"), expect.stringContaining("userns-remap")]);
    expect(real.code).toBe(0);
    expect(warnings(real.stderr)).toEqual(dry.map((line) => line.replace("Warning: ", "Warning: echo: ")));
    expect(warnings(status.stderr)).toEqual(dry);
  });

  test.each([
    [["--permission-profile", "none"], "Nothing, because it has no network."],
    [["--permission-profile", "none", "--transport", "sse"], "Nothing, because every connection is refused."],
    [
      ["--permission-profile", "network", "--isolate-network"],
      "Every host, on every port, except this machine and its containers.",
    ],
  ])("with %j shows that the network is %s", async (flags, network) => {
    expect((await run("echo", "--dry-run", ...flags)).stdout).toContain(`Network:    ${network}\n`);
  });

  test("shows the change of each registered client's file, and leaves the file", async () => {
    await world.call(["client", "register", "cursor"]);

    const { stdout } = await run("echo", "--dry-run", "--proxy-port", "23456");

    expect(stdout).toContain(`--- ${cursor}\n+++ ${cursor}\n@@`);
    expect(stdout).toContain('+    "echo": {\n+      "url": "http://127.0.0.1:23456/mcp",\n');
    expect(await listed()).toBe(ORIGINAL);
  });

  test.each([
    [["mcp/echo:1"], "mcp/echo:1 (is here)"],
    [["npx://server"], "(would be built)"],
    [["other/image:1"], "other/image:1 (would be pulled)"],
  ])("of %j says where the image comes from", async (image, part) => {
    expect((await world.call(["run", "--dry-run", ...image])).stdout).toContain(part);
  });

  test("is refused as the run itself would be", async () => {
    await run("echo");

    expect(await run("echo", "--dry-run")).toMatchObject({ code: 4, stdout: "" });
    expect(await run("other", "--dry-run", "--secret", "nope,target=X")).toMatchObject({ code: 3, stdout: "" });
    expect(await run("b@d", "--dry-run")).toMatchObject({ code: 2, stdout: "" });
    expect(await run("other", "--dry-run", "--volume", "/not-there:/data")).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('"/not-there" cannot be mounted'),
    });
  });
});

describe("client --dry-run", () => {
  test("shows the change that registering, removing and setting up would make, and makes none", async () => {
    await run("echo", "--proxy-port", "23456");

    const register = await world.call(["client", "register", "cursor", "--dry-run"]);
    const setup = await world.call(["client", "setup", "--all", "--dry-run"]);

    expect(register.stdout).toContain('+    "echo": {');
    expect(setup.stdout).toBe(register.stdout);
    expect(await listed()).toBe(ORIGINAL);
    expect((await world.call(["client", "list-registered", "--format", "json"])).stdout).toBe("[]\n");

    await world.call(["client", "register", "cursor"]);
    const registered = await listed();
    const remove = await world.call(["client", "remove", "cursor", "--dry-run"]);

    expect(remove.stdout).toContain('-    "echo": {');
    expect(await listed()).toBe(registered);
  });

  test("says so when no file would change", async () => {
    expect(await world.call(["client", "register", "zed", "--dry-run"])).toEqual({
      code: 0,
      stdout: "",
      stderr: "No file would change.\nNothing was done. Leave --dry-run out to do it.\n",
    });
  });
});

describe("client undo", () => {
  beforeEach(async () => {
    await world.call(["client", "register", "cursor"]);
    await run("echo");
    await vi.waitFor(async () => expect(await listed()).toContain('"echo"'), WAIT);
  });

  test("puts back the bytes of before, keeps what was there, and the client stays alone", async () => {
    const changed = await listed();

    const { code, stdout, stderr } = await world.call(["client", "undo", "cursor"]);

    expect([code, stdout]).toEqual([0, `${cursor} is as it was before thv. cursor is not registered.\n`]);
    expect(await listed()).toBe(ORIGINAL);
    const keptAt = /What was there until now: (.*)\n/.exec(stderr)?.[1] ?? "";
    expect(await readFile(keptAt, "utf8")).toBe(changed);
    await run("second");
    expect(await listed()).toBe(ORIGINAL);
    expect((await world.call(["client", "undo", "cursor"])).stderr).toContain("There is nothing to undo");
  });

  test("of a file that another program has changed since shows the change, and asks for --yes", async () => {
    await writeFile(cursor, (await listed()).replace("// mine", "// mine, too"));

    const asked = await world.call(["client", "undo", "cursor"]);
    expect(asked).toMatchObject({ code: 64, stderr: expect.stringContaining("thv client undo cursor --yes") });
    expect(asked.stdout).toContain("-  // mine, too\n");
    expect(await listed()).toContain("// mine, too");
    const no = await world.call(["client", "undo", "cursor"], { isTty: true, answers: [["Restore it", "n"]] });
    expect(no.code).toBe(130);
    expect(await listed()).toContain("// mine, too");
    const yes = await world.call(["client", "undo", "cursor", "--yes"]);

    expect(yes.code).toBe(0);
    expect(await listed()).toBe(ORIGINAL);
  });

  test("--dry-run shows what would go, and leaves it", async () => {
    const before = await stat(cursor);

    const { code, stdout } = await world.call(["client", "undo", "cursor", "--dry-run"]);

    expect(code).toBe(0);
    expect(stdout).toContain('-    "echo": {');
    expect((await stat(cursor)).mtimeMs).toBe(before.mtimeMs);
  });

  test("of a client that there is not names those that there are", async () => {
    expect(await world.call(["client", "undo", "emacs"])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("Use one of: roo-code"),
    });
  });
});
