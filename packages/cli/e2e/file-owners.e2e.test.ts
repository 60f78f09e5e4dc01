/** What a server in a container may do with mounted folders, and whose its files are, by engine, user and image. */
import { chmod, chown, mkdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { listEnginePairs, type OpenPair, runThv, ThrowawayHome } from "@toolhive/testing";
import { afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { withMcpClient } from "../src/testing/mcp-client.ts";

const IMAGES = [
  ["root", "mcp/filesystem:test"],
  ["node", "toolhive-test/filesystem-as-node:test"],
  ["a number", "toolhive-test/filesystem-as-4242:test"],
] as const;

const pairs = await listEnginePairs();
/** Only root gives folders to others. */
const IS_ROOT = process.getuid?.() === 0;
const needsRoot = IS_ROOT ? "" : " (skipped: the tests are not run by root)";

describe.each(pairs)("mounted folders on $title", ({ obstacle, isOrdinaryUser, open }) => {
  describe.skipIf(obstacle !== undefined)("of", () => {
    let pair: OpenPair;
    let home: ThrowawayHome;
    /** Who runs `thv`. */
    let uid: number;

    beforeAll(async () => {
      pair = await open();
    });
    beforeEach(async () => {
      home = await ThrowawayHome.create(pair.user);
      uid = pair.user?.uid ?? process.getuid?.() ?? 0;
    });
    afterEach(async () => {
      await home[Symbol.asyncDispose]();
    });

    const makeFolder = async (name: string, owner: number, [folderMode, fileMode]: readonly [number, number]) => {
      const folder = join(home.path, name);
      await mkdir(folder);
      await writeFile(join(folder, "a.txt"), "hi");
      await chmod(join(folder, "a.txt"), fileMode);
      await chmod(folder, folderMode);
      for (const path of [folder, join(folder, "a.txt")]) await chown(path, owner, owner);
      return folder;
    };
    const thv = async (...args: string[]) => {
      const result = await runThv(args, { home, engine: pair.engine });
      expect(result, result.stderr).toMatchObject({ code: 0 });
      return result.stdout;
    };
    const useFolders = async (image: string, folders: readonly string[], flags: readonly string[] = []) => {
      const volumes = folders.flatMap((volume) => ["--volume", volume]);
      const paths = folders.map((volume) => volume.split(":")[1] ?? "");
      const ran = await thv("run", "--name", "files", ...flags, ...volumes, image, "--", ...paths);
      const call = async (name: string, input: Record<string, unknown>) =>
        JSON.stringify(
          await withMcpClient(ran.trim().split(" ").at(-1) ?? "", (client) =>
            client.callTool({ name, arguments: input }),
          ),
        );
      return {
        read: (path: string) => call("read_text_file", { path }),
        write: (path: string, content: string) => call("write_file", { path, content }),
      };
    };

    test.each(isOrdinaryUser ? IMAGES : IMAGES.slice(0, 1))(
      "the user's own, open and private: an image as %s reads and writes as the user",
      async (_, image) => {
        const open = await makeFolder("open", uid, [0o755, 0o644]);
        const closed = await makeFolder("closed", uid, [0o700, 0o600]);

        const files = await useFolders(image, [`${open}:/open`, `${closed}:/closed`, `${closed}:/fixed:ro`]);

        for (const folder of ["/open", "/closed", "/fixed"])
          expect(await files.read(`${folder}/a.txt`)).toContain("hi");
        for (const folder of ["/open", "/closed"]) {
          expect(await files.write(`${folder}/b.txt`, "new")).toContain("Successfully wrote");
          expect(await files.write(`${folder}/a.txt`, "changed")).toContain("Successfully wrote");
        }
        expect(await files.write("/fixed/c.txt", "")).toContain("EROFS");
        for (const path of [join(open, "b.txt"), join(closed, "b.txt"), join(closed, "a.txt")]) {
          expect([path, (await stat(path)).uid]).toEqual([path, uid]);
        }
        expect(await readFile(join(closed, "a.txt"), "utf8")).toBe("changed");
      },
    );

    test.runIf(isOrdinaryUser).each(IMAGES)(
      "root's: an image as %s reads what everybody may, and writes nothing",
      async (_, image) => {
        const open = await makeFolder("roots", 0, [0o755, 0o644]);

        const files = await useFolders(image, [`${open}:/roots`]);

        expect(await files.read("/roots/a.txt")).toContain("hi");
        expect(await files.write("/roots/b.txt", "")).toContain("EACCES");
        const plan = await runThv(["status", "files"], { home, engine: pair.engine });
        expect(plan.stderr).toContain(`You may not write "${open}", which belongs to user 0`);
      },
    );

    test.runIf(!isOrdinaryUser && IS_ROOT).each(IMAGES.slice(1))(
      `root's, used by root: an image as %s stays who it is, and may do what everybody may${needsRoot}`,
      async (_, image) => {
        const open = await makeFolder("open", 0, [0o755, 0o644]);
        const closed = await makeFolder("closed", 0, [0o700, 0o600]);

        const files = await useFolders(image, [`${open}:/open`, `${closed}:/closed`]);

        expect(await files.read("/open/a.txt")).toContain("hi");
        expect(await files.write("/open/b.txt", "")).toContain("EACCES");
        expect(await files.read("/closed/a.txt")).toContain("EACCES");
        expect(await thv("status", "files")).toContain(
          "unless that is root, it may do with your folders what everybody",
        );
      },
    );

    test.runIf(!isOrdinaryUser && IS_ROOT).each(IMAGES)(
      `another user's, used by root: an image as %s runs as the owner${needsRoot}`,
      async (_, image) => {
        const folder = await makeFolder("theirs", 54_321, [0o700, 0o600]);

        const files = await useFolders(image, [`${folder}:/theirs`]);

        expect(await files.read("/theirs/a.txt")).toContain("hi");
        expect(await files.write("/theirs/b.txt", "new")).toContain("Successfully wrote");
        expect((await stat(join(folder, "b.txt"))).uid).toBe(54_321);
      },
    );

    test("--user counts before every rule, gives no capability, and is said by a dry run and the status", async () => {
      const folder = await makeFolder("mine", uid, [0o777, 0o666]);

      const files = await useFolders("mcp/filesystem:test", [`${folder}:/mine`], ["--user", "4243:4244"]);

      expect(await files.write("/mine/b.txt", "new")).toContain("Successfully wrote");
      expect(await thv("status", "files")).toContain("User:       4243:4244, as asked for");
      const status = "process.stdout.write(require('fs').readFileSync('/proc/self/status','utf8'))";
      const { stdout } = await pair.engine.cli(["exec", "files", "node", "-e", status]);
      const fields = Object.fromEntries(stdout.split("\n").map((line) => line.split(/\s+/)));
      expect(fields).toMatchObject({ "Uid:": "4243", "Gid:": "4244", "CapEff:": "0000000000000000" });
      // A rootless engine, as an ordinary user who runs the tests may have, shows users under other numbers.
      if (IS_ROOT && pair.engine.owner === undefined) expect((await stat(join(folder, "b.txt"))).uid).toBe(4243);
    });

    test.runIf(isOrdinaryUser)("an image whose user has no entry starts, with a home that it can write", async () => {
      const folder = await makeFolder("mine", uid, [0o700, 0o600]);

      const files = await useFolders("toolhive-test/filesystem-as-nobody-knows:test", [`${folder}:/mine`]);

      expect(await files.read("/mine/a.txt")).toContain("hi");
      const write = "require('fs').writeFileSync(require('os').homedir()+'/x','')";
      expect((await pair.engine.cli(["exec", "files", "node", "-e", write])).stderr).not.toContain("Error");
    });
  });
});
