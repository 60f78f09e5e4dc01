import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { countLeftovers, describeEngines, runThv, ThrowawayHome } from "@toolhive/testing";
import { expect, test } from "vitest";
import { withMcpClient } from "../src/testing/mcp-client.ts";

const addressIn = (stdout: string) => stdout.trim().split(" ").at(-1) ?? "";

describeEngines("permissions on $kind", (engine) => {
  const inContainer = (name: string, script: string) => engine.cli(["exec", name, "node", "-e", script]);

  test("a volume given relative to here can be changed, one with :ro can be read only", async () => {
    await using home = await ThrowawayHome.create();
    await mkdir(join(home.workDirectory, "notes"));
    await writeFile(join(home.workDirectory, "notes/a.txt"), "written outside");

    const run = await runThv(
      [
        "run",
        "--name",
        "files",
        "-v",
        "notes:/notes",
        "-v",
        "./notes:/fixed:ro",
        "mcp/filesystem:test",
        "--",
        "/notes",
      ],
      { home, engine },
    );

    const read = await withMcpClient(addressIn(run.stdout), (client) =>
      client.callTool({ name: "read_text_file", arguments: { path: "/notes/a.txt" } }),
    );
    expect(JSON.stringify(read)).toContain("written outside");
    expect((await inContainer("files", "require('fs').writeFileSync('/notes/b.txt','written inside')")).code).toBe(0);
    expect(await readFile(join(home.workDirectory, "notes/b.txt"), "utf8")).toBe("written inside");
    expect((await inContainer("files", "require('fs').writeFileSync('/fixed/c.txt','')")).stderr).toContain("EROFS");
  });

  test("the mounts of a profile file are there after a restart from somewhere else", async () => {
    await using home = await ThrowawayHome.create();
    await mkdir(join(home.workDirectory, "data"));
    await writeFile(join(home.workDirectory, "data/x"), "x");
    const profile = join(home.workDirectory, "profile.json");
    await writeFile(profile, JSON.stringify({ name: "mine", read: ["data:/data"], network: { outbound: {} } }));
    await runThv(["run", "--name", "kept", "--permission-profile", "profile.json", "mcp/everything:test"], {
      home,
      engine,
    });

    const restarted = await runThv(["restart", "kept"], { home, engine, cwd: "/" });

    expect(restarted.code).toBe(0);
    expect((await inContainer("kept", "process.stdout.write(require('fs').readFileSync('/data/x'))")).stdout).toBe("x");
  });

  test("a path that does not exist is refused at once, and no workload remains", async () => {
    await using home = await ThrowawayHome.create();
    const before = (await countLeftovers(engine, home)).containers;

    const run = await runThv(["run", "--name", "none", "-v", "/no/such:/a", "-v", "gone:/b", "mcp/everything:test"], {
      home,
      engine,
    });

    expect(run.code).toBe(2);
    expect(run.stderr).toContain('"/no/such" cannot be mounted: it does not exist');
    expect(run.stderr).toContain(`"${join(home.workDirectory, "gone")}" cannot be mounted`);
    expect((await countLeftovers(engine, home)).containers).toEqual(before);
    expect((await runThv(["list", "--all", "--format", "json"], { home, engine })).stdout.trim()).toBe("[]");
  });

  test("the profile none means no network, and needs no flag for it", async () => {
    await using home = await ThrowawayHome.create();

    await runThv(["run", "--name", "alone", "--permission-profile", "none", "mcp/everything:test"], { home, engine });

    const interfaces = await inContainer("alone", "console.log(Object.keys(require('os').networkInterfaces()).join())");
    expect(interfaces.stdout.trim()).toBe("lo");
  });
});

test("every mistake in volumes and profile is named together, before anything is asked of the supervisor", async () => {
  await using home = await ThrowawayHome.create();
  await writeFile(join(home.workDirectory, "bad.json"), "[]");

  const run = await runThv(
    ["run", "-v", "x://y:/z", "-v", "/a:b", "--permission-profile", "bad.json", "mcp/everything:test"],
    {
      home,
    },
  );

  expect(run.code).toBe(64);
  for (const part of ["names a resource", "absolute path in the container", "no JSON object"]) {
    expect(run.stderr).toContain(part);
  }
  expect(await home.findSupervisor()).toBeUndefined();
});
