/** What `thv permission` prints, changes and refuses. */
import { afterEach, beforeEach, expect, test } from "vitest";
import { ServedThv } from "../../testing/served-thv.ts";

let context: ServedThv;
beforeEach(async () => {
  context = await ServedThv.start();
});
afterEach(async () => {
  await context[Symbol.asyncDispose]();
});

const permission = (...argv: string[]) => context.call(["permission", ...argv]);
const learn = (...targets: string[]) => {
  for (const target of targets)
    context.served.world.engine
      .find("echo.network")
      ?.log.push({ stream: "stdout", text: `network: learned ${target}` });
};
const readOutbound = (stdout: string) => JSON.parse(stdout).network.outbound;

test("learn prints the smallest profile, and enforces it when asked to", async () => {
  expect(await context.call(["run", "--name", "echo", "--learn", "mcp/echo:1"])).toMatchObject({
    code: 0,
    stderr: expect.stringContaining("rules are being learned"),
  });
  expect((await permission("learn", "echo")).stderr).toContain("Nothing was reached yet");
  learn("b.test:443", "a.test:443", "a.test:443");

  const printed = await permission("learn", "echo");
  const outbound = { insecure_allow_all: false, allow_host: ["a.test", "b.test"], allow_port: [443] };
  expect(readOutbound(printed.stdout)).toEqual(outbound);
  expect(printed.stderr).toBe("Learned 2 hosts. To enforce it: thv permission learn echo --apply\n");

  const applied = await permission("learn", "echo", "--apply", "--format", "json");
  expect(JSON.parse(applied.stdout)).toEqual({
    applied: true,
    restarted: false,
    learned: [
      { host: "a.test", port: 443 },
      { host: "b.test", port: 443 },
    ],
    profile: { network: { outbound } },
  });
  const shown = await permission("show", "echo");
  expect([readOutbound(shown.stdout), shown.stderr]).toEqual([
    outbound,
    "What it may reach: Only a.test and b.test, on port 443.\n",
  ]);
  expect(await permission("learn", "echo")).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("not being learned"),
  });
});

test("allow adds a host and its port, without a restart", async () => {
  await context.call(["run", "--name", "echo", "--isolate-network", "--permission-profile", "none", "mcp/echo:1"]);

  expect(await permission("allow", "echo", "api.test:443")).toEqual({
    code: 0,
    stdout: "echo may reach api.test:443.\n",
    stderr: "",
  });
  expect(readOutbound((await permission("show", "echo")).stdout)).toEqual({
    insecure_allow_all: false,
    allow_host: ["api.test"],
    allow_port: [443],
  });
});

test.each([
  [["allow", "echo", "a.test:99999"], 64, "a port from 1 to 65535"],
  [["allow", "echo", "::1"], 64, "must be a host"],
  [["allow", "echo", "a.test"], 2, "nothing filters its network"],
  [["allow", "absent", "a.test"], 3, 'There is no server "absent"'],
  [["show", "absent"], 3, 'There is no server "absent"'],
  [["learn", "echo"], 2, "not being learned"],
])("%j ends with exit code %i", async (argv, code, message) => {
  await context.call(["run", "--name", "echo", "mcp/echo:1"]);
  expect(await permission(...argv)).toMatchObject({ code, stdout: "", stderr: expect.stringContaining(message) });
});

test("on a terminal, show and learn are for people, and a pipe gets the file", async () => {
  await context.call(["run", "--name", "echo", "--learn", "mcp/echo:1"]);
  learn("b.test:443", "a.test:443", "a.test:8443");
  const look = async (...argv: string[]) => await context.call(["permission", ...argv], { isTty: true });

  expect((await look("learn", "echo")).stdout).toBe("a.test:443,8443\nb.test:443\n");
  const shown = await look("show", "echo");
  expect(shown.stdout).toMatch(/^Server: +echo\nReaches: +[A-Z].*\.\n$/);
  expect(shown.stderr).toContain("The profile as a file: thv permission show echo > profile.json");
});

test("show says that a server without a profile reaches every host", async () => {
  await context.call(["run", "--name", "echo", "mcp/echo:1"]);
  const { stdout, stderr } = await permission("show", "echo");
  expect(readOutbound(stdout).insecure_allow_all).toBe(true);
  expect(stderr).toContain("What it may reach: Every host, on every port, because nothing limits its network.");
});
