/** What `thv export` writes and `thv run --from-config` makes of it. */
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { ServedThv } from "../src/testing/served-thv.ts";

const FLAGS = [
  ...["--transport", "stdio", "--proxy-mode", "sse", "--host", "127.0.0.1", "--proxy-port", "23456"],
  ...["-e", "A=1", "-e", "B=x=y", "--secret", "token,target=TOKEN", "--label", "team=maps"],
  ...["--memory", "256m", "--pids-limit", "50", "--read-only", "--user", "1000:1000"],
  ...["--image-verification", "disabled"],
];

let world: ServedThv;
let file: string;

beforeEach(async () => {
  world = await ServedThv.start();
  file = join(await mkdtemp(join(tmpdir(), "thv-export-")), "echo.json");
  world.served.world.secrets.set("token", "s3cret-value");
});
afterEach(async () => {
  await world[Symbol.asyncDispose]();
  await rm(join(file, ".."), { recursive: true });
});

/** The configuration as it is kept, without what belongs to the moment. */
function kept(name: string): unknown {
  const { created_at, ...config } = JSON.parse(world.served.world.disk.get(name) ?? "null");
  return config;
}

/** `thv export` reads the disk; the simulated machine's is in memory. */
async function writeDown(name: string): Promise<void> {
  await mkdir(world.files.runConfigs, { recursive: true });
  await writeFile(join(world.files.runConfigs, `${name}.json`), world.served.world.disk.get(name) ?? "");
}

describe("export", () => {
  test("takes the name of another server for a mistake, and not for a file", async () => {
    for (const name of ["one", "two"]) {
      await world.call(["run", "--name", name, ...FLAGS.slice(8), "mcp/echo:1"]);
      await writeDown(name);
    }

    expect(await world.call(["export", "one", "two"])).toEqual({
      code: 64,
      stdout: "",
      stderr:
        'Error: thv export takes one server, and "two" is the name of another.\nHint: Export that one by itself: thv export two. To write a file of that name: ./two\n',
    });
    expect((await world.call(["export", "one", file])).code).toBe(0);
  });

  test("to - is standard output, and a file that exists stays unless it is meant", async () => {
    await world.call(["run", "--name", "echo", "mcp/echo:1"]);
    await writeDown("echo");
    await writeFile(file, "mine");
    const before = await readdir(".");

    const dash = await world.call(["export", "echo", "-"]);
    const refused = await world.call(["export", "echo", file]);

    expect(JSON.parse(dash.stdout)).toMatchObject({ name: "echo" });
    expect(dash.stderr).toBe("");
    expect(await readdir(".")).toEqual(before);
    expect(refused.code).toBe(2);
    expect(refused.stderr).toBe(`Error: ${file} already exists.\nHint: Choose another name, or replace it: --force\n`);
    const no = await world.call(["export", "echo", file], { isTty: true, answers: [["Replace it?", "n"]] });
    expect([no.code, await readFile(file, "utf8")]).toEqual([130, "mine"]);
    expect(await world.call(["export", "echo", file, "--force"])).toMatchObject({ code: 0 });
    expect(JSON.parse(await readFile(file, "utf8"))).toMatchObject({ name: "echo" });
  });

  test("and a run from what it wrote give the same configuration", async () => {
    await world.call(["run", "--name", "echo", ...FLAGS, "mcp/echo:1", "--", "--verbose"]);
    const before = kept("echo");
    await writeDown("echo");

    const exported = await world.call(["export", "echo", file]);
    await world.call(["rm", "echo"]);
    const refused = await world.call(["run", "--from-config", file]);
    const run = await world.call(["run", "--from-config", file, "--yes"]);

    expect(exported).toMatchObject({ code: 0, stdout: "" });
    expect(refused.code).toBe(27);
    expect(refused.stderr).toContain("secret:    token as TOKEN");
    expect(refused.stderr).toContain("off:       the origin of its image is not verified");
    expect(refused.stderr).toContain(`thv run --from-config ${file} --yes`);
    expect(run).toMatchObject({ code: 0, stdout: "echo is running at http://127.0.0.1:23456/sse#echo\n" });
    expect(before).toMatchObject({ image_verification: "disabled" });
    expect(kept("echo")).toEqual(before);
  });

  test("of one that runs starts a second one beside it, whose name is another and whose port is a free one", async () => {
    const first = await world.call(["run", "--name", "echo", "mcp/echo:1"]);
    await writeDown("echo");
    const { stdout } = await world.call(["export", "echo"]);
    await writeFile(file, stdout);

    const second = await world.call(["run", "--from-config", file, "--name", "second"]);

    expect(first.code).toBe(0);
    expect(second).toMatchObject({ code: 0, stdout: expect.stringMatching(/^second is running at http/), stderr: "" });
    const ports = [kept("echo"), kept("second")].map((config) => (config as { port: number }).port);
    expect(new Set(ports).size).toBe(2);
  });

  test("keeps its port for a run under its own name, also when that is said again", async () => {
    await world.call(["run", "--name", "echo", "--proxy-port", "23456", "mcp/echo:1"]);
    await writeDown("echo");
    await world.call(["export", "echo", file]);
    await world.call(["rm", "echo"]);

    const again = await world.call(["run", "--from-config", file, "--name", "echo"]);

    expect(again.stdout).toBe("echo is running at http://127.0.0.1:23456/mcp\n");
  });

  test("of a server from a package names the package, not the image that was built here", async () => {
    await world.call(["run", "--name", "built", "npx://server@1.2.3"]);
    await writeDown("built");

    const { stdout } = await world.call(["export", "built"]);

    expect(JSON.parse(stdout)).toMatchObject({ image: "npx://server@1.2.3" });
  });

  test("holds secrets by name only, and says that variables are in plain text", async () => {
    await world.call(["run", "--name", "echo", ...FLAGS, "mcp/echo:1"]);
    await writeDown("echo");

    const { stderr } = await world.call(["export", "echo", file]);

    const text = await readFile(file, "utf8");
    expect(text).not.toContain("s3cret-value");
    expect(JSON.parse(text).secrets).toEqual([{ name: "token", target: "TOKEN" }]);
    expect(stderr).toContain("It holds 2 variables in plain text.");
    expect((await stat(file)).mode & 0o777).toBe(0o600);
  });

  test.each(["nope", "../config", ""])("of %j, which is no workload, exits 3", async (name) => {
    const { code, stderr } = await world.call(["export", name]);

    expect(code).toBe(3);
    expect(stderr).toBe(`Error: There is no server "${name}".\nHint: See all servers: thv list --all\n`);
  });

  test("of a configuration that is damaged, or to where nothing can be written, says which file it is", async () => {
    await world.call(["run", "--name", "echo", "mcp/echo:1"]);
    await writeDown("echo");
    await writeFile(join(world.files.runConfigs, "damaged.json"), "{");

    await writeFile(file, "");

    const damaged = await world.call(["export", "damaged"]);
    const unwritable = await world.call(["export", "echo", join(file, "below-a-file")]);

    expect(damaged).toMatchObject({ code: 10, stderr: expect.stringContaining("damaged.json") });
    expect(unwritable).toMatchObject({ code: 16, stderr: expect.stringContaining("echo.json cannot be written") });
  });
});

describe("run --from-config", () => {
  const config = { name: "echo", image: "mcp/echo:1", proxy_port: 23456, env_vars: ["A=file", "B=file"] };

  test("takes an option that the file does not have, and keeps the file's other settings and its port", async () => {
    await writeFile(file, JSON.stringify(config));

    const { stdout } = await world.call(["run", "--from-config", file, "--otel-enable-prometheus-metrics-path"]);

    expect(stdout).toBe("echo is running at http://127.0.0.1:23456/mcp\n");
    expect(kept("echo")).toMatchObject({
      env_vars: { A: "file", B: "file" },
      telemetry_config: { EnablePrometheusMetricsPath: true },
    });
  });

  test("gives way to flags; of variables, secrets and labels to those of the same key", async () => {
    await writeFile(
      file,
      JSON.stringify({
        ...config,
        secrets: [{ name: "other", target: "TOKEN" }],
        labels: { team: "file", tier: "file" },
        cmd_arguments: ["from-file"],
      }),
    );

    const flags = ["--name", "mine", "--proxy-port", "23457", "-e", "A=flag", "-l", "team=flag"];
    const { code, stdout } = await world.call([
      ...["run", "--yes", "--from-config", file, ...flags, "--secret", "token,target=TOKEN", "--", "from-flag"],
    ]);

    expect([code, stdout]).toEqual([0, "mine is running at http://127.0.0.1:23457/mcp\n"]);
    expect(kept("mine")).toMatchObject({
      env_vars: { A: "flag", B: "file" },
      secrets: ["token,target=TOKEN"],
      container_labels: { team: "flag", tier: "file" },
      cmd_args: ["from-flag"],
    });
  });

  test.each([
    ["{", 2, "it is not JSON"],
    ["[]", 2, "cannot be used"],
    [JSON.stringify({ ...config, netwrok_isolation: true }), 2, "netwrok_isolation"],
    [JSON.stringify({ ...config, image: 7, proxy_port: "x" }), 2, "proxy_port"],
    [JSON.stringify({ name: "echo" }), 2, "image"],
  ])("of %s exits %i and says %s", async (text, code, part) => {
    await writeFile(file, text);

    const result = await world.call(["run", "--from-config", file]);

    expect(result).toMatchObject({ code, stdout: "", stderr: expect.stringContaining(part) });
    expect(world.served.supervisor.list()).toEqual([]);
  });

  test.each([
    [["run"], "thv run needs SERVER_OR_IMAGE_OR_PACKAGE or --from-config."],
    [["run", "--from-config", "x.json", "mcp/echo:1"], 'thv run does not take "mcp/echo:1" beside --from-config.'],
  ])("%j is refused", async (argv, message) => {
    expect(await world.call(argv)).toMatchObject({ code: 64, stderr: expect.stringContaining(message) });
  });
});
