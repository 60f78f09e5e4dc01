/** The single file: what it needs of itself instead of Node.js and node_modules, used by somebody who has neither. */
import { createHash } from "node:crypto";
import { chmod, copyFile, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { expectServedApp, listEnginePairs, type OpenPair, runThv, ThrowawayHome, waitFor } from "@toolhive/testing";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { buildOwnSingleFile, findSingleFileObstacle } from "../../../scripts/release/single-file/build-own.mjs";
import { callEcho } from "../src/testing/mcp-client.ts";
import { hasSecretService, startSessionBus, unlockKeyring } from "../src/testing/secret-service.ts";

const EVERYTHING = "mcp/everything:test";
/** Neither Node.js nor anything else of the checkout. */
const PATH = "/usr/sbin:/usr/bin:/sbin:/bin";

const pairs = (await listEnginePairs()).filter((each) => each.obstacle === undefined);
const pair = pairs.find(({ title }) => title.startsWith("Docker used by an ordinary user")) ?? pairs[0];
const obstacle = findSingleFileObstacle() ?? (pair === undefined ? "no container engine can be used here" : undefined);
const reason = obstacle === undefined ? "" : ` (skipped: ${obstacle})`;

describe.skipIf(obstacle !== undefined)(`thv as a single file${reason}`, () => {
  let folder: string;
  let program: string;
  let open: OpenPair;
  let home: ThrowawayHome;

  beforeAll(async () => {
    // Where every user can read it.
    folder = await mkdtemp(join(process.env.TOOLHIVE_TEST_HOMES ?? "/tmp", "single-"));
    await chmod(folder, 0o755);
    program = join(folder, "thv");
    await buildOwnSingleFile(async (built) => await copyFile(built, program));
    await chmod(program, 0o755);
    if (pair !== undefined) open = await pair.open();
  });
  afterAll(async () => {
    await rm(folder, { recursive: true, force: true });
  });
  beforeEach(async () => {
    home = await ThrowawayHome.create(open.user, program);
  });
  afterEach(async () => {
    await home[Symbol.asyncDispose]();
  });

  const thv = async (
    args: readonly string[],
    { env = {}, input }: { env?: Record<string, string>; input?: string } = {},
  ) => {
    const result = await runThv(args, { home, engine: open.engine, input, env: { PATH, ...env } });
    return { ...result, url: result.stdout.trim().split(" ").at(-1) ?? "" };
  };

  test("is the same to the last byte when it is built again", async () => {
    const digest = async (file: string) =>
      createHash("sha256")
        .update(await readFile(file))
        .digest("hex");
    const again = await buildOwnSingleFile(digest);
    expect(again).toBe(await digest(program));
  });

  test("runs a server, whose supervisor is the same file, and finds it again after the supervisor was killed", async () => {
    const { code, url, stderr } = await thv(["run", "--name", "everything", EVERYTHING]);
    expect([code, stderr]).toEqual([0, expect.any(String)]);
    expect(await callEcho(url, "one")).toContain("one");
    expect((await thv(["logs", "everything"])).stdout).toContain("STDIO");

    const first = await home.findSupervisor();
    process.kill(first?.pid ?? 0, "SIGKILL");
    await waitFor(async () => (await home.findSupervisor())?.pid !== first?.pid, { what: "the end of the supervisor" });
    const listed = JSON.parse((await thv(["list", "--format", "json"])).stdout);
    expect(listed).toEqual([expect.objectContaining({ name: "everything", status: "running", url })]);
    expect(await callEcho(url, "two")).toContain("two");

    expect(await thv(["restart", "everything"])).toMatchObject({ code: 0 });
    expect(await callEcho(url, "three")).toContain("three");
    expect(await thv(["rm", "everything"])).toMatchObject({ code: 0 });
    expect((await thv(["list", "--all", "--format", "json"])).stdout.trim()).toBe("[]");
  });

  test("enforces policies with the engine that is inside it", async () => {
    const policies = join(home.workDirectory, "policies.json");
    const cedar = (effect: string) => `${effect}(principal, action, resource);`;
    const write = async (effect: string) =>
      await writeFile(
        policies,
        JSON.stringify({ version: "1.0", type: "cedarv1", cedar: { policies: [cedar(effect)], entities_json: "[]" } }),
        { mode: 0o644 },
      );
    await write("permit");
    const permitted = await thv(["run", "--name", "open", "--authz-config", policies, EVERYTHING]);
    expect([permitted.code, permitted.stderr]).toEqual([0, expect.any(String)]);
    expect(await callEcho(permitted.url, "allowed")).toContain("allowed");

    await write("forbid");
    const forbidden = await thv(["run", "--name", "closed", "--authz-config", policies, EVERYTHING]);
    expect(forbidden.code).toBe(0);
    await expect(callEcho(forbidden.url, "denied")).rejects.toThrow();
  });

  test("serves the web application that is inside it", async () => {
    const { code, stdout } = await thv(["ui", "--no-browser", "--format", "json"]);
    expect(code).toBe(0);
    await expectServedApp(stdout);
  });

  test("says how it was installed, and completes, explains and documents itself", async () => {
    expect((await thv(["version", "--format", "json"])).stdout).toContain('"file"');
    expect((await thv(["completion", "bash"])).stdout).toContain("complete");
    expect((await thv(["help", "ENGINE_UNREACHABLE"])).stdout).toContain("Docker");
    expect(await thv(["registry", "list"])).toMatchObject({ code: 0 });
  });

  const secrets = hasSecretService() ? "" : " (skipped: dbus, gnome-keyring and libsecret-tools are not installed)";
  test.skipIf(secrets !== "")(
    `keeps a password in the keyring, with the library that it unpacks once${secrets}`,
    async () => {
      // The session bus is root's, so the home is, too.
      await using own = await ThrowawayHome.create(undefined, program);
      const session = await startSessionBus(own);
      await unlockKeyring(own, session);
      const run = async (args: readonly string[], input?: string) =>
        await runThv(args, { home: own, env: { ...session, PATH }, input });

      expect(await run(["secret", "provider", "encrypted"])).toMatchObject({ code: 0 });
      expect(await run(["secret", "set", "token"], "tok-7f3a-plain")).toMatchObject({ code: 0 });
      await own.stopSupervisor();
      expect(await run(["secret", "get", "token"])).toMatchObject({ code: 0, stdout: "tok-7f3a-plain\n" });

      const native = join(own.stateDirectory, "native");
      const files = await readdir(native);
      expect(files).toEqual([expect.stringMatching(/^[0-9a-f]{64}\.node$/)]);
      // A damaged one is not loaded, but replaced.
      const library = join(native, files[0] ?? "");
      await rm(library);
      await writeFile(library, "no library");
      await own.stopSupervisor();
      expect(await run(["secret", "get", "token"])).toMatchObject({ code: 0, stdout: "tok-7f3a-plain\n" });
      expect(dirname(library)).toBe(native);
    },
  );
});
