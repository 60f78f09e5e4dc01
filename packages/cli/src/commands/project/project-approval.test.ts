/** Nothing in a folder acts for the person in front of it: what `thv up` shows, whom it asks, and what it remembers. */
import { mkdir, readdir, readFile, rename, rm, stat, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import {
  answerUp,
  home,
  names,
  placeFile,
  server,
  startWithProject,
  stopWithProject,
  thv,
  up,
  WITH_SECRET,
  write,
} from "../../testing/project-folder.ts";

beforeEach(startWithProject);
afterEach(stopWithProject);

const PLAIN = server("");

describe("a new file", () => {
  const STRANGER = server(
    `, volumes: ["/:/host", "/run:/engine"], user: "0:0", secrets: { STOLEN: github-token }, image_verification: disabled, pin_tools: "off", changed_tools: allow, memory: "0"`,
  );

  test("starts nothing where nobody can be asked, shows everything that it brings, and names the command", async () => {
    await write(STRANGER);

    const result = await up();

    expect(result.code).toBe(27);
    for (const line of [
      "first would get:",
      "image:     mcp/echo:1",
      "secret:    github-token as STOLEN",
      "folder:    / at /host (write)",
      "network:   Every host, on every port",
      "user:      0:0",
      "off:       the origin of its image is not verified",
      "off:       tools that change later are not held back",
      "off:       a tool that has changed can be called before you accept it",
      "off:       it has no limit of memory",
      'Warning: first: The server gets "/", the whole file system',
      'Warning: first: The server gets "/run", where a container engine has its socket',
      `${placeFile("thv.yaml")} needs your permission for first.`,
      `thv up --file ${placeFile("thv.yaml")} --yes`,
    ])
      expect(result.stderr).toContain(line);
    expect(await names()).toEqual([]);
  });

  test("is shown in the same words by --check, which asks nobody", async () => {
    await write(STRANGER);

    const text = await up("--check");
    const json = await up("--check", "--format", "json");

    expect(text.code).toBe(26);
    expect(text.stdout).toContain("thv up asks for your permission for:");
    expect(text.stdout).toContain("secret:    github-token as STOLEN");
    expect(text.stdout).toContain('Warning: The server gets "/", the whole file system');
    expect(JSON.parse(json.stdout)).toMatchObject({
      servers: [
        {
          name: "first",
          allowed: false,
          grants: expect.arrayContaining([{ kind: "secret", text: "github-token as STOLEN" }]),
          warnings: expect.arrayContaining([expect.stringContaining("whole file system")]),
        },
      ],
    });
  });

  test("asks a person once, and starts nothing after a no", async () => {
    await write(WITH_SECRET);

    const refused = await answerUp("n");
    expect([refused.code, await names()]).toEqual([130, []]);
    expect(refused.stderr).toContain("Cancelled: nothing was started.");

    expect((await answerUp("y")).code).toBe(0);
    await thv.call(["down", "--file", placeFile("thv.yaml")]);
    expect((await up()).code).toBe(0);
  });
});

describe("a file that was allowed", () => {
  test("is asked about again when its package is installed on another image", async () => {
    await write(server("").replace("mcp/echo:1", "npx://@acme/weather@1.0.0"));
    const before = await up();
    await write(server(", base_image: evil:1").replace("mcp/echo:1", "npx://@acme/weather@1.0.0"));

    expect(before.stderr).toContain("package:   npx://@acme/weather@1.0.0\n");
    expect((await up()).stderr).toContain("package:   npx://@acme/weather@1.0.0 on evil:1\n");
  });

  beforeEach(async () => {
    await write(WITH_SECRET);
    expect((await up("--yes")).code).toBe(0);
  });

  test.each([
    ["a further secret", server(", secrets: { TOKEN: github-token, MORE: other-token }")],
    ["the same secret as another variable", server(", secrets: { OTHER: github-token }")],
    ["another image with the same secret", WITH_SECRET.replace("echo:1", "echo:2")],
    ["a folder", server(', secrets: { TOKEN: github-token }, volumes: ["/srv:/srv"]')],
    ["less protection", server(", secrets: { TOKEN: github-token }, image_verification: disabled")],
    ["other arguments", server(", secrets: { TOKEN: github-token }, args: [--all]")],
    ["a further server", `${WITH_SECRET}  other: { run: "mcp/echo:1", secrets: { TOKEN: github-token } }\n`],
  ])("is asked about again when it asks for %s", async (_what, text) => {
    await mkdir("/srv", { recursive: true });
    await write(text);
    const before = thv.served.world.engine.find("first");

    const result = await up();

    expect(result.code).toBe(27);
    expect(thv.served.world.engine.find("first")).toBe(before);
    expect(await names()).toEqual(["first"]);
  });

  test.each([
    ["a variable", server(", secrets: { TOKEN: github-token }, env: { UNITS: metric }"), 27],
    ["no secret any more", PLAIN, 0],
    ["less memory", server(', secrets: { TOKEN: github-token }, memory: "512m"'), 0],
  ])("with %s", async (_what, text, code) => {
    await write(text);

    expect((await up()).code).toBe(code);
  });

  test("is not asked about again when a variable that it may have gets another value", async () => {
    const withUnits = (value: string) => server(`, secrets: { TOKEN: github-token }, env: { UNITS: ${value} }`);
    await write(withUnits("metric"));
    expect((await up("--yes")).code).toBe(0);
    await write(withUnits("imperial"));

    expect((await up()).code).toBe(0);
    expect(thv.served.world.engine.find("first")?.spec.env).toMatchObject({ UNITS: "imperial" });
  });

  test("marks what is new for a server that is there", async () => {
    await write(server(", secrets: { TOKEN: github-token, MORE: other-token }"));

    const { stderr } = await up();

    expect(stderr).toContain("+ secret:    other-token as MORE");
    expect(stderr).toContain("  secret:    github-token as TOKEN");
  });

  test("does not get by halves what was never allowed together", async () => {
    // The present server has the secret; what was allowed last has the other image.
    await write(PLAIN.replace("echo:1", "echo:2"));
    await up("--yes");
    await thv.call(["down", "--file", placeFile("thv.yaml")]);
    await write(WITH_SECRET.replace("echo:1", "echo:2"));

    expect((await up()).code).toBe(27);
  });

  test("counts for its own path alone, and not for a copy", async () => {
    await mkdir(placeFile("copy"));
    await write(WITH_SECRET.replace("first", "second"), "copy/thv.yaml");

    expect((await thv.call(["up", "--file", placeFile("copy/thv.yaml")])).code).toBe(27);
  });

  test("is not allowed by anything in its own folder", async () => {
    await thv.call(["down", "--file", placeFile("thv.yaml")]);
    await rm(join(home, "s", "toolhive", "projects"), { recursive: true });
    await write(JSON.stringify({ path: placeFile("thv.yaml"), servers: { first: [] } }), "thv.json");

    expect((await up()).code).toBe(27);
  });
});

describe("links", () => {
  test("a project file that leads out of its folder is refused, without a word of what it holds", async () => {
    await mkdir(placeFile("repository"));
    await write("root:$6$hunter2:19000:0:99999:7:::\nhunter2-user: x\n", "shadow");
    await symlink(placeFile("shadow"), placeFile("repository/thv.yaml"));

    const result = await thv.call(["up", "--file", placeFile("repository/thv.yaml")]);

    expect(result.code).toBe(2);
    expect(result.stderr).toContain(`it is a link to ${placeFile("shadow")}, outside its folder`);
    expect(result.stderr).not.toContain("hunter2");
  });

  test("one within the folder, and a folder that is a link itself, are followed", async () => {
    await mkdir(placeFile("real"));
    await write(PLAIN, "real/other.yaml");
    await symlink("other.yaml", placeFile("real/thv.yaml"));
    await symlink(placeFile("real"), placeFile("linked"));

    expect((await thv.call(["up", "--yes", "--file", placeFile("linked/thv.yaml")])).code).toBe(0);
  });

  test.each([
    ["volumes", ', volumes: ["./data:/data"]'],
    ["permissions", ', permissions: { read: ["./data:/data"] }'],
  ])("%s that lead out of the folder are refused", async (_member, members) => {
    await mkdir(placeFile("repository"));
    await symlink("/", placeFile("repository/data"));
    await write(server(members), "repository/thv.yaml");

    const result = await thv.call(["up", "--yes", "--file", placeFile("repository/thv.yaml")]);

    expect(result.code).toBe(2);
    expect(result.stderr).toContain(
      `servers.first: ${placeFile("repository/data")} is a link to /, outside the folder`,
    );
    expect(await names()).toEqual([]);
  });

  test.each(["jwks_auth_token_file", "authz_config", "audit_config", "thv_ca_bundle"])(
    "%s that is a link out of the folder is refused, without a word of what it holds",
    async (member) => {
      await mkdir(placeFile("repository"));
      await writeFile(placeFile("private.json"), '{"hunter2":{}}');
      await symlink(placeFile("private.json"), placeFile("repository/here.json"));
      const access = `{ oidc: { issuer: "https://login.example.com" }, ${member}: ./here.json }`;
      await write(server(`, access: ${access}`), "repository/thv.yaml");

      const result = await thv.call(["up", "--yes", "--file", placeFile("repository/thv.yaml")]);

      expect(result.code).toBe(2);
      expect(result.stderr).toContain(`is a link to ${placeFile("private.json")}, outside the folder`);
      expect(result.stderr).not.toContain("hunter2");
    },
  );

  test("a folder that becomes a link after it was allowed is not given at the next start either", async () => {
    await mkdir(placeFile("repository/data"), { recursive: true });
    await write(server(', volumes: ["./data:/data"]'), "repository/thv.yaml");
    expect((await thv.call(["up", "--yes", "--file", placeFile("repository/thv.yaml")])).code).toBe(0);
    await rm(placeFile("repository/data"), { recursive: true });
    await symlink("/", placeFile("repository/data"));

    const result = await thv.call(["restart", "first"]);

    expect(result.code).toBe(2);
    expect(result.stderr).toContain(`"${placeFile("repository/data")}" is a link to "/"`);
  });

  test("an absolute path with a link in it is asked about, and given, as where it leads", async () => {
    await mkdir(placeFile("maps"));
    await symlink(placeFile("maps"), placeFile("link"));
    await mkdir(placeFile("repository"));
    await write(server(`, volumes: ["${placeFile("link")}:/data"]`), "repository/thv.yaml");

    const { code, stderr } = await thv.call(["up", "--yes", "--file", placeFile("repository/thv.yaml")]);

    expect([code, stderr]).toEqual([0, expect.stringContaining(`folder:    ${placeFile("maps")} at /data (write)`)]);
    expect((await thv.call(["restart", "first"])).code).toBe(0);
  });

  test("a lock that leads out of the folder is not read", async () => {
    await mkdir(placeFile("repository"));
    await write(PLAIN, "repository/thv.yaml");
    await write('{"hunter2":{}}', "settings.json");
    await symlink(placeFile("settings.json"), placeFile("repository/thv.lock"));

    const result = await thv.call(["up", "--file", placeFile("repository/thv.yaml")]);

    expect(result.code).toBe(2);
    expect(result.stderr).not.toContain("hunter2");
  });

  test("a file without servers is not repeated, link or not", async () => {
    await write("hunter2: 1\nroot: hunter2\n");
    expect((await up()).stderr).not.toContain("hunter2");
    await write("root:*:hunter2:[\n&hunter2 *hunter3\n");
    expect((await up()).stderr).not.toMatch(/hunter/);
  });

  test("a mount of thv run that is a link is shown with where it leads", async () => {
    await symlink("/", placeFile("harmless"));

    const { stdout, stderr } = await thv.call([
      "run",
      "--dry-run",
      "-v",
      `${placeFile("harmless")}:/data`,
      "mcp/echo:1",
    ]);

    expect(stdout).toContain(`${placeFile("harmless")}, a link to /, at /data`);
    expect(stderr).toContain('The server gets "/"');
  });
});

describe("a folder that was moved", () => {
  const moved = async (...more: readonly string[]) =>
    await thv.call(["up", "--file", placeFile("after/thv.yaml"), ...more]);
  beforeEach(async () => {
    await mkdir(placeFile("before"));
    await write(WITH_SECRET, "before/thv.yaml");
    await thv.call(["up", "--yes", "--file", placeFile("before/thv.yaml")]);
  });

  test("takes its servers over with --adopt, and asks for nothing that they have", async () => {
    await rename(placeFile("before"), placeFile("after"));

    const refused = await moved();
    expect(refused.code).toBe(4);
    expect(refused.stderr).toContain(`${placeFile("before/thv.yaml")} did, which no longer exists`);
    expect(refused.stderr).toContain("thv up --adopt");

    expect(await moved("--adopt")).toMatchObject({ code: 0, stdout: expect.stringContaining("first is changed") });
    expect((await moved("--check")).code).toBe(0);
    expect((await thv.call(["down", "--file", placeFile("after/thv.yaml")])).stdout).toBe("first is removed.\n");
  });

  test("takes nothing over while the other file is there, nor what thv run has made", async () => {
    await mkdir(placeFile("after"));
    await write(WITH_SECRET, "after/thv.yaml");
    expect(await moved("--adopt", "--yes")).toMatchObject({
      code: 4,
      stderr: expect.stringContaining(`${placeFile("before/thv.yaml")} did.`),
    });

    await thv.call(["rm", "first"]);
    await thv.call(["run", "--name", "first", "mcp/echo:1"]);
    expect((await moved("--adopt", "--yes")).code).toBe(4);
  });

  test("a server of another file is a difference for --check", async () => {
    await mkdir(placeFile("after"));
    await write(WITH_SECRET, "after/thv.yaml");

    const result = await moved("--check");

    expect(result.code).toBe(26);
    expect(result.stderr).toContain("1 of 1 server differs from");
    expect(result.stderr).not.toContain("come up");
  });
});

test("one that fails says nothing of the others", async () => {
  await write(`${PLAIN}  second: { run: "mcp/echo:1", volumes: ["./absent:/data"] }\n`);

  const { stdout, stderr } = await up("--yes");

  expect(stdout).toContain("first is created");
  expect(stderr).not.toContain("Nothing was started");
});

test("what was allowed is kept where only its user can read it, without values", async () => {
  await write(server(", env: { UNITS: hunter4 }"));
  await up("--yes");

  const folder = join(home, "s/toolhive/projects");
  const [file = ""] = await readdir(folder);
  const text = await readFile(join(folder, file), "utf8");
  expect((await stat(join(folder, file))).mode & 0o777).toBe(0o600);

  expect(text).toContain("variables: UNITS");
  expect(text).not.toContain("hunter4");
});
