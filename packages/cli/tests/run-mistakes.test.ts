/** What `thv run` says of a command line with mistakes: all of them at once, in the words of its flags. */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ServedThv } from "../src/testing/served-thv.ts";

let world: ServedThv;

beforeAll(async () => {
  world = await ServedThv.start();
});
afterAll(async () => {
  expect(world.served.supervisor.list()).toEqual([]);
  await world[Symbol.asyncDispose]();
});

const refused = async (...flags: string[]) => await world.call(["run", ...flags, "mcp/echo:1"]);

describe("several mistakes", () => {
  test("of every kind are printed at once, each by its flag", async () => {
    const flags = ["--cpus", "abc", "--memory", "1x", "--proxy-port", "99999", "--name", "a b", "--transport", "foo"];
    const { code, stderr } = await refused(...flags, "--secret", "x", "--label", "y", "--host", "nowhere");

    expect(code).toBe(64);
    for (const part of [
      '--cpus is "abc" but must be a number',
      '--memory is "1x" but must be a size as 512m or 2g, or 0 for no limit',
      '--proxy-port is "99999" but must be between 1 and 65535',
      '--name "a b": workload name can only contain',
      "--transport",
      '--secret is "x" but must be NAME,target=VARIABLE',
      "--label: label",
      '--host "nowhere" is neither an IPv4 nor an IPv6 address',
    ]) {
      expect(stderr).toContain(part);
    }
    expect(stderr.split("\n")).toHaveLength(3);
    expect(stderr).toContain("Hint: See: thv run --help\n");
  });

  test("of unknown flags are printed with the nearest flag", async () => {
    const { code, stderr } = await refused("--memroy=1g", "--cpu=abc", "--pids-limit=many");

    expect(code).toBe(64);
    for (const part of [
      "--memroy",
      "Did you mean --memory?",
      "--cpu",
      "Did you mean --cpus?",
      '--pids-limit is "many"',
    ])
      expect(stderr).toContain(part);
  });

  test("of a mount are printed once, by its flag", async () => {
    const { code, stderr } = await refused("--volume", "foo");

    expect([code, stderr]).toEqual([
      64,
      'Error: --volume: mount "foo" needs an absolute path in the container: write host-path:/container-path.\nHint: See: thv run --help\n',
    ]);
  });

  test.each([
    [["--permission-profile", "nosuch"], "nor a file that can be read: it does not exist."],
    [["--env-from", "nosuch"], "--env-from nosuch cannot be read: it does not exist."],
    [["--tools-override", "nosuch"], "which cannot be used: it does not exist."],
    [["--from-config", "nosuch"], "it does not exist"],
  ])("of a file that does not exist are printed in words: %j", async (flags, expected) => {
    const { stderr } = await world.call(["run", ...flags, ...(flags[0] === "--from-config" ? [] : ["mcp/echo:1"])]);

    expect(stderr).toContain(expected);
    expect(stderr).not.toContain("ENOENT");
  });

  test("a time without its unit is refused with a corrected value", async () => {
    const { stderr } = await refused("--sleep-after", "5");

    expect(stderr).toContain("Hint: With its unit: --sleep-after 5s, or 5m for minutes\n");
  });

  test("flags of other programs are refused with the flag of thv that does the same", async () => {
    const { code, stderr } = await world.call(["run", "-d", "--rm", "-it", "-p", "8000:8000", "mcp/echo:1"]);

    expect(code).toBe(64);
    for (const part of [
      "Instead of -d: a server runs in the background unless --foreground is given.",
      "Instead of --rm: thv rm NAME removes a server with its container.",
      "Instead of -i, -t: a server has no terminal",
      "Instead of -p: the address for clients is chosen by --proxy-port PORT",
    ])
      expect(stderr).toContain(part);
    expect((await world.call(["up", "--dry-run"])).stderr).toContain("what would change is shown by --check");
    expect((await world.call(["exec"])).stderr).toContain("docker exec NAME COMMAND, or podman exec NAME COMMAND");
  });

  test("of another command: what is missing is printed beside what cannot be read", async () => {
    const { stderr } = await world.call(["proxy", "--port", "x", "--target-uri", "http://127.0.0.1:1"]);

    expect(stderr).toContain("--port");
    expect(stderr).toContain("thv proxy needs SERVER_NAME");
  });
});

describe("what only the supervisor refuses names the flag", () => {
  test.each([
    [["--cpus", "-1"], /^Error: --cpus is -1 but must be at least 0\b/],
    [["--cpus", "0.001"], /^Error: --cpus 0.001 is below 0.01/],
    [["--memory", "1k"], /^Error: --memory 1024 is below 6 MiB/],
    [["--pids-limit", "-5"], /^Error: --pids-limit is -5/],
    [["--name", "x".repeat(300)], /^Error: --name has 300 characters but must have at most 100/],
    [["--name", "a"], /^Error: --name "a": workload name must be at least two characters/],
    [["--target-host", "10.0.0.1"], /^Error: --target-host "10.0.0.1" is not a loopback address/],
    [["--secret", "x,target=A B"], /^Error: --secret "x" has the target "A B", which is not the name of a variable/],
    [["--otel-sampling-rate", "7"], /^Error: --otel-sampling-rate is 7/],
  ])("%j", async (flags, message) => {
    const { code, stderr } = await refused(...flags);

    expect([2, 64]).toContain(code);
    expect(stderr).toMatch(message);
    expect(stderr).not.toMatch(/must be >=|must not|\/limits|schema|body/);
    expect((await refused("--dry-run", ...flags)).stderr).toMatch(message);
  });

  test("and the hint for a name says all of its rules", async () => {
    expect((await refused("--name", "a")).stderr).toContain(
      "Hint: Use 2 to 100 letters, digits, dots, dashes and underscores, beginning with a letter or a digit.",
    );
  });

  test.each([
    [
      { network: { outbound: { allow_hosts: ["x.com"] } } },
      /has the unknown member "allow_hosts" \(did you mean "allow_host"\?\)/,
    ],
    [
      { network: { outbound: { allow_host: ["https://x.com/path"] } } },
      /network\.outbound\.allow_host\[0\] is "https:\/\/x\.com\/path" but must be /,
    ],
    [{ netwrok: {} }, /the profile has the unknown member "netwrok"/],
  ])("a profile with %j is named by its file", async (profile, message) => {
    const path = join(world.home, "profile.json");
    await writeFile(path, JSON.stringify(profile));

    const { code, stderr } = await refused("--permission-profile", path);

    expect(code).toBe(64);
    expect(stderr).toMatch(message);
    expect(stderr.startsWith("Error: profile.json: ")).toBe(true);
  });
});

describe("small things", () => {
  test("a variable without a name is refused without repeating its value", async () => {
    const { stderr } = await refused("--env", "=hunter2");

    expect(stderr).toContain('--env "=…" has no name before "="');
    expect(stderr).not.toContain("hunter2");
  });

  test("the hint names the transport when a server ends at once under another one than stdio", async () => {
    world.served.world.engine.images.set("mcp/echo:1", ({ exit }) => exit(0));

    const { stderr } = await refused("--name", "echo", "--transport", "streamable-http");

    expect(stderr).toContain("Hint: It was started for streamable-http. If it speaks stdio, leave --transport out");
  });
});

test("the command of instructions behind thv run gets the same server in the words of thv", async () => {
  const answers: string[] = [];
  for (const words of [
    ["--", "npx", "-y", "@acme/weather", "--verbose"],
    ["docker", "--", "run", "-i", "--rm", "-e", "UNITS=metric", "mcp/weather:1"],
    ["claude", "--", "mcp", "add", "docs", "https://docs.example.com/mcp"],
    ["npx", "--", "node", "--token", "hunter2"],
  ]) {
    const { code, stderr } = await world.call(["run", ...words]);
    expect(code).toBe(64);
    answers.push(stderr);
  }

  expect(answers).toEqual([
    "Error: thv run takes the server itself, not the command npx that starts it.\nHint: Run: thv run --name weather npx://@acme/weather -- --verbose\n",
    "Error: thv run takes the server itself, not the command docker that starts it.\nHint: Run: thv run --name weather --env UNITS=metric mcp/weather:1\n",
    "Error: thv run takes the server itself, not the command claude that starts it.\nHint: Run: thv run --name docs https://docs.example.com/mcp\n",
    "Error: thv run takes the server itself, not the command npx that starts it.\nHint: Write a project file from it: thv import -- COMMAND\n",
  ]);
});
