/** Commands on all workloads, and the list that clients read. */
import type { ServedWorld } from "@toolhive/api/testing";
import { answeringServer } from "@toolhive/core/testing";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { ServedThv } from "../../testing/served-thv.ts";

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

describe("list as what clients read", () => {
  test("has an object for each server with what a client has to speak", async () => {
    await run("modern", "--proxy-port", "12347");
    await run("old", "--proxy-port", "12348", "--proxy-mode", "sse");

    expect(JSON.parse((await thv(["list", "--format", "mcpservers"])).stdout)).toEqual({
      mcpServers: {
        modern: { type: "streamable-http", url: "http://127.0.0.1:12347/mcp" },
        old: { type: "sse", url: "http://127.0.0.1:12348/sse#old" },
      },
    });
  });

  test("is an empty object without servers, also under the short name ls", async () => {
    expect(await thv(["ls", "--format", "mcpservers"])).toEqual({
      code: 0,
      stdout: '{\n  "mcpServers": {}\n}\n',
      stderr: "",
    });
  });

  test("as JSON has the reference's members in its order", async () => {
    await run("echo", "-l", "team=maps");

    const [workload] = JSON.parse((await thv(["list", "--format", "json"])).stdout) as object[];

    expect(Object.keys(workload ?? {}).join(" ")).toMatch(
      /^name package url port tool_type transport_type status (status_context )?proxy_mode group groups created_at started_at labels$/,
    );
  });
});

describe("list on a terminal", () => {
  test("that is wide has every column; a narrow one says what it leaves out, and a phone's gets a line a column", async () => {
    await run("echo", "--proxy-port", "12349");
    const on = (columns: number) => thv(["list"], { isTty: true, columns });

    const [wide, usual, phone] = [await on(120), await on(60), await on(36)];

    expect(wide.stdout).toMatch(/^NAME +PACKAGE +STATUS +URL +PORT +TOOL TYPE +CREATED AT\n/);
    expect(usual.stdout).toMatch(/^NAME +PACKAGE +STATUS +URL\n/);
    expect(usual.stderr).toContain("TOOL TYPE, CREATED AT, PORT");
    expect(phone.stdout).toMatch(
      /^NAME +echo\nPACKAGE +mcp\/echo:1\nSTATUS +running\nURL +http:\/\/127\.0\.0\.1:12349\/mcp\n/,
    );
    expect(phone.stderr).toBe("");
  });
});

describe("list with a very long name", () => {
  test.each([80, 160])("stays a table at %i columns, and a pipe has the whole name", async (columns) => {
    const name = "n".repeat(83);
    await run(name, "--proxy-port", "12349");
    await run("echo", "--proxy-port", "12350");

    const { stdout } = await thv(["list"], { isTty: true, columns });

    expect(stdout).toMatch(/^NAME .*STATUS/);
    expect(stdout).toMatch(/^n{10,}… /m);
    expect(stdout.split("\n").every((line) => line.length <= columns)).toBe(true);
    expect((await thv(["list"])).stdout).toContain(`${name}   mcp/echo:1`);
    if (columns === 160) expect(stdout).toMatch(/PACKAGE.*PORT.*CREATED AT/);
  });
});

describe("restart", () => {
  test("moves a server to another port, and renews its image", async () => {
    await run("echo", "--proxy-port", "12341");
    served.world.engine.registry.set("mcp/echo:1", answeringServer);

    const moved = await thv(["restart", "echo", "--proxy-port", "12342", "--pull"]);

    expect(moved).toEqual({ code: 0, stdout: "echo is running at http://127.0.0.1:12342/mcp\n", stderr: "" });
    expect(served.world.engine.calls.filter((call) => call === "pullImage")).toHaveLength(1);
  });
});

describe("stop and restart of all", () => {
  test("act on every workload, and say so for each", async () => {
    await run("one", "--proxy-port", "12351");
    await run("two", "--proxy-port", "12352");

    expect(await thv(["stop", "--all", "--timeout", "5"])).toEqual({
      code: 0,
      stdout: "one is stopped.\ntwo is stopped.\n",
      stderr: "",
    });
    expect((await thv(["restart", "-a"])).stdout).toBe(
      "one is running at http://127.0.0.1:12351/mcp\ntwo is running at http://127.0.0.1:12352/mcp\n",
    );
  });

  test("without workloads have nothing to do", async () => {
    expect(await thv(["stop", "--all"])).toEqual({ code: 0, stdout: "", stderr: "Nothing is running.\n" });
    expect(await thv(["restart", "--all"])).toEqual({ code: 0, stdout: "", stderr: "There are no servers.\n" });
  });

  test("name those that fail, and do the others", async () => {
    await run("one", "--proxy-port", "12353");
    await run("two", "--proxy-port", "12354");
    const two = served.world.engine.find("two")?.id;
    served.world.engine.interfere(
      "stopContainer",
      async (proceed, [id]) => {
        if (id === two) throw new Error("device or resource busy");
        return await proceed();
      },
      { always: true },
    );

    const { code, stdout, stderr } = await thv(["stop", "--all"]);

    expect(code).not.toBe(0);
    expect(stdout).toBe("one is stopped.\n");
    expect(stderr).toMatch(/^Error: 1 of 2 servers did not stop\. two: .*device or resource busy/);
  });

  test.each([
    [["stop"], "thv stop needs NAME, --group or --all."],
    [["restart"], "thv restart needs NAME, --group or --all."],
    [["stop", "one", "--all"], 'thv stop takes "one" or --all, and not both.'],
    [["restart", "-a", "one"], 'thv restart takes "one" or --all, and not both.'],
    [["stop", "one", "--timeout", "-1"], "--timeout is"],
    [["stop", "one", "--timeout", "3601"], "--timeout is"],
    [["rm", "one", "--timeout", "3601"], "--timeout is"],
    [["restart", "one", "--proxy-port", "65536"], '--proxy-port is "65536"'],
    [["restart", "--all", "--proxy-port", "8123"], "--proxy-port is for one server"],
  ])("%j is refused", async (argv, message) => {
    const { code, stdout, stderr } = await thv(argv);

    expect([code, stdout]).toEqual([64, ""]);
    expect(stderr).toContain(`Error: ${message}`);
  });

  test("hand the time to the engine that a server has to end", async () => {
    await run("echo");
    const graces: unknown[] = [];
    served.world.engine.interfere(
      "stopContainer",
      async (proceed, [, grace]) => {
        graces.push(grace);
        return await proceed();
      },
      { always: true },
    );

    await thv(["stop", "echo", "--timeout=7"]);
    await thv(["restart", "echo"]);
    await thv(["stop", "echo"]);

    await thv(["restart", "echo"]);
    await thv(["rm", "echo", "--timeout", "9"]);
    await run("echo");
    await thv(["rm", "echo", "--force"]);

    expect(graces).toEqual([7, 30, 9]);
  });
});

describe("several by name", () => {
  const three = async () => {
    for (const name of ["one", "two", "three"]) await run(name);
  };

  test("are stopped, restarted and removed, each with its line", async () => {
    await three();

    expect(await thv(["stop", "two", "one", "two"])).toEqual({
      code: 0,
      stdout: "one is stopped.\ntwo is stopped.\n",
      stderr: "",
    });
    expect((await thv(["start", "one", "two"])).stdout).toMatch(/^one is running at .*\ntwo is running at .*\n$/);
    expect((await thv(["rm", "one", "three"])).stdout).toBe("one is removed.\nthree is removed.\n");
    expect(served.supervisor.list().map(({ name }) => name)).toEqual(["two"]);
  });

  test("rm --all removes also what is stopped; its other names do the same", async () => {
    await three();
    await thv(["stop", "one"]);

    expect((await thv(["remove", "two"])).stdout).toBe("two is removed.\n");
    expect((await thv(["delete", "--all", "--yes"])).stdout).toBe("one is removed.\nthree is removed.\n");
    expect(await thv(["rm", "--all"])).toEqual({ code: 0, stdout: "", stderr: "There are no servers.\n" });
  });

  test.each([
    ["rm", "--all"],
    ["rm", "--group", "default"],
  ])("%s %s names the servers and asks first, and does nothing where nobody can be asked", async (...argv) => {
    await three();

    const piped = await thv(argv);
    const refused = await thv(argv, { isTty: true, answers: [["Remove 3 servers: one, three, two?", "n"]] });

    expect(piped).toEqual({
      code: 64,
      stdout: "",
      stderr: `Error: This would remove 3 servers: one, three, two.\nHint: Confirm with: thv ${argv.join(" ")} --yes\n`,
    });
    expect([refused.code, refused.stderr]).toEqual([130, expect.stringContaining("Cancelled: nothing was changed.")]);
    expect(served.supervisor.list()).toHaveLength(3);

    const agreed = await thv(argv, { isTty: true, answers: [["Remove 3 servers: one, three, two?", "y"]] });

    expect([agreed.code, agreed.stdout]).toEqual([0, "one is removed.\nthree is removed.\ntwo is removed.\n"]);
  });

  test("those that fail are named, and the others are done", async () => {
    await run("one");

    const { code, stdout, stderr } = await thv(["restart", "one", "nope"]);

    expect(code).toBe(3);
    expect(stdout).toMatch(/^one is running at /);
    expect(stderr).toContain('Error: 1 of 2 servers did not restart. nope: There is no server "nope".');
  });

  test.each([
    ["stop", "stopped"],
    ["rm", "removed"],
  ])(
    "%s of one that does not exist warns, and says on standard output that nothing was left to do",
    async (verb, participle) => {
      await run("one");
      const line = `nope does not exist, which counts as ${participle} successfully.\n`;

      expect(await thv([verb, "nope"])).toEqual({
        code: 0,
        stdout: line,
        stderr: "Warning: server not found: nope\n",
      });
      expect(await thv([verb, "nope", "one"])).toMatchObject({
        code: 0,
        stdout: `${line}one is ${participle}.\n`,
        stderr: "Warning: server not found: nope\n",
      });
    },
  );
});

describe("for programs", () => {
  test("what was done is JSON, and so is an error", async () => {
    await run("one");

    const stopped = await thv(["stop", "one", "nope", "--format", "json"]);
    const failed = await thv(["restart", "nope", "--format=json"]);
    const usage = await thv(["stop", "--frobnicate", "--format", "json"]);

    expect(JSON.parse(stopped.stdout)).toEqual([
      { name: "nope", status: "not found" },
      { name: "one", status: "stopped" },
    ]);
    expect([failed.code, failed.stdout]).toEqual([3, ""]);
    expect(JSON.parse(failed.stderr)).toEqual({
      code: "WORKLOAD_NOT_FOUND",
      message: 'There is no server "nope".',
      hint: "See all servers: thv list --all",
      docs: "/toolhive/reference/errors/workload-not-found",
    });
    expect(JSON.parse(usage.stderr)).toMatchObject({ code: "USAGE", message: expect.stringContaining("--frobnicate") });
  });

  test.each([["--version"], ["-v"], ["--debug", "--version"]])("%s %s is the version", async (...argv) => {
    expect(await thv(argv)).toEqual(await thv(["version"]));
  });
});
