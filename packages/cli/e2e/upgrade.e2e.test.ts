/**
 * What becomes of servers when thv is replaced by a newer one while they run, and by the older one again. Both programs are
 * built from the present sources, under two versions. That shows how one supervisor follows another; it cannot show whether
 * files or containers that the sources of another time made are understood.
 */
import { execFile } from "node:child_process";
import { mkdir, mkdtemp, rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import {
  describeEngines,
  dropProgress,
  findRepositoryRoot,
  runCommand,
  ThrowawayHome,
  waitFor,
} from "@toolhive/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { SessionClient } from "../src/testing/session-client.ts";

const OLDER = "0.1.0";
const NEWER = "0.2.0";

/** In the repository, because the program's dependencies are found from there. */
let folder: string;

beforeAll(async () => {
  const cache = join(findRepositoryRoot(), ".cache");
  await mkdir(cache, { recursive: true });
  folder = await mkdtemp(join(cache, "two-versions-"));
  const build = join(findRepositoryRoot(), "packages/cli/build.mjs");
  for (const version of [OLDER, NEWER]) {
    const out = join(folder, version);
    await promisify(execFile)(process.execPath, [build, "--version", version, "--out", out]);
  }
});
afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
});

/** The place of an installed program, in which another version takes the place of the one that is there. */
class Place implements AsyncDisposable {
  readonly #name: string;
  #installed: string | undefined;

  constructor(name: string) {
    this.#name = name;
  }

  get program(): string {
    return join(folder, this.#name, "thv.mjs");
  }

  async install(version: string): Promise<void> {
    await this.remove();
    await rename(join(folder, version), join(folder, this.#name));
    this.#installed = version;
  }

  async remove(): Promise<void> {
    if (this.#installed) await rename(join(folder, this.#name), join(folder, this.#installed));
    this.#installed = undefined;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.remove();
  }
}

describeEngines("an upgrade on $kind", (engine) => {
  test("and the way back replace the supervisor at the next command, and drop no workload", async () => {
    await using home = await ThrowawayHome.create();
    await using place = new Place("installed");
    const thv = async (...args: string[]) =>
      await runCommand(process.execPath, [place.program, ...args], {
        cwd: home.workDirectory,
        env: home.env(engine),
      });
    await place.install(OLDER);
    const run = await thv("run", "--name", "kept", "toolhive-test/echo:test");
    expect(run).toMatchObject({ code: 0 });
    const url = run.stdout.trim().split(" ").at(-1) ?? "";
    const client = await SessionClient.open(url);
    const describeContainer = async () =>
      (await engine.cli(["inspect", "--format", "{{.Id}} {{.State.StartedAt}}", "kept"])).stdout;

    for (const [from, to] of [
      [OLDER, NEWER],
      [NEWER, OLDER],
    ] as const) {
      const first = await home.findSupervisor();
      const before = await describeContainer();
      await place.install(to);

      const list = await thv("list", "--all", "--format", "json");

      expect(list.stderr).toContain(`Replacing the supervisor v${from} by v${to}; servers stay.\n`);
      expect(JSON.parse(list.stdout)).toMatchObject([{ name: "kept", url }]);
      const second = await home.findSupervisor();
      expect(second?.pid).not.toBe(first?.pid);
      const running = await waitFor(
        async () => {
          const { stdout } = await thv("list", "--format", "json");
          return (JSON.parse(stdout) as { status_context?: string }[])[0];
        },
        { what: `the workload to run under the supervisor v${to}` },
      );
      // Docker keeps a server's input open: not even the process is another one. Podman cannot, and it is said.
      if (engine.kind === "docker") expect(await describeContainer()).toBe(before);
      else expect(running.status_context).toContain("Podman closes a server's input when its supervisor goes away");
      // The endpoint's own sessions went with the supervisor; the answer says so, and a client opens another.
      expect(await client.call("echo", { text: "still here" })).toEqual({ kind: "unknown-session" });
      await client.reopen(client.sessionId);
      expect(await client.call("echo", { text: "and again" })).toEqual({ kind: "answered", text: "and again" });

      const again = await thv("list");

      expect(dropProgress(again.stderr)).toBe("");
      expect((await home.findSupervisor())?.pid).toBe(second?.pid);
    }
    await thv("rm", "kept");
  });
});

describeEngines("two installed versions on $kind", (engine) => {
  test("use the supervisor of the newer one, and the older one replaces it when the newer one is gone", async () => {
    await using home = await ThrowawayHome.create();
    await using newer = new Place("newer");
    await using older = new Place("older");
    const thv = async ({ program }: Place, ...args: string[]) =>
      await runCommand(process.execPath, [program, ...args], { cwd: home.workDirectory, env: home.env(engine) });
    await newer.install(NEWER);
    await older.install(OLDER);
    expect(await thv(newer, "run", "--name", "kept", "toolhive-test/echo:test")).toMatchObject({ code: 0 });
    const first = await home.findSupervisor();

    for (const place of [older, newer, older]) {
      const list = await thv(place, "list");
      const said = dropProgress(list.stderr);

      const stays = `The supervisor is v${NEWER}, and this is v${OLDER}: it stays, because ${newer.program} is still installed.`;
      expect(said.startsWith(stays)).toBe(place === older);
      if (place === newer) expect(said).toBe("");
      expect(list.stdout).toContain("kept");
      expect((await home.findSupervisor())?.pid).toBe(first?.pid);
    }

    await newer.remove();
    await expect(stat(newer.program)).rejects.toMatchObject({ code: "ENOENT" });
    const list = await thv(older, "list", "--all");

    expect(list.stderr).toContain(`Replacing the supervisor v${NEWER} by v${OLDER}; servers stay.\n`);
    expect(list.stdout).toContain("kept");
    await thv(older, "rm", "kept");
  });
});
