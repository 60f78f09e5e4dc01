/** The commands of the page "Install the CLI", with the files that a release really builds. */
import { cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import {
  BareDebian,
  expectServedApp,
  findBareDebianObstacle,
  getTestEngines,
  runCommand,
  ThrowawayHome,
  waitFor,
} from "@toolhive/testing";
import { parseFences, parseMeta } from "@toolhive/testing/docs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { buildOwnRelease, findSingleFileObstacle } from "./single-file/build-own.mjs";

const root = fileURLToPath(new URL("../..", import.meta.url));
const page = readFileSync(join(root, "website/docs/toolhive/guides-cli/install.mdx"), "utf8");
const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));

/** The blocks that a word of their first line names. */
function listCommands(word: string, value: string): string[] {
  return parseFences(page)
    .filter(({ meta }) => parseMeta(meta).get(word) === value)
    .map(({ content }) => content);
}

const obstacle = findSingleFileObstacle() ?? (await findBareDebianObstacle());
describe.skipIf(obstacle !== undefined)(
  `the page about installing${obstacle === undefined ? "" : ` (skipped: ${obstacle})`}`,
  () => {
    let release: { readonly out: string; close(): Promise<void> };
    beforeAll(async () => {
      release = await buildOwnRelease();
    });
    afterAll(async () => await release.close());

    test.each(["script", "deb"])("installs on a bare Debian by %s, and removes what it installed", async (way) => {
      const [install = "", remove = "", ...more] = listCommands("debian", way);
      expect([install, remove, more]).toEqual([expect.stringContaining("install"), expect.stringMatching(/\S/), []]);
      await using debian = await BareDebian.open();
      cpSync(release.out, join(debian.root, "root/release"), { recursive: true });
      // There is no sudo, and nobody to answer apt's questions or to wait for the engine that it recommends.
      const sudo = `sudo() { shift; command apt-get --yes --no-install-recommends "$@"; }`;
      const run = async (script: string) => await debian.mustRun(`set -e; cd /root/release; ${sudo}\n${script}`);

      await run(install);
      const said = await run("thv version");
      expect(said).toContain(`v${version}`);
      expect(said).toContain(way === "deb" ? "Channel: deb" : "Channel: install-script");
      expect(await run("thv registry list --format json")).toContain('"name"');
      // No process outlives a script, so this one waits until its application was seen.
      const serving = run(
        "thv ui --no-browser --format json >printed.new; mv printed.new printed; until [ -e seen ]; do sleep 0.1; done",
      );
      const folder = join(debian.root, "root/release");
      const printed = await waitFor(async () => await readFile(join(folder, "printed"), "utf8").catch(() => ""), {
        what: "the address of the application",
      });
      await expectServedApp(printed).finally(() => writeFileSync(join(folder, "seen"), ""));
      await serving;
      await run(remove);
      expect(await run("command -v thv || echo none")).toBe("none\n");
    });

    test.each(getTestEngines())(
      "runs in its own image on $kind, with a root file system that is read-only",
      async (engine) => {
        const [docker = "docker", ...before] = engine.command;
        const { socket } = engine;
        const env = { ...process.env, ...engine.env } as Record<string, string>;
        const run = async (...args: string[]) => await runCommand(docker, [...before, ...args], { env });
        const image = `toolhive/thv:${version}`;
        const name = `thv-image-${engine.kind}`;
        try {
          expect(await run("load", "--input", join(release.out, `thv_${version}_image_amd64.tar`))).toMatchObject({
            code: 0,
          });
          const said = await run("run", "--rm", "--read-only", image);
          expect(said.stdout).toContain(`v${version}`);
          expect(said.stdout).toContain("Channel: image");
          const { stdout: user } = await run("image", "inspect", "--format", "{{.Config.User}}", image);
          expect(user.trim()).toBe("65532:65532");

          // The engine's socket is root's here.
          const mounted = ["--user", "0:0", "--volume", `${socket}:/var/run/docker.sock`];
          const how = ["--detach", "--read-only", "--network", "host", "--name", name, ...mounted];
          const served = await run("run", ...how, image, "serve", "--port", "0");
          expect(served).toMatchObject({ code: 0 });
          await expect
            .poll(async () => (await run("exec", name, "/usr/lib/thv/thv", "list", "--format", "json")).stdout.trim())
            .toBe("[]");
          const { stdout } = await run("exec", name, "/usr/lib/thv/thv", "ui", "--no-browser", "--format", "json");
          await expectServedApp(stdout);
        } finally {
          await run("rm", "--force", name);
          await run("rmi", "--force", image);
        }
      },
    );

    test("installs by npm into an empty home, and runs without being installed", async () => {
      const [install = "", remove = "", ...more] = listCommands("npm", "install");
      expect(more).toEqual([]);
      await using home = await ThrowawayHome.create();
      const prefix = join(home.path, "prefix");
      mkdirSync(prefix);
      const env = { ...home.env(), npm_config_prefix: prefix, PATH: `${join(prefix, "bin")}:${process.env.PATH}` };
      const run = async (script: string) => await runCommand("sh", ["-ec", script], { cwd: release.out, env });

      expect(await run(install)).toMatchObject({ code: 0 });
      const { stdout } = await run("command -v thv; thv version");
      expect(stdout).toContain(join(prefix, "bin/thv"));
      expect(stdout).toContain(`v${version}`);
      expect(stdout).toContain("Channel: npm");
      await expectServedApp((await run("thv ui --no-browser --format json")).stdout);
      await home.stopSupervisor();
      expect(await run(remove)).toMatchObject({ code: 0 });
      const [once = ""] = /npx --yes [^`]+/.exec(page) ?? [];
      expect((await run(once)).stdout).toContain("Channel: npx");
    });
  },
);

test("the page names the files of the present version", () => {
  const named = new Set([...page.matchAll(/(?<=[-_/:v])\d+\.\d+\.\d+(?=[-_./\s`]|$)/g)].map(([each]) => each));
  expect([...named].filter((each) => each !== version && page.includes(`thv_${each}`))).toEqual([]);
  expect(page).toContain(`./thv_${version}_amd64.deb`);
});
